"""A small, strict Markdown dialect to HTML."""

from marktext.render import to_html

__all__ = ["to_html"]

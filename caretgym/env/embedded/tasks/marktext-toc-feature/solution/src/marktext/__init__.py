"""A small, strict Markdown dialect to HTML."""

from marktext.render import to_html
from marktext.toc import table_of_contents

__all__ = ["table_of_contents", "to_html"]

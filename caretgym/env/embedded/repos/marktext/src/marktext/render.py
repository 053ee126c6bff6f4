"""Blocks to HTML."""

import html

from marktext.blocks import Block, BulletList, Code, Heading, Item, Paragraph, parse
from marktext.inline import inline


def to_html(source: str) -> str:
    """A document as HTML, one block after the other."""
    return "".join(_block(block) for block in parse(source))


def _block(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{inline(text)}</h{level}>\n"
        case Paragraph(text):
            return f"<p>{inline(text)}</p>\n"
        case Code(language, lines):
            attribute = f' class="language-{html.escape(language)}"' if language else ""
            body = "".join(f"{html.escape(line)}\n" for line in lines)
            return f"<pre><code{attribute}>{body}</code></pre>\n"
        case BulletList(items):
            return _list(items) + "\n"


def _list(items: list[Item]) -> str:
    inner = "".join(f"<li>{inline(i.text)}{_list(i.children) if i.children else ''}</li>" for i in items)
    return f"<ul>{inner}</ul>"

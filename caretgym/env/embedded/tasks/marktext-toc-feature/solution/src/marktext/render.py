"""Blocks to HTML."""

import html

from marktext.blocks import Block, BulletList, Code, Heading, Item, Paragraph, parse
from marktext.inline import inline
from marktext.toc import slugs


def to_html(source: str, *, anchored: bool = False) -> str:
    """A document as HTML, one block after the other; ``anchored`` gives headings an id."""
    blocks = parse(source)
    anchors = iter(slugs([block.text for block in blocks if isinstance(block, Heading)]) if anchored else ())
    return "".join(_block(block, next(anchors, None) if isinstance(block, Heading) else None) for block in blocks)


def _block(block: Block, anchor: str | None) -> str:
    match block:
        case Heading(level, text):
            attribute = f' id="{anchor}"' if anchor is not None else ""
            return f"<h{level}{attribute}>{inline(text)}</h{level}>\n"
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

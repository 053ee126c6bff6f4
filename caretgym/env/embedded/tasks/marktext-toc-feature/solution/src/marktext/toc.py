"""Tables of contents."""

import html
import re

from marktext.blocks import Heading, parse
from marktext.inline import inline

_MARKUP = re.compile(r"<[^>]*>")


def slugs(headings: list[str]) -> list[str]:
    """An anchor for each heading: lower-case words joined by hyphens; repeated ones are numbered from -2."""
    seen: dict[str, int] = {}
    out = []
    for text in headings:
        plain = html.unescape(_MARKUP.sub("", inline(text))).lower()
        slug = "-".join(re.findall(r"\w+", plain)) or "section"
        seen[slug] = seen.get(slug, 0) + 1
        out.append(slug if seen[slug] == 1 else f"{slug}-{seen[slug]}")
    return out


def table_of_contents(source: str, depth: int = 3) -> list[tuple[int, str, str]]:
    """(level, text, anchor) of each heading down to ``depth``."""
    headings = [block for block in parse(source) if isinstance(block, Heading)]
    anchors = slugs([heading.text for heading in headings])
    return [(h.level, h.text, a) for h, a in zip(headings, anchors, strict=True) if h.level <= depth]

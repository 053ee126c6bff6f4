"""Splitting a document into blocks."""

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"(#{1,6}) +(.*?)(?: +#+)?$")
_ITEM = re.compile(r"( *)- +(.*)$")


@dataclass
class Heading:
    level: int
    text: str


@dataclass
class Paragraph:
    text: str


@dataclass
class Code:
    language: str
    lines: list[str]


@dataclass
class Item:
    text: str
    children: list["Item"] = field(default_factory=list)


@dataclass
class BulletList:
    items: list[Item]


Block = Heading | Paragraph | Code | BulletList


def parse(source: str) -> list[Block]:
    """The document's blocks in order."""
    lines = source.splitlines()
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == "```"), len(lines))
            blocks.append(Code(line[3:].strip(), lines[at + 1 : end]))
            at = end + 1
        elif match := _HEADING.match(line):
            blocks.append(Heading(len(match[1]), match[2]))
            at += 1
        elif _ITEM.match(line):
            end = at
            while end < len(lines) and _ITEM.match(lines[end]):
                end += 1
            blocks.append(BulletList(parse_items(lines[at:end])))
            at = end
        else:
            end = at
            while end < len(lines) and lines[end].strip() and not _starts_block(lines[end], first=end == at):
                end += 1
            blocks.append(Paragraph(" ".join(part.strip() for part in lines[at:end])))
            at = end
    return blocks


def _starts_block(line: str, *, first: bool) -> bool:
    return not first and bool(line.startswith("```") or _HEADING.match(line) or _ITEM.match(line))


def parse_items(lines: list[str]) -> list[Item]:
    """Items nested by two spaces per level; a level that is skipped counts as one."""
    top: list[Item] = []
    stack: list[tuple[int, list[Item]]] = [(0, top)]
    for line in lines:
        match = _ITEM.match(line)
        assert match is not None
        depth = len(match[1]) // 2
        while stack[-1][0] > depth:
            stack.pop()
        if depth > stack[-1][0] and stack[-1][1]:
            stack.append((depth, stack[-1][1][-1].children))
        stack[-1][1].append(Item(match[2]))
    return top

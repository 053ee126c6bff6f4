"""Finding the text that an edit means: exactly first, then with line ends, white space and typography relaxed (ED-3)."""

import re
from typing import NamedTuple

from caretgym.ide_sim.document.lines import split_lines

_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u00a0": " "}
)
_END = re.compile(r"\r\n|\r|\n")


class Span(NamedTuple):
    """Code point offsets, the end not included."""

    start: int
    end: int


def find_occurrences(text: str, needle: str) -> list[int]:
    """Offsets of the exact occurrences that do not overlap, in order. An empty needle occurs nowhere."""
    out: list[int] = []
    if not needle:
        return out
    at = text.find(needle)
    while at >= 0:
        out.append(at)
        at = text.find(needle, at + len(needle))
    return out


def adapt_newlines(text: str, eol: str) -> str:
    """The text with every line end replaced by ``eol``."""
    return _END.sub(lambda _: eol, text)


def _relaxed(line: str) -> str:
    return line.rstrip().translate(_QUOTES)


def find_relaxed(text: str, needle: str) -> list[Span]:
    """Where whole lines of ``needle`` stand in ``text`` if white space at line ends, line ends themselves, and the form of
    quotes and dashes are not looked at.

    Leading white space counts: it has a meaning in many languages. A needle without any visible character matches nothing.
    """  # noqa: D205
    wanted = [_relaxed(line) for line in split_lines(needle)]
    if not any(wanted):
        return []
    lines = split_lines(text)
    keys = [_relaxed(line) for line in lines]
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line)
    whole_end = bool(_END.search(needle[-1:]))
    out = []
    index = 0
    while index + len(wanted) <= len(keys):
        if keys[index : index + len(wanted)] == wanted:
            last = index + len(wanted) - 1
            end = starts[last] + len(lines[last])
            if not whole_end:
                end -= len(lines[last]) - len(lines[last].rstrip("\r\n"))
            out.append(Span(starts[index], end))
            index += len(wanted)
        else:
            index += 1
    return out

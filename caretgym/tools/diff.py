"""A unified diff of two texts, in time that stays small for any input (ED-8: diff_string, lines_added, lines_removed).

Lines are those of diff and git: ended by ``\\n`` alone, so that the result can be applied with ``git apply``.
"""

from __future__ import annotations

import difflib
from collections import Counter
from typing import NamedTuple

CONTEXT = 3
_MOST_PAIRS = 250_000
"""Most pairs of equal lines to compare; above it the changed region is shown as one block, which is still correct."""


class Diff(NamedTuple):
    """The diff with its file header, or empty for equal texts, and the number of lines with ``+`` and ``-``."""

    text: str
    added: int
    removed: int


def unified(before: str | None, after: str | None, path: str) -> Diff:
    """Return the diff for a file; None stands for a file that isn't there."""
    if before == after:
        return Diff("", 0, 0)
    old, new = _lines(before or ""), _lines(after or "")
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start, keep = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    a, b = old[start : len(old) - keep], new[start : len(new) - keep]
    out = [f"--- {'/dev/null' if before is None else 'a/' + path}\n"]
    out.append(f"+++ {'/dev/null' if after is None else 'b/' + path}\n")
    added = removed = 0
    for group in _groups(a, b, head - start, tail - keep):
        first, last = group[0], group[-1]
        out.append(f"@@ -{_range(start, first[1], last[2])} +{_range(start, first[3], last[4])} @@\n")
        for tag, a_from, a_to, b_from, b_to in group:
            if tag == "equal":
                out += [_line(" ", line) for line in a[a_from:a_to]]
                continue
            out += [_line("-", line) for line in a[a_from:a_to]] + [_line("+", line) for line in b[b_from:b_to]]
            removed += a_to - a_from
            added += b_to - b_from
    return Diff("".join(out), added, removed)


Opcode = tuple[str, int, int, int, int]


def _groups(a: list[str], b: list[str], head: int, tail: int) -> list[list[Opcode]]:
    """Return hunks as opcodes. The first ``head`` and last ``tail`` lines are known to be equal."""
    counts = Counter(a)
    if sum(counts[line] for line in b) <= _MOST_PAIRS:
        return list(difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT))
    codes: list[Opcode] = [
        ("equal", 0, head, 0, head),
        ("replace", head, len(a) - tail, head, len(b) - tail),
        ("equal", len(a) - tail, len(a), len(b) - tail, len(b)),
    ]
    return [[code for code in codes if code[1] < code[2] or code[3] < code[4]]]


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _common(a: list[str], b: list[str]) -> int:
    count = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        count += 1
    return count


def _range(offset: int, begin: int, end: int) -> str:
    length = end - begin
    line = offset + begin + (1 if length else 0)
    return str(line) if length == 1 else f"{line},{length}"


def _line(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"

"""The smallest single change between two texts."""

from caretgym.ide_sim.document import Range, TextChange
from caretgym.ide_sim.lsp.dialect import Dialect


def _common(a: str, b: str, limit: int, *, from_end: bool) -> int:
    """How many characters two texts share at their start, or at their end; by halving, since slices compare fast."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        same = a[len(a) - middle :] == b[len(b) - middle :] if from_end else a[:middle] == b[:middle]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def change_between(old: str, new: str, dialect: Dialect) -> TextChange | None:
    """The change that makes ``new`` of ``old``; None if they are equal.

    Its range is one of ``old``'s, never reversed, never inside a character. No end of it lies between the halves of a
    CRLF, be it one of ``old`` or one that the change makes: servers that keep their line starts up to date by the change
    alone miscount those.
    """
    if old == new:
        return None
    start = _common(old, new, min(len(old), len(new)), from_end=False)
    tail = _common(old, new, min(len(old), len(new)) - start, from_end=True)
    end = len(old) - tail
    if _splits_crlf(old, start) or _splits_crlf(new, start):
        start -= 1
    if _splits_crlf(old, end) or _splits_crlf(new, len(new) - tail):
        end += 1
        tail -= 1
    index = dialect.lines(old)
    return TextChange(
        Range(index.position(start, dialect.unit), index.position(end, dialect.unit)), new[start : len(new) - tail]
    )


def _splits_crlf(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1] == "\r" and text[offset] == "\n"

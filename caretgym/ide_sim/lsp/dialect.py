"""How one server counts lines and characters."""

from typing import Any, NamedTuple

from caretgym.ide_sim.document import Position, Range, Unit
from caretgym.ide_sim.document.lines import LineIndex


class Dialect(NamedTuple):
    r"""The unit that was agreed on, and whether the server takes only ``\n`` for a line end in what we send.

    The protocol wants ``\r`` to be one too. clangd reads positions with its own line counter, which knows only ``\n``, and
    writes them with its compiler's, which knows all three.
    """

    unit: Unit = "utf-16"
    newline_only: bool = False

    def lines(self, text: str) -> LineIndex:
        """A text's lines as the server counts those of the positions that it is sent."""
        return LineIndex(text, newline_only=self.newline_only)

    def to_json(self, index: LineIndex, offset: int) -> dict[str, int]:
        """A code point offset as a ``Position`` of the protocol. ``index`` is one of :meth:`lines`."""
        place = index.position(offset, self.unit)
        return {"line": place.line, "character": place.character}

    def place(self, index: LineIndex, value: Any) -> tuple[tuple[int, int], bool]:
        """A ``Range`` of the protocol as offsets in a text, and whether it had to be put right."""
        repaired = False
        ends = []
        value = value if isinstance(value, dict) else {}
        for name in ("start", "end"):
            position = position_from_json(value.get(name))
            offset, exact = index.nearest(position or Position(0, 0), self.unit)
            if index.text[offset - 1 : offset + 1] == "\r\n" and offset > 0:
                offset -= 1  # between the two there is no place for us
            ends.append(offset)
            repaired = repaired or position is None or not exact
        if ends[0] > ends[1]:
            ends.reverse()
            repaired = True
        return (ends[0], ends[1]), repaired


def position_from_json(value: Any) -> Position | None:
    """A ``Position`` of the protocol; None: it is none."""
    if not isinstance(value, dict):
        return None
    line, character = value.get("line"), value.get("character")
    if not isinstance(line, int) or not isinstance(character, int) or isinstance(line, bool):
        return None
    return Position(line, character)


def range_to_json(value: Range) -> dict[str, Any]:
    """A ``Range`` of the protocol."""
    return {
        "start": {"line": value.start.line, "character": value.start.character},
        "end": {"line": value.end.line, "character": value.end.character},
    }

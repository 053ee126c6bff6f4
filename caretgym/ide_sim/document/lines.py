"""Where lines start, and positions in the three units of LSP (3.17, `PositionEncodingKind`)."""

import re
from bisect import bisect_right
from typing import Literal, NamedTuple

Unit = Literal["utf-8", "utf-16", "utf-32"]
_LINE_END = re.compile(r"\r\n|\n|\r")


class EditError(ValueError):
    """A position or range that a text does not have. Nothing was changed."""


class Position(NamedTuple):
    """0-based; ``character`` counts code units of the agreed encoding."""

    line: int
    character: int


class Range(NamedTuple):
    """From ``start`` up to, not including, ``end``."""

    start: Position
    end: Position


def split_lines(text: str) -> list[str]:
    r"""The lines with their ends (``\n``, ``\r\n``, ``\r``); a last empty line is not listed."""
    if "\r" not in text:
        parts = text.split("\n")
        lines = [part + "\n" for part in parts[:-1]]
        if parts[-1]:
            lines.append(parts[-1])
        return lines
    out, at = [], 0
    for match in _LINE_END.finditer(text):
        out.append(text[at : match.end()])
        at = match.end()
    if at < len(text):
        out.append(text[at:])
    return out


def units(text: str, unit: Unit) -> int:
    """The length of a text in code units."""
    if unit == "utf-32" or text.isascii():
        return len(text)
    if unit == "utf-16":
        return len(text) + sum(c > "\uffff" for c in text)
    return len(text.encode("utf-8", "surrogatepass"))


class LineIndex:
    r"""Line starts of one text (code point offsets). A text has one line more than it has line ends.

    Args:
        text: The text.
        newline_only: Only ``\n`` ends a line (some language servers count so); else also ``\r\n`` and ``\r``, as LSP says.

    """

    def __init__(self, text: str, *, newline_only: bool = False) -> None:
        self.text = text
        self._newline_only = newline_only
        starts = [0]
        if "\r" in text and not newline_only:
            starts += [m.end() for m in _LINE_END.finditer(text)]
        else:
            at = text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = text.find("\n", at + 1)
        self.starts = starts

    def __len__(self) -> int:
        return len(self.starts)

    def content_end(self, line: int) -> int:
        """Where the line's content ends: before its line end."""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        if line + 1 < len(self.starts):
            pair = not self._newline_only and self.text.endswith("\r\n", self.starts[line], end)
            end -= 2 if pair else 1
        return end

    def line_of(self, offset: int) -> int:
        """The line that holds a code point offset."""
        return bisect_right(self.starts, offset) - 1

    def position(self, offset: int, unit: Unit = "utf-16") -> Position:
        """The position of a code point offset. EditError: beyond the text."""
        if not 0 <= offset <= len(self.text):
            raise EditError(f"offset {offset} is outside the text, which has {len(self.text)} characters")
        line = self.line_of(offset)
        return Position(line, units(self.text[self.starts[line] : offset], unit))

    def offset(self, position: Position, unit: Unit = "utf-16", *, clamp: bool = False) -> int:
        """The code point offset of a position.

        Args:
            clamp: Move a character beyond the line's end to the end, as LSP asks of servers; a missing line still fails.

        Raises:
            EditError: there is no such line or character, or it lies inside a character.

        """
        line, character = position
        if not 0 <= line < len(self.starts) or character < 0:
            raise EditError(f"line {line}, character {character} does not exist: the text has {len(self.starts)} lines")
        start, end = self.starts[line], self.content_end(line)
        if unit == "utf-32" or self.text[start:end].isascii():
            if character > end - start:
                return self._beyond(position, end, clamp)
            return start + character
        done = 0
        for index in range(start, end):
            if done == character:
                return index
            done += units(self.text[index], unit)
            if done > character:
                raise EditError(f"line {line}, character {character} ({unit}) lies inside a character")
        return end if done == character else self._beyond(position, end, clamp)

    def nearest(self, position: Position, unit: Unit = "utf-16") -> tuple[int, bool]:
        """The code point offset of a position that may not exist, and whether it does; never fails.

        A character beyond the line's end is its end, as LSP says (3.17, ``Position``), and so is the start of the line
        after the last one; a negative number is 0; inside a character is before it.
        """
        line, character = position
        if line >= len(self.starts):
            return len(self.text), line == len(self.starts) and character == 0
        exact = line >= 0 and character >= 0
        line, character = max(line, 0), max(character, 0)
        while True:
            try:
                return self.offset(Position(line, character), unit, clamp=True), exact
            except EditError:  # a character is four units at most
                character -= 1
                exact = False

    @staticmethod
    def _beyond(position: Position, end: int, clamp: bool) -> int:
        if clamp:
            return end
        raise EditError(f"line {position.line} has no character {position.character}: it ends before")

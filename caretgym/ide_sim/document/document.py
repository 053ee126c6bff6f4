"""``Document``: one text file in the editor."""

from collections.abc import Sequence
from typing import NamedTuple

from caretgym.ide_sim.document.encoding import BOMS, Encoding, decode, encode
from caretgym.ide_sim.document.lines import EditError, LineIndex, Position, Range, Unit, split_lines

UNDO_LEVELS = 200


class TextChange(NamedTuple):
    """An LSP content change: ``text`` in place of ``range``; no range: in place of everything."""

    range: Range | None
    text: str


class _Splice(NamedTuple):
    start: int
    removed: str
    inserted: str


class Document:
    """A text, its encoding and its version.

    Attributes:
        version: 1 at first; goes up by one with every change, undo and redo included.
        encoding: What :meth:`to_bytes` writes.

    """

    def __init__(self, text: str, encoding: Encoding = Encoding.UTF8) -> None:
        self._text = text
        self._index: LineIndex | None = None
        self.encoding = encoding
        self.version = 1
        self._undo: list[list[_Splice]] = []
        self._redo: list[list[_Splice]] = []

    @classmethod
    def from_bytes(cls, data: bytes) -> "Document":
        """Read a file. BinaryFileError: it is not text (RD-5)."""
        return cls(*decode(data))

    @classmethod
    def from_text(cls, text: str, encoding: Encoding = Encoding.UTF8) -> "Document":
        """A new document."""
        return cls(text, encoding)

    def to_bytes(self) -> bytes:
        """The file's bytes, byte order mark included. EncodingError: the encoding lacks a character."""
        return encode(self._text, self.encoding)

    @property
    def text(self) -> str:
        """All of it, without the byte order mark, line ends as they are."""
        return self._text

    # -- lines and positions ------------------------------------------------------------------------------------------
    @property
    def index(self) -> LineIndex:
        """Line starts and positions of the present text."""
        if self._index is None:
            self._index = LineIndex(self._text)
        return self._index

    @property
    def line_count(self) -> int:
        """Lines as LSP counts them: one more than line ends."""
        return len(self.index)

    @property
    def lines(self) -> list[str]:
        """The lines with their ends, as an editor numbers them; a last empty line is not listed."""
        return split_lines(self._text)

    def line_text(self, line: int) -> str:
        """A line without its end; 0-based. IndexError: no such line."""
        return self._text[self.index.starts[line] : self.index.content_end(line)]

    def line_end(self, line: int) -> str:
        r"""``\n``, ``\r\n``, ``\r`` or nothing."""
        starts = self.index.starts
        end = starts[line + 1] if line + 1 < len(starts) else len(self._text)
        return self._text[self.index.content_end(line) : end]

    @property
    def dominant_eol(self) -> str:
        r"""The line end that occurs most; ``\n`` where there is none or a tie with it."""
        pairs = self._text.count("\r\n")
        counts = {"\n": self._text.count("\n") - pairs, "\r\n": pairs, "\r": self._text.count("\r") - pairs}
        return max(counts, key=lambda eol: counts[eol])

    def position_at(self, offset: int, unit: Unit = "utf-16") -> Position:
        """See :meth:`LineIndex.position`."""
        return self.index.position(offset, unit)

    def offset_at(self, position: Position, unit: Unit = "utf-16", *, clamp: bool = False) -> int:
        """See :meth:`LineIndex.offset`."""
        return self.index.offset(position, unit, clamp=clamp)

    def byte_offset(self, offset: int) -> int:
        """Where a code point offset lies in the file's bytes, byte order mark counted."""
        name = "utf-8" if self.encoding is Encoding.UTF8_BOM else self.encoding.value
        return len(BOMS.get(self.encoding, b"")) + len(self._text[:offset].encode(name))

    def offset_of_byte(self, byte: int) -> int:
        """The code point offset of a byte of the file. EditError: inside a character or beyond the end."""
        mark = len(BOMS.get(self.encoding, b""))
        name = "utf-8" if self.encoding is Encoding.UTF8_BOM else self.encoding.value
        body = self._text.encode(name)
        if not mark <= byte <= mark + len(body):
            raise EditError(f"byte {byte} is outside the text")
        try:
            return len(body[: byte - mark].decode(name))
        except UnicodeDecodeError as error:
            raise EditError(f"byte {byte} lies inside a character") from error

    # -- edits --------------------------------------------------------------------------------------------------------
    def apply(self, changes: Sequence[TextChange], unit: Unit = "utf-16") -> list[TextChange]:
        """Apply LSP changes, each to the result of the one before; all of them or none.

        Returns:
            The changes that take this back, in the order in which to apply them.

        Raises:
            EditError: a range is reversed, inside a character, or beyond the text. Nothing was changed.

        """
        text = self._text
        splices: list[_Splice] = []
        index = self.index
        for change in changes:
            if change.range is None:
                start, end = 0, len(text)
            else:
                start, end = index.offset(change.range.start, unit), index.offset(change.range.end, unit)
                if start > end:
                    raise EditError(
                        f"the range's end {tuple(change.range.end)} lies before its start {tuple(change.range.start)}"
                    )
            splices.append(_Splice(start, text[start:end], change.text))
            text = text[:start] + change.text + text[end:]
            index = LineIndex(text)
        undo = self._inverse_changes(splices, unit, text)
        if splices:
            self._commit(text, splices)
        return undo

    @staticmethod
    def _inverse_changes(splices: Sequence[_Splice], unit: Unit, text: str) -> list[TextChange]:
        out = []
        for splice in reversed(splices):
            index = LineIndex(text)
            end = splice.start + len(splice.inserted)
            # inside "\r\n" there is no position, so a change that begins or ends there takes its neighbour along
            start, removed = splice.start, splice.removed
            if 0 < start < len(text) and text[start - 1 : start + 1] == "\r\n":
                start, removed = start - 1, "\r" + removed
            if 0 < end < len(text) and text[end - 1 : end + 1] == "\r\n":
                end, removed = end + 1, removed + "\n"
            out.append(TextChange(Range(index.position(start, unit), index.position(end, unit)), removed))
            text = text[: splice.start] + splice.removed + text[splice.start + len(splice.inserted) :]
        return out

    def replace(self, start: int, end: int, new_text: str) -> None:
        """Put a text in place of code points ``start`` to ``end``. EditError: no such range."""
        if not 0 <= start <= end <= len(self._text):
            raise EditError(f"characters {start} to {end} are not in the text, which has {len(self._text)}")
        splice = _Splice(start, self._text[start:end], new_text)
        self._commit(self._text[:start] + new_text + self._text[end:], [splice])

    def set_text(self, text: str) -> None:
        """Replace everything."""
        self.replace(0, len(self._text), text)

    def _commit(self, text: str, splices: list[_Splice]) -> None:
        self._text, self._index = text, None
        self.version += 1
        self._undo.append(splices)
        del self._undo[:-UNDO_LEVELS]
        self._redo.clear()

    def undo(self) -> bool:
        """Take the last change back; False if there is none."""
        if not self._undo:
            return False
        splices = self._undo.pop()
        text = self._text
        for start, removed, inserted in reversed(splices):
            text = text[:start] + removed + text[start + len(inserted) :]
        self._text, self._index = text, None
        self.version += 1
        self._redo.append(splices)
        return True

    def redo(self) -> bool:
        """Make the last undone change again; False if there is none."""
        if not self._redo:
            return False
        splices = self._redo.pop()
        text = self._text
        for start, removed, inserted in splices:
            text = text[:start] + inserted + text[start + len(removed) :]
        self._text, self._index = text, None
        self.version += 1
        self._undo.append(splices)
        return True

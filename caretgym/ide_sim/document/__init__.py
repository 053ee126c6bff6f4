"""The text model; see the README beside this file."""

from caretgym.ide_sim.document.document import Document, TextChange
from caretgym.ide_sim.document.encoding import BinaryFileError, Encoding, EncodingError, is_binary
from caretgym.ide_sim.document.lines import EditError, Position, Range, Unit, split_lines
from caretgym.ide_sim.document.match import Span, adapt_newlines, find_occurrences, find_relaxed

__all__ = [
    "BinaryFileError", "Document", "EditError", "Encoding", "EncodingError", "Position", "Range", "Span", "TextChange",
    "Unit", "adapt_newlines", "find_occurrences", "find_relaxed", "is_binary", "split_lines",
]  # fmt: skip

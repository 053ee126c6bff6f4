"""StrReplace: put one text in place of another (ED-2, ED-3, ED-4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from caretgym.ide_sim.document import (
    BinaryFileError,
    Document,
    EncodingError,
    Span,
    adapt_newlines,
    find_occurrences,
    find_relaxed,
)
from caretgym.tools.access import Edited, blocked, edited
from caretgym.tools.base import CallContext, ErrorClass, Failure, Tool, ToolOutcome, failed, success
from caretgym.tools.read import BinaryFile
from caretgym.tools.write import NotEncodable

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

_LISTED = 20


class StrReplaceArgs(msgspec.Struct, frozen=True):
    """``old_string`` has to occur once unless ``replace_all``."""

    path: str
    old_string: str
    new_string: str
    replace_all: bool = False


class Replaced(Edited, frozen=True):
    """See :class:`Edited`."""


class SameStrings(Failure, frozen=True):
    """Old and new text are equal (ED-2)."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    path: str


class EmptyOldString(Failure, frozen=True):
    """There is nothing to look for."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    path: str


class StringNotFound(Failure, frozen=True):
    """The text is not in the file, not even relaxed (ED-3)."""

    path: str


class NotUnique(Failure, frozen=True):
    """The text is there more than once (ED-4); ``lines`` are where the occurrences begin, from 1."""

    path: str
    count: int
    lines: tuple[int, ...]


class StrReplace(Tool[StrReplaceArgs]):
    """Exact first; then with the file's own line ends; then whole lines with white space at their ends relaxed.

    Limit ``relax`` 0 turns the last step off (before 2026). No byte outside of the replaced text changes.
    """

    name = "StrReplace"
    Args = StrReplaceArgs

    def edits(self, args: StrReplaceArgs) -> str | None:
        """See :class:`Tool`."""
        return args.path

    async def run(self, ide: IDE, args: StrReplaceArgs, call: CallContext) -> ToolOutcome:
        """Replace, or refuse and leave the file alone."""
        stop = blocked(ide, args.path, call)
        if stop is not None:
            return stop
        if not args.old_string:
            return failed(EmptyOldString(args.path))
        if args.old_string == args.new_string:
            return failed(SameStrings(args.path))
        workspace = ide.workspace
        try:
            document = workspace.read_document(args.path)
        except BinaryFileError:
            return failed(BinaryFile(args.path, args.path.rpartition(".")[2]))
        spans, relaxed = find_spans(document.text, args.old_string, relax=bool(call.limits.get("relax", 1)))
        if not spans:
            return failed(StringNotFound(args.path))
        if len(spans) > 1 and not args.replace_all:
            lines = tuple(document.index.line_of(s.start) + 1 for s in spans[:_LISTED])
            return failed(NotUnique(args.path, len(spans), lines))
        before = document.text
        after = replace_spans(document, spans, args.new_string)
        open_one = workspace.documents.get(workspace.relative(args.path))
        fresh = Document(after, document.encoding)
        try:
            fresh.to_bytes()
        except EncodingError as error:
            return failed(NotEncodable(args.path, str(error)))
        if open_one is not None:
            open_one.set_text(after)
            fresh = open_one
        workspace.write_document(args.path, fresh)
        record = edited(ide, args.path, before, after, replacements=len(spans), relaxed=relaxed)
        return success(Replaced(**msgspec.structs.asdict(record)))


def find_spans(text: str, needle: str, *, relax: bool) -> tuple[list[Span], bool]:
    """Where the text is, and whether it was found only by relaxing."""
    at = find_occurrences(text, needle)
    if at:
        return [Span(start, start + len(needle)) for start in at], False
    for eol in ("\r\n", "\n", "\r"):
        adapted = adapt_newlines(needle, eol)
        if adapted != needle and (at := find_occurrences(text, adapted)):
            return [Span(start, start + len(adapted)) for start in at], False
    return (find_relaxed(text, needle), True) if relax else ([], False)


def replace_spans(document: Document, spans: list[Span], new: str) -> str:
    """The text with each span replaced; line ends of ``new`` become those of the lines around."""
    text, parts, at = document.text, [], 0
    for span in spans:
        parts += [text[at : span.start], adapt_newlines(new, _eol_near(document, span))]
        at = span.end
    return "".join([*parts, text[at:]])


def _eol_near(document: Document, span: Span) -> str:
    """The line end of the first replaced line, or the file's most common one."""
    line = document.index.line_of(span.start)
    return document.line_end(line) or document.dominant_eol

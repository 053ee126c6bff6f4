"""Write: create or overwrite a file (ED-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from caretgym.ide_sim.document import BinaryFileError, Document, Encoding, EncodingError
from caretgym.ide_sim.workspace import NotFound
from caretgym.tools.access import Edited, blocked, edited
from caretgym.tools.base import CallContext, Failure, Tool, ToolOutcome, failed, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class WriteArgs(msgspec.Struct, frozen=True):
    """``contents`` is the whole new text."""

    path: str
    contents: str


class Written(Edited, frozen=True):
    """See :class:`Edited`."""


class NotEncodable(Failure, frozen=True):
    """The file's encoding lacks a character of the text."""

    path: str
    reason: str


class Write(Tool[WriteArgs]):
    """Overwrites. An existing file keeps its encoding and byte order mark; line ends are those of ``contents``."""

    name = "Write"
    Args = WriteArgs

    def edits(self, args: WriteArgs) -> str | None:
        """See :class:`Tool`."""
        return args.path

    async def run(self, ide: IDE, args: WriteArgs, call: CallContext) -> ToolOutcome:
        """Write it."""
        stop = blocked(ide, args.path, call)
        if stop is not None:
            return stop
        before: str | None
        encoding = Encoding.UTF8
        try:
            old = ide.workspace.read_document(args.path)
            before, encoding = old.text, old.encoding
        except NotFound:
            before = None
        except BinaryFileError:
            before = ""  # overwriting a binary file with text is what was asked for
        if encoding in (Encoding.CP1252, Encoding.LATIN1) and not args.contents.isascii():
            encoding = _keep_or_utf8(args.contents, encoding)
        try:
            ide.workspace.write_document(args.path, Document(args.contents, encoding))
        except EncodingError as error:
            return failed(NotEncodable(args.path, str(error)))
        record = edited(ide, args.path, before, args.contents)
        return success(Written(**msgspec.structs.asdict(record)))


def _keep_or_utf8(text: str, encoding: Encoding) -> Encoding:
    """A whole new text may bring its encoding along when the old one can't hold it."""
    try:
        text.encode(encoding.value)
    except UnicodeEncodeError:
        return Encoding.UTF8
    return encoding

"""Delete: remove one file (DL-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from caretgym.tools.access import blocked
from caretgym.tools.base import CallContext, Data, Tool, ToolOutcome, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class DeleteArgs(msgspec.Struct, frozen=True):
    """``path`` is a file or a link, never a directory."""

    path: str


class Deleted(Data, frozen=True):
    """What was removed (wire: success{deleted_file, file_size, prev_content}); binary content is not repeated."""

    path: str
    file_size: int
    prev_content: str | None


class Delete(Tool[DeleteArgs]):
    """Fails softly: a missing file is an error result."""

    name = "Delete"
    Args = DeleteArgs

    async def run(self, ide: IDE, args: DeleteArgs, call: CallContext) -> ToolOutcome:
        """Remove it."""
        stop = blocked(ide, args.path, call)
        if stop is not None:
            return stop
        before = ide.workspace.delete(args.path)
        try:
            text: str | None = before.decode()
        except UnicodeDecodeError:
            text = None
        return success(Deleted(args.path, len(before), text))

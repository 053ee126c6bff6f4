"""What the editing tools share: ignore rules, and turning an edit into a record (ED-5, ED-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caretgym.ide_sim.workspace import IgnoreRules
from caretgym.tools.base import CallContext, Data, ToolOutcome, failed
from caretgym.tools.diff import unified
from caretgym.tools.failures import Blocked

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class Edited(Data, frozen=True):
    """A file as it is after an edit (wire: EditSuccess, ED-8). ``before`` is None for a new file."""

    path: str
    lines_added: int
    lines_removed: int
    diff: str
    before: str | None
    after: str
    replacements: int = 0
    relaxed: bool = False
    """Whether the text was found only after relaxing white space (ED-3)."""


def blocked(ide: IDE, path: str, call: CallContext) -> ToolOutcome | None:
    """Return the failure if an ignore rule forbids touching the path (ED-5)."""
    rules: IgnoreRules = ide.workspace.ignore
    if rules.global_patterns != call.global_ignore:
        rules.set_global(call.global_ignore)
    match = rules.blocked(ide.workspace.relative(path))
    return failed(Blocked(ide.workspace.display(path), match.source)) if match is not None else None


def edited(
    ide: IDE, path: str, before: str | None, after: str, *, replacements: int = 0, relaxed: bool = False
) -> Edited:
    """Build the record and tell the editor."""
    relative = ide.workspace.relative(path)
    diff = unified(before, after, relative)
    ide.editor.edited(relative, lines_added=diff.added, lines_removed=diff.removed)
    return Edited(path, diff.added, diff.removed, diff.text, before, after, replacements, relaxed)

"""Lints that an edit brought, for profiles that name them in the edit's result (ED-7)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from caretgym.ide_sim.lsp.records import LintReport
from caretgym.tools.read_lints import ShownLint, shown

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

_WORTH = ("error", "warning")
_LISTED = 20


async def lints_before(ide: IDE, path: str) -> list[LintReport]:
    """What is known of a file before it is edited; nothing for a new one."""
    relative = ide.workspace.relative(path)
    if not ide.workspace.exists(path) or not ide.language.specs_for(relative):
        return []
    return await ide.language.lints([relative])


async def new_lints(ide: IDE, path: str, before: list[LintReport]) -> str:
    """The note for the result; empty where the edit brought nothing, or nothing is known."""
    relative = ide.workspace.relative(path)
    if not ide.language.specs_for(relative):
        return ""
    after = await ide.language.lints([relative])
    silent = [report for report in after if not report.answered and report.state != "unsupported"]
    if silent:
        return f"\n\nLinter errors after this edit are not known: {silent[0].detail}"
    known = Counter(_same(item) for report in before for item in shown(report))
    fresh = []
    for item in (item for report in after for item in shown(report) if item.severity in _WORTH):
        if known[_same(item)] > 0:
            known[_same(item)] -= 1
        else:
            fresh.append(item)
    if not fresh:
        return ""
    lines = [f"Line {item.line}: {item.message}" for item in fresh[:_LISTED]]
    if len(fresh) > _LISTED:
        lines.append(f"... and {len(fresh) - _LISTED} more")
    return "\n\nThe edit introduced the following new linter errors:\n" + "\n".join(lines)


def _same(item: ShownLint) -> bytes:
    """What an unchanged lint keeps when lines move."""
    return msgspec.json.encode((item.message, item.severity, item.code, item.server))

"""ReadLints: what the editor's language servers say of files (RL-1, RL-2, RL-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from caretgym.ide_sim.lsp.records import SEVERITIES, LintReport, LintState
from caretgym.ide_sim.workspace import NotFound
from caretgym.tools.base import CallContext, Data, Tool, ToolOutcome, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class ReadLintsArgs(msgspec.Struct, frozen=True):
    """``paths``: files and directories; none: the whole workspace."""

    paths: list[str] | None = None


class ShownLint(msgspec.Struct, frozen=True):
    """One lint. Lines and columns from 1, columns in UTF-16 units."""

    line: int
    column: int
    severity: str
    message: str
    source: str
    code: str
    server: str


class FileLints(msgspec.Struct, frozen=True):
    """The lints of one file, by place."""

    path: str
    items: tuple[ShownLint, ...]


class Unchecked(msgspec.Struct, frozen=True):
    """A file of which a server (empty: no server) said nothing, and why."""

    path: str
    server: str
    state: LintState
    detail: str


class Lints(Data, frozen=True):
    """Lints of all files asked for.

    ``checked`` counts files of which at least one server answered; ``files`` are those with lints; of ``unchecked`` nothing
    is known. ``more`` counts files that were left out because there are too many.
    """

    checked: int
    files: tuple[FileLints, ...]
    unchecked: tuple[Unchecked, ...]
    more: int = 0

    @property
    def count(self) -> int:
        """How many lints there are."""
        return sum(len(file.items) for file in self.files)


class ReadLints(Tool[ReadLintsArgs]):
    """Asks for the text as the editor has it. Limit ``files``: how many are looked at in one call."""

    name = "ReadLints"
    readonly = True
    Args = ReadLintsArgs

    async def run(self, ide: IDE, args: ReadLintsArgs, call: CallContext) -> ToolOutcome:
        """Ask."""
        ide.sync()
        paths: dict[str, None] = {}
        named = args.paths or ["."]
        for name in named:
            relative = ide.workspace.relative(name)
            if not relative or ide.workspace.stat(name).kind == "directory":
                paths.update(dict.fromkeys(ide.language.files_below(ide.workspace.display(name))))
            elif not ide.workspace.exists(name):
                raise NotFound(name)
            else:
                paths[relative] = None
        limit = call.limits.get("files", 1000)
        chosen = list(paths)[:limit]
        return success(summarize(await ide.language.lints(chosen), len(paths) - len(chosen)))


def summarize(reports: list[LintReport], more: int = 0) -> Lints:
    """Put reports together by file."""
    items: dict[str, list[ShownLint]] = {}
    unchecked = []
    checked = set()
    for report in reports:
        if not report.answered:
            unchecked.append(Unchecked(report.path, report.server, report.state, report.detail))
            continue
        checked.add(report.path)
        items.setdefault(report.path, []).extend(shown(report))
    files = tuple(
        FileLints(path, tuple(sorted(found, key=lambda i: (i.line, i.column))))
        for path, found in sorted(items.items())
        if found
    )
    return Lints(len(checked), files, tuple(unchecked), more)


def shown(report: LintReport) -> list[ShownLint]:
    """The items of a report as a person reads them."""
    return [
        ShownLint(i.line + 1, i.character + 1, SEVERITIES[i.severity - 1], i.message, i.source, i.code, report.server)
        for i in report.items
    ]

"""Glob: find files by name, newest first (GL-1)."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

import msgspec

from caretgym.ide_sim.workspace import NotDirectory, WorkspaceError, visible
from caretgym.tools.base import CallContext, Data, Tool, ToolOutcome, failed, success
from caretgym.tools.grep import BadRegex, SearchError
from caretgym.tools.ripgrep import SearchFailed, decode_path, ripgrep

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class GlobArgs(msgspec.Struct, frozen=True):
    """``**/`` is put in front of a pattern that does not begin with it."""

    glob_pattern: str
    target_directory: str | None = None


class GlobResult(Data, frozen=True):
    """Absolute paths, newest first, those of one time by name; ``total`` counts all."""

    directory: str
    total: int
    paths: tuple[str, ...]


class Glob(Tool[GlobArgs]):
    """Limit ``files``: paths that a result lists at most."""

    name = "Glob"
    readonly = True
    Args = GlobArgs

    async def run(self, ide: IDE, args: GlobArgs, call: CallContext) -> ToolOutcome:
        """Find."""
        workspace, path = ide.read_roots(args.target_directory or ide.workspace.root)
        if workspace.stat(path).kind != "directory":
            raise NotDirectory(args.target_directory or path)
        directory = workspace.display(path)
        pattern = args.glob_pattern.removeprefix("./").lstrip("/")
        if not pattern.startswith("**/"):
            pattern = f"**/{pattern}"
        try:
            found = await ripgrep(
                ide, ["--files", "--null", "--hidden", "--glob=!.git", f"--glob={pattern}", "./"], directory
            )
        except SearchFailed as error:
            return failed(SearchError(str(error)))
        if found.exit_code not in (0, 1) and b"\0" not in found.output:
            return failed(BadRegex(found.output.decode("utf-8", "replace").strip().removeprefix("rg: ")))
        entries = []
        for raw in found.output.split(b"\0"):
            if not raw:
                continue
            full = posixpath.join(directory, decode_path(raw))
            if workspace is ide.workspace and workspace.ignore.blocked(workspace.relative(full)) is not None:
                continue
            try:
                entries.append((-workspace.lstat(full).mtime_ns, full))
            except WorkspaceError:
                continue  # gone since ripgrep saw it
        entries.sort()
        most = call.limits.get("files", 1000)
        shown = tuple(visible(path) for _, path in entries[:most])
        return success(GlobResult(directory, len(entries), shown))

"""LS: a directory as a tree, as much of it as fits (LS-1)."""

from __future__ import annotations

import posixpath
from collections import Counter, deque
from typing import TYPE_CHECKING

import msgspec
import pathspec

from caretgym.ide_sim.workspace import NotDirectory, Workspace, WorkspaceError, visible
from caretgym.tools.base import CallContext, Data, Tool, ToolOutcome, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

_COUNTED = 50_000


class LSArgs(msgspec.Struct, frozen=True):
    """``ignore_globs``: ``**/`` is put in front of each that lacks it."""

    target_directory: str
    ignore_globs: list[str] = []


class Node(msgspec.Struct, frozen=True):
    """One entry. ``children`` is None for a file, and for a directory that was not opened: that has counts."""

    name: str
    is_dir: bool
    children: tuple[Node, ...] | None = None
    files: int = 0
    extensions: tuple[tuple[str, int], ...] = ()


class Listing(Data, frozen=True):
    """The tree below ``path``."""

    path: str
    root: Node


class LS(Tool[LSArgs]):
    """Opens directories breadth first until the text would pass the limit ``characters`` (LS-1)."""

    name = "LS"
    readonly = True
    Args = LSArgs

    async def run(self, ide: IDE, args: LSArgs, call: CallContext) -> ToolOutcome:
        """List."""
        workspace, path = ide.read_roots(args.target_directory)
        if workspace.stat(path).kind != "directory":
            raise NotDirectory(args.target_directory)
        globs = [g if g.startswith("**/") else f"**/{g}" for g in args.ignore_globs]
        spec = pathspec.GitIgnoreSpec.from_lines(globs) if globs else None
        builder = _Builder(workspace, spec, call.limits.get("characters", 10_000))
        start = workspace.relative(path)
        return success(Listing(workspace.display(path), builder.build(start)))


class _Builder:
    def __init__(self, workspace: Workspace, spec: pathspec.GitIgnoreSpec | None, budget: int) -> None:
        self._workspace, self._spec, self._budget = workspace, spec, budget
        self._opened: dict[str, list[tuple[str, bool]]] = {}

    def build(self, start: str) -> Node:
        """Decide which directories are opened, breadth first, then make the nodes."""
        used = 0
        queue = deque([(start, 0)])
        while queue:
            path, depth = queue.popleft()
            entries = self._entries(path)
            cost = sum(len(name) + 4 + 2 * (depth + 1) for name, _ in entries)
            if used + cost > self._budget and path != start:
                continue
            used += cost
            self._opened[path] = entries
            queue.extend((posixpath.join(path, name), depth + 1) for name, is_dir in entries if is_dir)
        return self._node(start, posixpath.basename(start))

    def _entries(self, path: str) -> list[tuple[str, bool]]:
        out = []
        try:
            found = self._workspace.scandir(f"{self._workspace.root.rstrip('/')}/{path}")
        except WorkspaceError:
            return []
        for entry in found:
            inside = posixpath.join(path, entry.name)
            is_dir = entry.kind == "directory"
            if entry.name.startswith(".") or (self._spec is not None and self._spec.match_file(inside + "/" * is_dir)):
                continue
            out.append((entry.name, is_dir))
        return out

    def _node(self, path: str, name: str) -> Node:
        shown = visible(name)
        entries = self._opened.get(path)
        if entries is None:
            return self._closed(path, shown)
        children = tuple(
            self._node(posixpath.join(path, child), child) if is_dir
            else Node(visible(child), False)
            for child, is_dir in sorted(entries, key=lambda e: (not e[1], e[0]))
        )  # fmt: skip
        return Node(shown, True, children)

    def _closed(self, path: str, name: str) -> Node:
        counts: Counter[str] = Counter()
        total = 0
        queue = [path]
        while queue and total < _COUNTED:
            here = queue.pop()
            for child, is_dir in self._entries(here):
                if is_dir:
                    queue.append(posixpath.join(here, child))
                else:
                    total += 1
                    extension = posixpath.splitext(child)[1]
                    if extension:
                        counts[extension] += 1
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return Node(name, True, None, total, tuple(ordered))

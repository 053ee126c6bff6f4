"""What one session's tree looks like to a language server: the difference from the base tree, unsaved buffers included."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from caretgym.ide_sim.workspace import FileChange, Workspace, WorkspaceError

DERIVED = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".git"})
"""Folders that programs fill for themselves. No server's answer depends on them, and no two runs leave the same there."""


class Entry(NamedTuple):
    """A file by the SHA-256 of its contents, or a symbolic link by where it points."""

    kind: Literal["file", "link"]
    value: str


@dataclass(frozen=True)
class View:
    """A difference from a base tree.

    Attributes:
        files: What is at a path; None: nothing, though the base has something there.
        fingerprint: Equal for equal differences.
        workspace: Where the contents are read from when they are needed.

    """

    files: Mapping[str, Entry | None]
    fingerprint: str
    workspace: Workspace

    def content(self, path: str) -> bytes | None:
        """What a file of the difference holds now; None: it is gone meanwhile, or can't be read."""
        document = self.workspace.documents.get(path)
        try:
            if document is not None and self.workspace.is_dirty(path):
                return document.to_bytes()
            return self.workspace.read_bytes(path)
        except (WorkspaceError, ValueError):
            return None


class ViewKeeper:
    """Keeps a session's difference up to date from the workspace's change events.

    Args:
        workspace: The session's.
        base: The read-only tree below it.

    """

    def __init__(self, workspace: Workspace, base: Path) -> None:
        self._workspace, self._base = workspace, base
        self._files: dict[str, Entry | None] = {}
        self._view: View | None = None
        self._buffers: dict[str, int] = {}
        self._stop = workspace.subscribe(self._changed)

    def close(self) -> None:
        """Listen no more."""
        self._stop()

    def _changed(self, change: FileChange) -> None:
        if not DERIVED.isdisjoint(change.path.split("/")):
            return
        self._view = None
        entry = self._entry(change)
        if entry == self._base_entry(change.path):
            self._files.pop(change.path, None)
        else:
            self._files[change.path] = entry

    def _entry(self, change: FileChange) -> Entry | None:
        if change.kind == "deleted":
            return None
        if change.after is not None:
            return Entry("file", hashlib.sha256(change.after).hexdigest())
        try:  # a link, or too large to be reported with its contents
            if self._workspace.lstat(change.path).kind == "symlink":
                fd = self._workspace.open_fd(change.path, os.O_PATH | os.O_NOFOLLOW)
                try:
                    return Entry("link", os.readlink("", dir_fd=fd))
                finally:
                    os.close(fd)
            return Entry("file", hashlib.sha256(self._workspace.read_bytes(change.path)).hexdigest())
        except (WorkspaceError, OSError):
            return None  # gone meanwhile, or closed to us: a server could not read it either

    def _base_entry(self, path: str) -> Entry | None:
        return base_entry(self._base, path)

    def view(self) -> View:
        """The difference now."""
        buffers = {
            path: document.version
            for path, document in self._workspace.documents.items()
            if self._workspace.is_dirty(path)
        }
        if self._view is None or buffers != self._buffers:
            self._buffers = buffers
            files = dict(self._files)
            for path in buffers:
                data = View({}, "", self._workspace).content(path)
                if data is not None:
                    files[path] = Entry("file", hashlib.sha256(data).hexdigest())
            self._view = View(files, fingerprint(files), self._workspace)
        return self._view


def fingerprint(files: Mapping[str, Entry | None]) -> str:
    """A digest of a difference; empty for none."""
    if not files:
        return ""
    digest = hashlib.sha256()
    for path in sorted(files):
        entry = files[path]
        kind, value = entry if entry is not None else ("gone", "")
        digest.update(f"{path}\0{kind}\0{value}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def base_entry(base: Path, path: str) -> Entry | None:
    """What a base tree has at a path."""
    file = base / path
    try:
        if file.is_symlink():
            return Entry("link", os.readlink(file))
        if file.is_file():
            return Entry("file", hashlib.sha256(file.read_bytes()).hexdigest())
    except OSError:
        return None
    return None

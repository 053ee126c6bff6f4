"""The tree that a server sees, moved from one session's view to the next."""

import hashlib
import os
from pathlib import Path

from caretgym.ide_sim.lsp.view import Entry, View, base_entry
from caretgym.ide_sim.workspace import Workspace, WorkspaceError


class ServerTree:
    """A writable tree over the same base as the sessions'.

    Args:
        workspace: The server's own, of its sandbox.
        base: The read-only tree below it.

    """

    def __init__(self, workspace: Workspace, base: Path) -> None:
        self._workspace, self._base = workspace, base
        self._files: dict[str, Entry | None] = {}

    def move_to(self, view: View) -> list[tuple[str, str]]:
        """Make the tree look like a view; returns what changed as (path, created | changed | deleted), by path.

        Raises:
            WorkspaceError: the tree can't take it (it is full). It is between two views then.

        """
        todo: list[tuple[str, Entry | None, Entry | None]] = []
        for path in sorted({*self._files, *view.files}):
            if path in self._files and path in view.files and self._files[path] == view.files[path]:
                continue
            have = self._files[path] if path in self._files else base_entry(self._base, path)
            want = view.files[path] if path in view.files else base_entry(self._base, path)
            if have != want:
                todo.append((path, have, want))
            elif path in view.files:
                self._files[path] = want
            else:
                self._files.pop(path, None)
        changes = []
        for path, have, want in todo:  # what goes makes room first: a directory may come where a file was
            if have is not None and (want is None or "link" in (have.kind, want.kind)):
                self._remove(path, view)
                if want is None:
                    self._note(path, None, view)
                    changes.append((path, "deleted"))
        for path, have, want in todo:
            if want is not None:
                changes.append((path, self._put(path, have, want, view)))
        return sorted(changes)

    def _note(self, path: str, entry: Entry | None, view: View) -> None:
        if path in view.files:
            self._files[path] = entry
        else:
            self._files.pop(path, None)

    def _put(self, path: str, have: Entry | None, want: Entry, view: View) -> str:
        if want.kind == "link":
            self._workspace.symlink(path, want.value)
            self._note(path, want, view)
        else:
            data = view.content(path) if path in view.files else (self._base / path).read_bytes()
            if data is None:  # gone since the view was made; the next view knows
                if have is not None and have.kind == "file":
                    self._remove(path, view)
                self._note(path, None, view)
                return "deleted"
            self._workspace.write_bytes(path, data)
            self._note(path, Entry("file", hashlib.sha256(data).hexdigest()), view)
        return "created" if have is None else "changed"

    def _remove(self, path: str, view: View) -> None:
        try:
            self._workspace.delete(path)
        except WorkspaceError:
            if self._workspace.exists(path):
                raise
        parent = os.path.dirname(path)
        while parent and not _is_directory(view.workspace, parent) and self._workspace.remove_empty(parent):
            parent = os.path.dirname(parent)  # else a namespace package would be left that the session doesn't have


def _is_directory(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.lstat(path).kind == "directory"
    except WorkspaceError:
        return False

"""What changed in a sandbox's tree, read from the overlay's upper layer.

The upper layer holds exactly what differs from the base tree: new and changed files, a 0/0 character device where
something was deleted, and directories marked opaque where a whole one was replaced. So finding out what a shell command
did costs a walk over what changed, not over the repository. Git's own database (``.git``) is not reported.
"""

import contextlib
import os
import stat as modes
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from caretgym.ide_sim.workspace import FileChange, Workspace, WorkspaceError

MAX_CONTENT = 4 << 20
"""Files larger than this are reported without their contents."""
_MAX_REMEMBERED = 32 << 20
_OPAQUE = "user.overlay.opaque"
_SKIPPED = ".git"


class _Signature(NamedTuple):
    kind: int
    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class ChangeScanner:
    """Reports what changed since the last look.

    Args:
        upper_fd: A handle on the upper layer (borrowed).
        base: The read-only tree below it.
        workspace: The merged view, for contents.

    """

    def __init__(self, upper_fd: int, base: Path, workspace: Workspace) -> None:
        self._upper, self._base, self._workspace = upper_fd, base, workspace
        self._known: dict[str, _Signature | None] = {}
        self._contents: dict[str, bytes] = {}
        self._remembered = 0

    def note(self, change: FileChange) -> None:
        """Somebody else has reported this change: it is not news."""
        self._known[change.path] = self._look(change.path)
        self._remember(change.path, change.after)

    def scan(self) -> list[FileChange]:
        """Changes since the last scan in path order, with origin ``shell``."""
        now: dict[str, _Signature | None] = {}
        self._walk(self._upper, "", now)
        changes = []
        for path in sorted({*now, *self._known}):
            if path in now:
                if path not in self._known or self._known[path] != now[path]:
                    change = self._changed(path, now[path])
                    if change is not None:
                        changes.append(change)
            elif self._known[path] is not None:
                changes.append(FileChange(path, "deleted", "shell", self._contents.pop(path, None), None))
        self._known = now
        return changes

    def _changed(self, path: str, signature: _Signature | None) -> FileChange | None:
        had = path in self._known
        existed = self._known[path] is not None if had else self._in_base(path)
        before = self._contents.get(path) if had else self._base_content(path)
        if signature is None:
            self._forget(path)
            return FileChange(path, "deleted", "shell", before, None) if existed else None
        after = self._content(path, signature)
        self._remember(path, after)
        if existed and before is not None and before == after and self._same_mode(path, signature, had):
            return None  # touched, or copied up without a change
        return FileChange(path, "changed" if existed else "created", "shell", before, after)

    def _in_base(self, path: str) -> bool:
        """Whether the base tree has a file or link there; a directory is none."""
        file = self._base / path
        return os.path.lexists(file) and (file.is_symlink() or not file.is_dir())

    def _same_mode(self, path: str, signature: _Signature, had: bool) -> bool:
        known = self._known.get(path)
        if had and known is not None:
            return known.mode == signature.mode
        return modes.S_IMODE(os.lstat(self._base / path).st_mode) == signature.mode

    # -- contents -----------------------------------------------------------------------------------------------------
    def _content(self, path: str, signature: _Signature) -> bytes | None:
        if signature.kind != modes.S_IFREG or signature.size > MAX_CONTENT:
            return None
        try:
            return self._workspace.read_bytes(path, limit=MAX_CONTENT)
        except WorkspaceError:
            return None  # unreadable or gone again: reported without contents

    def _base_content(self, path: str) -> bytes | None:
        file = self._base / path
        with contextlib.suppress(OSError):
            if modes.S_ISREG(os.lstat(file).st_mode) and os.lstat(file).st_size <= MAX_CONTENT:
                return file.read_bytes()
        return None

    def _remember(self, path: str, data: bytes | None) -> None:
        self._forget(path)
        if data is not None and self._remembered + len(data) <= _MAX_REMEMBERED:
            self._contents[path] = data
            self._remembered += len(data)

    def _forget(self, path: str) -> None:
        old = self._contents.pop(path, None)
        if old is not None:
            self._remembered -= len(old)

    # -- the upper layer ----------------------------------------------------------------------------------------------
    def _look(self, path: str) -> _Signature | None:
        try:
            status = os.stat(path, dir_fd=self._upper, follow_symlinks=False)
        except OSError:
            return None
        return None if _is_whiteout(status) else _signature(status)

    def _walk(self, fd: int, prefix: str, now: dict[str, _Signature | None]) -> None:
        with os.scandir(fd) as entries:
            found = sorted(entries, key=lambda e: e.name)
        for entry in found:
            path = f"{prefix}{entry.name}"
            if entry.name == _SKIPPED:
                continue
            try:
                status = entry.stat(follow_symlinks=False)
                if _is_whiteout(status):
                    for gone in self._base_files(path):
                        now.setdefault(gone, None)
                elif modes.S_ISDIR(status.st_mode):
                    self._walk_directory(fd, entry.name, path, now)
                elif modes.S_ISREG(status.st_mode) or modes.S_ISLNK(status.st_mode):
                    now[path] = _signature(status)
                    if (self._base / path).is_dir() and not (self._base / path).is_symlink():
                        for gone in self._base_files(path):
                            now.setdefault(gone, None)
            except FileNotFoundError:
                continue  # went away between listing and looking

    def _walk_directory(self, parent: int, name: str, path: str, now: dict[str, _Signature | None]) -> None:
        try:
            child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        except PermissionError:
            return  # the agent took its own right to read away; its contents are reported when it is given back
        try:
            self._walk(child, path + "/", now)
            if self._opaque(child):
                for gone in self._base_files(path):
                    if gone not in now:
                        now[gone] = None
        finally:
            os.close(child)

    @staticmethod
    def _opaque(fd: int) -> bool:
        try:
            return os.getxattr(fd, _OPAQUE) == b"y"
        except OSError:
            return False

    def _base_files(self, path: str) -> Iterator[str]:
        start = self._base / path
        if start.is_symlink() or not start.is_dir():
            if os.path.lexists(start):
                yield path
            return
        for folder, names, files in os.walk(start):
            names[:] = sorted(n for n in names if n != _SKIPPED)
            links = [n for n in names if os.path.islink(os.path.join(folder, n))]
            for name in sorted([*files, *links]):
                yield os.path.relpath(os.path.join(folder, name), self._base)


def _is_whiteout(status: os.stat_result) -> bool:
    return modes.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _signature(status: os.stat_result) -> _Signature:
    return _Signature(
        modes.S_IFMT(status.st_mode), modes.S_IMODE(status.st_mode), status.st_size, status.st_mtime_ns,
        status.st_ctime_ns, status.st_ino,
    )  # fmt: skip

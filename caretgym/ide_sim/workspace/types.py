"""What the workspace says about files and their changes."""

import os
import stat as modes
from dataclasses import dataclass
from typing import Literal, NamedTuple

FileKind = Literal["file", "directory", "symlink", "other"]
"""`other`: a device, FIFO or socket."""
ChangeKind = Literal["created", "changed", "deleted"]
Origin = Literal["tool", "shell", "user"]


def kind_of(mode: int) -> FileKind:
    """The kind of a file with this `st_mode`."""
    if modes.S_ISREG(mode):
        return "file"
    if modes.S_ISDIR(mode):
        return "directory"
    return "symlink" if modes.S_ISLNK(mode) else "other"


class FileStat(NamedTuple):
    """Status of one file. `size` in bytes, `mtime_ns` since the epoch, `mode` the permission bits."""

    kind: FileKind
    size: int
    mtime_ns: int
    mode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileStat":
        """From the system's own record."""
        return cls(kind_of(status.st_mode), status.st_size, status.st_mtime_ns, modes.S_IMODE(status.st_mode))


class DirEntry(NamedTuple):
    """One name in a directory; links are not followed. Undecodable bytes in `name` are surrogates (`visible` shows them)."""

    name: str
    kind: FileKind
    size: int
    mtime_ns: int


class WalkEntry(NamedTuple):
    """One file or directory below the start of a walk; `path` is relative to the workspace."""

    path: str
    kind: FileKind
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that changed. `path` is relative to the workspace.

    `before`/`after` are the contents; None where there is none (created, deleted) or where they are not known: too
    large, not readable, or a symbolic link.
    """

    path: str
    kind: ChangeKind
    origin: Origin
    before: bytes | None = None
    after: bytes | None = None

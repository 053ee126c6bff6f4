"""Typed failures of file access; every message names the path as the agent sees it, never a host path."""

import errno

from caretgym.ide_sim.workspace.names import shorten, visible


class WorkspaceError(Exception):
    """A file operation that was refused or failed. `path` is the path that the agent sees."""

    reason = "the file operation failed"

    def __init__(self, path: str, reason: str | None = None) -> None:
        self.path = visible(path)
        self.detail = reason or self.reason
        super().__init__(f"{shorten(self.path)}: {self.detail}")


class InvalidPath(WorkspaceError):
    """No file can have this path: NUL, too long, not encodable, or a loop of symbolic links."""

    reason = "the path is not valid"


class OutsideWorkspace(WorkspaceError):
    """The path, or a symbolic link on it, leads out of the tree."""

    reason = "the path is outside the workspace"


class NotFound(WorkspaceError):
    """Nothing there (also a symbolic link whose target is missing)."""

    reason = "no such file or directory"


class NotDirectory(NotFound):
    """A part of the path that has to be a directory is something else."""

    reason = "not a directory"


class IsDirectory(WorkspaceError):
    """A directory where a file is meant."""

    reason = "is a directory"


class NotRegular(WorkspaceError):
    """A device, FIFO or socket: these are never opened for their contents."""

    reason = "not a regular file"


class PermissionDenied(WorkspaceError):
    """The file system refuses. `read_only`: no permission bit would help, the tree or its file system is read-only."""

    reason = "permission denied"

    def __init__(self, path: str, reason: str | None = None, *, read_only: bool = False) -> None:
        self.read_only = read_only
        super().__init__(path, reason or ("the file system is read-only" if read_only else None))


class NoSpace(WorkspaceError):
    """The disk, a quota or the file size limit is used up; the old contents are still there."""

    reason = "no space left on device"


class TooLarge(WorkspaceError):
    """The file is larger than the caller allows. `size` and `limit` are bytes."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        self.size = size
        self.limit = limit
        super().__init__(path, f"the file has {size} bytes, at most {limit} are read")


_BY_ERRNO: dict[int, type[WorkspaceError]] = {
    errno.ENOENT: NotFound,
    errno.ENOTDIR: NotDirectory,
    errno.EISDIR: IsDirectory,
    errno.ENXIO: NotRegular,
    errno.ENODEV: NotRegular,
    errno.ENOSPC: NoSpace,
    errno.EDQUOT: NoSpace,
    errno.EFBIG: NoSpace,
    errno.EXDEV: OutsideWorkspace,
}


def translate(error: OSError, path: str) -> WorkspaceError:
    """The typed form of an OS error for the agent-visible `path`; the OS message stays as the reason where it adds one."""
    code = error.errno or 0
    if code in (errno.EACCES, errno.EPERM):
        return PermissionDenied(path)
    if code == errno.EROFS:
        return PermissionDenied(path, read_only=True)
    if code == errno.ENAMETOOLONG:
        return InvalidPath(path, "the path or one of its names is too long")
    if code == errno.ELOOP:
        return InvalidPath(path, "too many levels of symbolic links")
    if code in (errno.EILSEQ, errno.EINVAL):
        return InvalidPath(path, "the file system does not accept this path")
    if code == errno.EAGAIN:
        return WorkspaceError(path, "the path kept changing while it was being opened")
    known = _BY_ERRNO.get(code)
    return known(path) if known is not None else WorkspaceError(path, (error.strerror or "input/output error").lower())

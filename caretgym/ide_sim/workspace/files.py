"""Reading, writing, deleting and listing files of a tree; raises plain OSError like the tree itself."""

import errno
import os
import secrets
import stat
from contextlib import ExitStack, suppress
from typing import NamedTuple

from caretgym.ide_sim.workspace.tree import MAX_LINKS, Tree
from caretgym.ide_sim.workspace.types import DirEntry, kind_of

FILE_MODE = 0o644
DIRECTORY_MODE = 0o755
_CHUNK = 1 << 20


class NotRegularFile(OSError):
    """A device, FIFO or socket where a file is meant."""


class FileTooLarge(OSError):
    """More than the allowed number of bytes; `size` is what the file has at least."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(errno.EFBIG, os.strerror(errno.EFBIG))


def require_regular(mode: int) -> None:
    """Raise for anything but a regular file."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise NotRegularFile(errno.ENXIO, os.strerror(errno.ENXIO))


def read(tree: Tree, path: str, limit: int) -> bytes:
    """The contents of a regular file of at most `limit` bytes (FileTooLarge otherwise)."""
    # Looked at before it is opened: opening a FIFO, even without waiting, wakes up whoever writes to it.
    require_regular(tree.stat(path).st_mode)
    fd = tree.open(path, os.O_RDONLY)
    try:
        status = os.fstat(fd)
        require_regular(status.st_mode)
        if status.st_size > limit:
            raise FileTooLarge(status.st_size)
        data = os.read(fd, status.st_size + 1)
        if len(data) == status.st_size and data:  # a short read of a regular file is its end
            return data
        return _read_rest(fd, data, limit)
    finally:
        os.close(fd)


def _read_rest(fd: int, data: bytes, limit: int) -> bytes:
    """For files whose size lies (/proc, a file that grows): read on to the end."""
    parts, total = [data], len(data)
    while parts[-1]:
        if total > limit:
            raise FileTooLarge(total)
        parts.append(os.read(fd, min(_CHUNK, limit + 1 - total)))
        total += len(parts[-1])
    return b"".join(parts)


class Place(NamedTuple):
    """A name in an open directory: where a file is or will be, links resolved."""

    directory: int
    name: str
    status: os.stat_result | None


def locate(tree: Tree, path: str, stack: ExitStack, *, create_parents: bool, follow: bool) -> Place:
    """Find the directory entry behind `path`; a link as last name is followed when `follow`. `stack` owns descriptors."""
    if not path:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    for _ in range(MAX_LINKS):
        head, _slash, name = path.rpartition("/")
        directory = _open_parent(tree, head, stack, create=create_parents)
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return Place(directory, name, None)
        if not (follow and stat.S_ISLNK(status.st_mode)):
            return Place(directory, name, status)
        path = tree.resolve(path)
        if not path:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _open_parent(tree: Tree, head: str, stack: ExitStack, *, create: bool) -> int:
    missing: list[str] = []
    while True:
        try:
            fd = tree.open(head, os.O_PATH | os.O_DIRECTORY)
            break
        except FileNotFoundError:
            if not create or not head:
                raise
            head, _, name = head.rpartition("/")
            missing.append(name)
    stack.callback(os.close, fd)
    for name in reversed(missing):
        fd = _make_directory(fd, name, stack)
    return fd


def _make_directory(parent: int, name: str, stack: ExitStack) -> int:
    """Make `name` and return a descriptor; `stack` closes it, and removes the directory again if it is left by an error."""
    with suppress(FileExistsError):  # somebody else was faster, or it is a link that leads nowhere: opening tells
        os.mkdir(name, DIRECTORY_MODE, dir_fd=parent)
        stack.push(lambda kind, _error, _trace: _remove_directory(parent, name) if kind else None)
    child = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    stack.callback(os.close, child)
    os.fchmod(child, DIRECTORY_MODE)  # whatever the umask of this process is
    return child


def _remove_directory(parent: int, name: str) -> None:
    with suppress(OSError):  # filled by somebody else meanwhile: then it has to stay
        os.rmdir(name, dir_fd=parent)


def write(tree: Tree, path: str, data: bytes) -> None:
    """Replace or create a file: a temporary sibling is written first and then renamed over the name.

    The mode of an existing file is kept, and its owner where the process may do that. On any failure the old file is
    as it was, and directories made for the new one are gone again.
    """
    with ExitStack() as stack:
        place = locate(tree, path, stack, create_parents=True, follow=True)
        if place.status is not None:
            require_regular(place.status.st_mode)
            _require_writable(place)
        temporary = f".{secrets.token_hex(8)}.caretgym-tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(temporary, flags, 0o600, dir_fd=place.directory)
        try:
            try:
                _write_all(fd, data)
                _take_over(fd, place.status)
            finally:
                os.close(fd)
            os.rename(temporary, place.name, src_dir_fd=place.directory, dst_dir_fd=place.directory)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=place.directory)
            raise


def _require_writable(place: Place) -> None:
    """A rename would replace a write-protected file without asking; an editor has to refuse."""
    try:
        os.close(
            os.open(place.name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place.directory)
        )
    except OSError as error:
        if error.errno != errno.ETXTBSY:  # a program that runs keeps its old file; the name gets the new one
            raise


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view[: 1 << 30]) :]


def _take_over(fd: int, old: os.stat_result | None) -> None:
    if old is None:
        os.fchmod(fd, FILE_MODE)
        return
    now = os.fstat(fd)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):  # only root may give files away; the contents matter more
            os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))  # after chown, which clears setuid bits


def delete(tree: Tree, path: str, limit: int) -> tuple[bytes, bool]:
    """Remove a regular file or a symbolic link; returns its contents or the link text, and whether it was a link."""
    with ExitStack() as stack:
        place = locate(tree, path, stack, create_parents=False, follow=False)
        if place.status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        link = stat.S_ISLNK(place.status.st_mode)
        if link:
            before = os.fsencode(os.readlink(place.name, dir_fd=place.directory))
        else:
            require_regular(place.status.st_mode)
            before = read(tree, path, limit)
        os.unlink(place.name, dir_fd=place.directory)
        return before, link


def link(tree: Tree, path: str, target: str) -> None:
    """Make a symbolic link where nothing is, parents included."""
    with ExitStack() as stack:
        place = locate(tree, path, stack, create_parents=True, follow=False)
        os.symlink(target, place.name, dir_fd=place.directory)


def remove_empty(tree: Tree, path: str) -> bool:
    """Remove a directory if it is there and empty; returns whether it was."""
    with ExitStack() as stack:
        try:
            place = locate(tree, path, stack, create_parents=False, follow=False)
            os.rmdir(place.name, dir_fd=place.directory)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.ENOTDIR, errno.EEXIST):
                return False
            raise
        return True


def scan(tree: Tree, path: str) -> list[DirEntry]:
    """The entries of a directory by name; those that vanish meanwhile are left out."""
    fd = tree.open(path, os.O_RDONLY | os.O_DIRECTORY)
    entries: list[DirEntry] = []
    try:
        with os.scandir(fd) as found:
            for entry in found:
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    entries.append(DirEntry(entry.name, kind_of(status.st_mode), status.st_size, status.st_mtime_ns))
    finally:
        os.close(fd)
    entries.sort()
    return entries

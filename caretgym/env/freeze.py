"""A copy of what the agent changed, as an overlay layer on this host, for a fresh sandbox to stack on the base tree."""

import os
import shutil
import stat as modes
from collections.abc import Iterable
from pathlib import Path

_OPAQUE = "user.overlay.opaque"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def freeze_upper(upper_fd: int, target: Path) -> None:
    """Copy an upper layer: files, links, whiteouts and opaque marks. Sockets, FIFOs and other devices are left out.

    Nothing may be writing to it. Links are copied as links; a hard link becomes a file of its own.
    """
    target.mkdir()
    _copy_directory(upper_fd, target)


def _copy_directory(source: int, target: Path) -> None:
    try:
        if os.getxattr(source, _OPAQUE) == b"y":
            os.setxattr(target, _OPAQUE, b"y")
    except OSError:
        pass  # most directories carry no mark
    with os.scandir(source) as entries:
        found = sorted(entries, key=lambda e: e.name)
    for entry in found:
        status = entry.stat(follow_symlinks=False)
        path = target / entry.name
        kind = modes.S_IFMT(status.st_mode)
        if kind == modes.S_IFDIR:
            path.mkdir()
            child = _open(entry.name, _DIRECTORY, source, 0o700)
            try:
                _copy_directory(child, path)
            finally:
                os.close(child)
            path.chmod(modes.S_IMODE(status.st_mode) | 0o700)
        elif kind == modes.S_IFREG:
            _copy_file(entry.name, source, path, status)
        elif kind == modes.S_IFLNK:
            path.symlink_to(os.readlink(entry.name, dir_fd=source))
        elif kind == modes.S_IFCHR and status.st_rdev == 0:
            os.mknod(path, modes.S_IFCHR, 0)  # a whiteout, which ordinary users may make too


def _open(name: str, flags: int, directory: int, needed: int) -> int:
    try:
        return os.open(name, flags, dir_fd=directory)
    except PermissionError:
        os.chmod(name, needed, dir_fd=directory)  # the agent took its own right to read away
        return os.open(name, flags, dir_fd=directory)


def _copy_file(name: str, source: int, path: Path, status: os.stat_result) -> None:
    fd = _open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, source, 0o600)
    with os.fdopen(fd, "rb") as reader, path.open("xb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
    path.chmod(modes.S_IMODE(status.st_mode) & 0o777)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def restore_paths(layer: Path, base: Path, names: Iterable[str]) -> None:
    """Make the given paths read as in the base tree, whatever the layer says of them."""
    for name in names:
        parent = layer
        for part in Path(name).parts[:-1]:
            parent = parent / part
            if os.path.lexists(parent) and (parent.is_symlink() or not parent.is_dir()):
                parent.unlink()  # a whiteout or something else where the base has a directory
                parent.mkdir()
                os.setxattr(parent, _OPAQUE, b"y")
            elif not parent.exists():
                if not (base / parent.relative_to(layer)).is_dir():
                    break
                parent.mkdir()
        else:
            _restore(layer / name, base / name)


def _restore(path: Path, original: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
    if original.is_symlink():
        path.symlink_to(original.readlink())
    elif original.is_dir():
        shutil.copytree(original, path, symlinks=True)
        os.setxattr(path, _OPAQUE, b"y")
    elif original.exists():
        shutil.copy2(original, path)

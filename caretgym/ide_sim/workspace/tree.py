"""A directory that nothing can leave: paths resolve beneath one descriptor, whatever happens to links meanwhile.

All functions take paths relative to the tree ("" is its root) and raise plain OSError; the caller names the path.
"""

import errno
import os
import stat
from collections import deque
from contextlib import suppress

from caretgym.ide_sim.workspace.names import absolute, below
from caretgym.ide_sim.workspace.openat2 import CONFINED, RESOLVE_NO_SYMLINKS, check_available, openat2

MAX_LINKS = 40
"""Symbolic links followed for one path, as in the kernel."""
_RETRIES = 32


class Tree:
    """The tree below a directory descriptor. `root` is where its inhabitants see it, for absolute symbolic links."""

    def __init__(self, handle: int | str | os.PathLike[str], root: str) -> None:
        if isinstance(handle, int):
            self.fd = os.dup(handle)
        else:
            self.fd = os.open(handle, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self.root = root
        try:
            check_available(self.fd)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the descriptor; later calls fail with EBADF. Closing twice is fine."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def open(self, path: str, flags: int, mode: int = 0) -> int:
        """Open beneath the tree, never blocking and never taking a controlling terminal.

        EXDEV: it leads outside. An absolute link that points below `root` is followed as its author meant it.
        """
        if not flags & os.O_PATH:
            flags |= os.O_NONBLOCK | os.O_NOCTTY
        try:
            return openat2(self.fd, os.fsencode(path) or b".", flags, mode=mode)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EAGAIN):
                raise
        for _ in range(_RETRIES):
            # The kernel cannot follow an absolute link here, so links are replaced by hand, then the result is opened
            # with links forbidden: a link put there in between makes this fail, not escape.
            with suppress(_Changed):
                plain = self.resolve(path, follow_last=not flags & os.O_NOFOLLOW)
                return self._open_plain(plain, flags, mode)
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def _open_plain(self, path: str, flags: int, mode: int = 0) -> int:
        try:
            return openat2(self.fd, os.fsencode(path) or b".", flags, mode=mode, resolve=CONFINED | RESOLVE_NO_SYMLINKS)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EAGAIN):
                raise _Changed(error.errno, os.strerror(error.errno)) from error
            raise

    def resolve(self, path: str, *, follow_last: bool = True) -> str:
        """`path` with every symbolic link replaced by its target; the last name may be missing.

        Raises EXDEV where a link leads outside, ELOOP beyond 40 links. The answer is only as good as the moment: open
        it with links forbidden.
        """
        done: list[str] = []
        todo = deque(name for name in path.split("/") if name)
        links = 0
        while todo:
            name = todo.popleft()
            if name in ("", "."):
                continue
            if name == "..":
                if not done:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                done.pop()  # `done` has no links, so this is the real parent
                continue
            here = "/".join([*done, name])
            target = self._link_target(here) if todo or follow_last else None
            if target is None:
                done.append(name)
                continue
            links += 1
            if links > MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            if target.startswith("/"):
                target, done = self._beneath(target), []
            todo.extendleft(reversed(target.split("/")))
        return "/".join(done)

    def _link_target(self, path: str) -> str | None:
        """Where the link `path` points, or None when it is no link. A missing file is no link."""
        try:
            fd = self._open_plain(path, os.O_PATH | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        try:
            if not stat.S_ISLNK(os.fstat(fd).st_mode):
                return None
            return os.readlink("", dir_fd=fd)
        finally:
            os.close(fd)

    def _beneath(self, target: str) -> str:
        """The part of an absolute link target below the visible root, its `..` kept for the walk; EXDEV elsewhere."""
        names = [name for name in target.split("/") if name not in ("", ".")]
        while names and names[0] == "..":  # the parent of / is /
            names.pop(0)
        root = [name for name in self.root.split("/") if name]
        if names[: len(root)] != root:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return "/".join(names[len(root) :])

    def stat(self, path: str, *, follow: bool = True) -> os.stat_result:
        """Status without opening the file for its contents: safe on FIFOs and devices."""
        fd = self.open(path, os.O_PATH | (0 if follow else os.O_NOFOLLOW))
        try:
            return os.fstat(fd)
        finally:
            os.close(fd)

    def relative(self, path: str) -> str | None:
        """An agent-visible path, absolute or relative, as a path of this tree; None outside. Text only."""
        return below(self.root, absolute(self.root, path))


class _Changed(OSError):
    """A link appeared where there was none a moment ago."""

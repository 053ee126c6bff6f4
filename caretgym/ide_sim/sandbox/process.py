"""A child process that is spawned quickly and awaited by its pidfd (asyncio's own takes a thread for each child)."""

import asyncio
import os
import signal
from collections.abc import Sequence


class Child:
    """A running child. Its standard input and output are ``/dev/null``, its standard error a pipe.

    Args:
        argv: Program (a path) and arguments.
        fds: Descriptors to pass on; they become 3, 4, … in the child.

    Raises:
        OSError: the program can't be run.

    """

    def __init__(self, argv: Sequence[str], fds: Sequence[int]) -> None:
        self._loop = asyncio.get_running_loop()
        self._stderr, stderr = os.pipe2(os.O_CLOEXEC)
        low = [os.dup(fd) for fd in fds]  # so that no source lies where another one is to go
        high = [fd if fd >= 3 + len(fds) else self._above(fd, 3 + len(fds)) for fd in low]
        try:
            self.pid = os.posix_spawn(
                argv[0],
                list(argv),
                {},
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, stderr, 2),
                    *((os.POSIX_SPAWN_DUP2, fd, 3 + number) for number, fd in enumerate(high)),
                ],
                setsigdef=[signal.SIGPIPE, signal.SIGINT],
            )
        except OSError:
            os.close(self._stderr)
            raise
        finally:
            os.close(stderr)
            for fd in {*low, *high}:
                os.close(fd)
        self._pidfd = os.pidfd_open(self.pid)
        self._ended: asyncio.Future[int] = self._loop.create_future()
        self._loop.add_reader(self._pidfd, self._reap)

    @staticmethod
    def _above(fd: int, limit: int) -> int:
        import fcntl

        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, limit)

    def _reap(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        _, status = os.waitpid(self.pid, 0)
        if not self._ended.done():
            self._ended.set_result(os.waitstatus_to_exitcode(status))

    async def wait(self) -> int:
        """Wait for the end; returns the exit code (negative: the signal)."""
        return await asyncio.shield(self._ended)

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        if not self._ended.done():
            os.kill(self.pid, signal.SIGKILL)

    def said(self) -> str:
        """What it has written to standard error so far. Call it after the end."""
        os.set_blocking(self._stderr, False)
        out = b""
        try:
            while data := os.read(self._stderr, 65536):
                out += data
        except BlockingIOError:
            pass  # somebody inherited the pipe and keeps it open
        return out.decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Close the pipe. The child must have ended."""
        if self._stderr >= 0:
            os.close(self._stderr)
            self._stderr = -1

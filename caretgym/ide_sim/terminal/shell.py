"""One shell on its pseudo-terminal: reading it, the command that runs in it, and how that is made to end."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Protocol

from caretgym.ide_sim.sandbox.base import RunEnd, SandboxDied, ShellProcess
from caretgym.ide_sim.terminal.capture import Capture
from caretgym.ide_sim.terminal.files import JobFile
from caretgym.ide_sim.terminal.screen import ScreenSource
from caretgym.ide_sim.terminal.stream import Mark, StreamParser

_READ = 1 << 16
_MARK_TIMEOUT_S = 2.0
LADDER = ((signal.SIGINT, 0.4), (signal.SIGTERM, 0.4))
"""Signals and the seconds each is given before the next; SIGKILL comes last (SH-9)."""


class TerminalObserver(Protocol):
    """Who wants to know what happens in terminals: the journal, in practice."""

    def opened(self, shell_id: int, pid: int, cwd: str) -> None:
        """A shell was started."""

    def chunk(self, shell_id: int, data: bytes) -> None:
        """Raw bytes came from a shell's terminal."""


class Job:
    """One command in one shell, in front or in the background."""

    def __init__(self, shell_id: int, command: str, title: str | None) -> None:
        self.shell_id, self.command, self.title = shell_id, command, title
        self.capture = Capture()
        self.raw_bytes = 0
        self.forged_marks = 0
        self.full_screen = False
        self.end: RunEnd | None = None
        self.limit: str | None = None
        self.error: str | None = None
        self.file: JobFile | None = None
        self.elapsed_ms = 0
        self.grew = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.guard: asyncio.Task[None] | None = None
        self.closing: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Whether the command has not ended."""
        return self.task is not None and not self.task.done()

    def add(self, text: str) -> None:
        """Take output in."""
        self.capture.add(text)
        self.capture.bytes += len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
        if self.file is not None:
            self.file.write(text)
        self.grew.set()


class TerminalShell:
    """A persistent shell and its terminal.

    Args:
        process: The shell inside the sandbox.
        shell_id: The id under which agents know it.
        output_limit: Raw bytes of one command; when it has written more, ``on_flood`` is called once.
        on_flood: See ``output_limit``.

    """

    def __init__(
        self,
        process: ShellProcess,
        shell_id: int,
        *,
        observer: TerminalObserver | None,
        output_limit: int,
        on_flood: Callable[[Job], None],
    ) -> None:
        self.process, self.id = process, shell_id
        self._observer, self._output_limit, self._on_flood = observer, output_limit, on_flood
        self._parser = StreamParser(process.nonce)
        self.screen = ScreenSource(120, 40)
        self._loop = asyncio.get_running_loop()
        self._job: Job | None = None
        self._inside = False
        self._done = asyncio.Event()
        self.dead = False
        self._reading = True
        self._loop.add_reader(process.master_fd, self._readable)

    @property
    def pid(self) -> int:
        """The shell's process id inside the sandbox."""
        return self.process.pid

    def start(self, job: Job) -> None:
        """Begin a command. The shell must be idle."""
        assert self._job is None
        self._job = job
        self._done.clear()
        job.task = asyncio.create_task(self._execute(job), name=f"shell-{self.id}")

    async def _execute(self, job: Job) -> None:
        try:
            job.end = await self.process.run(job.command)
            if job.end.died:
                self.dead = True
            if not self._done.is_set():
                try:
                    await asyncio.wait_for(self._done.wait(), _MARK_TIMEOUT_S)
                except TimeoutError:
                    job.error = "the terminal's end-of-command mark did not arrive; output may be incomplete"
        except SandboxDied as error:
            self.dead = True
            job.error = str(error)
            raise
        finally:
            self._job, self._inside = None, False

    def _readable(self) -> None:
        try:
            data = os.read(self.process.master_fd, _READ)
        except BlockingIOError:
            return
        except OSError:  # EIO: no process has the terminal open any more
            data = b""
        if not data:
            self._stop_reading()
            return
        if self._observer is not None:
            self._observer.chunk(self.id, data)
        self.screen.feed(data)
        if self._inside and self._job is not None:
            self._job.raw_bytes += len(data)
        for item in self._parser.feed(data):
            if isinstance(item, str):
                if self._inside and self._job is not None:
                    self._job.add(item)
            else:
                self._mark(item)
        job = self._job
        if job is not None:
            job.full_screen = self._parser.full_screen
            if job.raw_bytes > self._output_limit and job.limit is None:
                job.limit = "output_limit"
                self._on_flood(job)

    def _mark(self, mark: Mark) -> None:
        job = self._job
        if not mark.authentic:
            if job is not None and self._inside:
                job.forged_marks += 1
        elif mark.kind == "C":
            self._inside = True
        elif mark.kind == "D":
            self._inside = False
            self._parser.full_screen = False
            self._done.set()

    def _stop_reading(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self.process.master_fd)

    async def kill(self) -> None:
        """Climb the kill ladder until nothing of the shell's session is left, the shell itself included."""
        job = self._job
        for number, grace in LADDER:
            if await self.process.kill(number) == 0:
                break
            if job is not None and job.task is not None:
                await asyncio.wait({job.task}, timeout=grace)
                if job.task.done():
                    break
        for _ in range(20):
            if await self.process.kill(signal.SIGKILL) == 0:
                break
            await asyncio.sleep(0.01)
        self.dead = True

    def close(self) -> None:
        """Stop reading and let the terminal go."""
        self._stop_reading()
        self.process.close()

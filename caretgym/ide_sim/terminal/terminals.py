"""The terminals of a session: the shell that an agent works in, background jobs, waiting, spilled outputs."""

import asyncio
import random
import re
import shlex
from collections.abc import Coroutine
from pathlib import Path

from caretgym.ide_sim.clock import Clock
from caretgym.ide_sim.sandbox.base import HOME, WORKSPACE, Sandbox, SandboxDied, SandboxError
from caretgym.ide_sim.terminal.files import JobFile, write_user_terminal
from caretgym.ide_sim.terminal.results import (
    CommandError,
    CommandResult,
    CommandStatus,
    FinishedJob,
    Output,
    UnknownShell,
    WaitResult,
)
from caretgym.ide_sim.terminal.shell import Job, TerminalObserver, TerminalShell

PROJECT_FOLDER = f"{HOME}/.cursor/projects/workspace"
"""Where the emulated editor keeps a project's files (TF-1); the slug is the workspace path with dashes."""
MAX_COMMAND_CHARS = 1 << 20
COMMAND_MS = 100
"""What a command that ends by itself takes on the session's clock."""
SLICE_MS = 250
"""How often a waiting agent looks (AW-1)."""
_PRESSURE_EVERY_S = 1.0


class Terminals:
    """All shells of one session.

    Args:
        sandbox: Where they run.
        clock: The session's clock; results carry its times.
        host_folder: A folder of this host that holds ``terminals`` and ``agent-tools``, which the sandbox shows read-only
            below :data:`PROJECT_FOLDER`.
        seed: Of the shell ids.
        observer: Is told of every shell and every byte.

    """

    folder = f"{PROJECT_FOLDER}/terminals"
    spill_folder = f"{PROJECT_FOLDER}/agent-tools"

    def __init__(
        self,
        sandbox: Sandbox,
        clock: Clock,
        host_folder: Path,
        *,
        seed: int = 0,
        observer: TerminalObserver | None = None,
    ) -> None:
        self._sandbox, self._clock, self._observer = sandbox, clock, observer
        self._host = host_folder
        self._ids = random.Random(f"shell-ids-{seed}")  # noqa: S311 - reproducible, not secret
        self._main: TerminalShell | None = None
        self._shells: dict[int, TerminalShell] = {}
        self._jobs: dict[int, Job] = {}
        self._unawaited: set[int] = set()
        self._lock = asyncio.Lock()
        self._state: bytes | None = None
        self._spills = 0
        self._helpers: set[asyncio.Task[None]] = set()
        self._patrol: asyncio.Task[None] | None = None
        self._notice: str | None = None
        self._refused = 0
        (host_folder / "terminals").mkdir(parents=True, exist_ok=True)
        (host_folder / "agent-tools").mkdir(exist_ok=True)

    # -- running ------------------------------------------------------------------------------------------------------
    async def run(
        self,
        command: str,
        *,
        working_directory: str | None = None,
        block_until_ms: float = 30000,
        kill_after_ms: float | None = None,
        title: str | None = None,
        call_id: str | None = None,
    ) -> CommandResult:
        """Run one command (SH-2, SH-4, SH-9).

        Args:
            working_directory: Where to run it; the shell stays there.
            block_until_ms: How long to wait before the command goes on in the background; 0: at once.
            kill_after_ms: When to end it. The sandbox's own limit on a command's time holds as well.
            title: What the agent says it is for; shown in the terminal file.

        Raises:
            CommandError: the command can't be given to a shell.
            SandboxDied: the sandbox is gone.

        """
        if "\0" in command or (working_directory and "\0" in working_directory):
            raise CommandError(
                "a command can't hold a NUL character; write it as \\0 inside quotes of printf or $'...'"
            )
        if len(command) > MAX_COMMAND_CHARS:
            raise CommandError(
                f"the command has {len(command)} characters, the limit is {MAX_COMMAND_CHARS}; put the text in a file"
            )
        async with self._lock:
            self.refresh_files()
            return await self._run(command, working_directory, max(block_until_ms, 0), kill_after_ms, title)

    async def _run(
        self, command: str, directory: str | None, block_ms: float, kill_ms: float | None, title: str | None
    ) -> CommandResult:
        if self._patrol is None:
            self._patrol = self._spawn(self._patrolling())
        before = await self._sandbox.pressure()
        if before[0] > self._refused:
            await self._end_everything(before[0])
        try:
            if block_ms == 0:
                shell = await self._open(await self._saved_state())
            else:
                shell = await self._foreground()
            if directory is not None:
                moved = await self._move(shell, directory)
                if moved is not None:
                    moved.command = command
                    if shell is not self._main:
                        self._forget(shell)
                    return self._result("exited", moved, shell, block_ms)
        except SandboxDied:
            raise
        except SandboxError as error:
            job = Job(0, command, title)
            return CommandResult(
                "spawn_failed",
                command,
                0,
                0,
                job.capture.output(),
                WORKSPACE,
                "",
                block_until_ms=block_ms,
                error=str(error),
            )
        job = Job(shell.id, command, title)
        cwd = self._cwd
        shell.start(job)
        assert job.task is not None
        self._watch(shell, job, kill_ms, before)
        if block_ms > 0:
            await asyncio.wait({job.task}, timeout=block_ms / 1000)
        if not job.task.done():
            return await self._to_background(shell, job, block_ms, cwd)
        await job.task  # raises what went wrong with the machine
        await self._settled(job)
        self._clock.advance_ms(min(COMMAND_MS, block_ms))
        return await self._finished(shell, job, block_ms)

    _cwd = WORKSPACE

    async def _foreground(self) -> TerminalShell:
        if self._main is None or self._main.dead:
            if self._main is not None:
                self._state = await self._main.process.state() or self._state
                self._forget(self._main)
            self._main = None
            self._main = await self._open(self._state)
        return self._main

    async def _open(self, state: bytes | None) -> TerminalShell:
        process = await self._sandbox.open_shell(state=state)
        shell_id = self._ids.randrange(100000, 1000000)
        while shell_id in self._jobs or shell_id in self._shells:
            shell_id = self._ids.randrange(100000, 1000000)
        shell = TerminalShell(
            process,
            shell_id,
            observer=self._observer,
            output_limit=self._sandbox.spec.limits.output_bytes,
            on_flood=self._flooded,
        )
        self._shells[shell_id] = shell
        if self._observer is not None:
            self._observer.opened(shell_id, process.pid, self._cwd)
        return shell

    async def _saved_state(self) -> bytes | None:
        """The state after the last finished foreground command."""
        if self._main is not None and not self._main.dead:
            self._state = await self._main.process.state() or self._state
        return self._state

    async def _move(self, shell: TerminalShell, directory: str) -> Job | None:
        """Change the directory; the failed job if that does not work."""
        job = Job(shell.id, f"builtin cd -- {shlex.quote(directory)}", None)
        shell.start(job)
        assert job.task is not None
        await job.task
        if job.end is not None and job.end.code == 0:
            self._cwd = job.end.cwd or self._cwd
            return None
        return job

    async def _finished(self, shell: TerminalShell, job: Job, block_ms: float) -> CommandResult:
        end = job.end
        assert end is not None
        if job.limit is not None:
            self._reset()
            status: CommandStatus = "output_limit" if job.limit == "output_limit" else "timed_out"
            if job.limit in ("process_limit", "memory_limit"):
                status = "shell_died"
            return self._result(status, job, shell, block_ms, new_shell=True)
        if end.died:
            self._state = await shell.process.state() or self._state
            self._forget(shell)
            if shell is self._main:
                self._main = None
        if end.cwd:
            self._cwd = end.cwd
        if end.died and end.signal is not None:
            return self._result("shell_died", job, shell, block_ms, new_shell=True)
        return self._result("exited", job, shell, block_ms)

    def _reset(self) -> None:
        """After a kill the next command starts afresh at the root (SH-9)."""
        if self._main is not None:
            self._forget(self._main)
        self._main, self._state, self._cwd = None, None, WORKSPACE

    def _forget(self, shell: TerminalShell) -> None:
        self._shells.pop(shell.id, None)
        shell.close()

    async def _to_background(self, shell: TerminalShell, job: Job, block_ms: float, cwd: str) -> CommandResult:
        started = self._clock.now()
        if shell is self._main:
            self._state = await shell.process.state() or self._state
            self._main = None
        self._jobs[shell.id] = job
        self._unawaited.add(shell.id)
        collected = job.capture.output()
        job.file = JobFile(
            self._host / "terminals" / f"{shell.id}.txt",
            pid=shell.pid, cwd=cwd, command=job.command, title=job.title, started=started, now=self._clock.now,
        )  # fmt: skip
        job.file.write(collected.text)
        waiting = False
        if block_ms > 0:
            _, waiting = await shell.process.inspect()
        self._clock.advance_ms(block_ms)
        job.closing = self._spawn(self._end_of_job(shell, job))
        return self._result(
            "backgrounded" if block_ms > 0 else "started", job, shell, block_ms, output=collected, awaiting=waiting
        )

    async def _end_of_job(self, shell: TerminalShell, job: Job) -> None:
        assert job.task is not None
        assert job.file is not None
        await asyncio.wait({job.task})
        await self._settled(job)
        job.elapsed_ms = job.file.elapsed_ms()
        if job.task.cancelled() or job.task.exception() is not None:
            job.file.finish(exit_code=None, elapsed_ms=job.elapsed_ms, error=job.error or "the sandbox ended")
        else:
            assert job.end is not None
            job.file.finish(exit_code=job.end.code, elapsed_ms=job.elapsed_ms, aborted=job.limit is not None)
        job.grew.set()
        self._forget(shell)

    # -- limits -------------------------------------------------------------------------------------------------------
    def _watch(self, shell: TerminalShell, job: Job, kill_ms: float | None, before: tuple[int, int]) -> None:
        seconds = self._sandbox.spec.limits.command_seconds
        if kill_ms is not None:
            seconds = min(seconds, kill_ms / 1000)
        job_watch = self._spawn(self._guard(shell, job, seconds, before))
        assert job.task is not None
        job.guard = job_watch

    async def _guard(self, shell: TerminalShell, job: Job, seconds: float, before: tuple[int, int]) -> None:
        """End the command at its time limit, or when it has run the sandbox out of processes."""
        assert job.task is not None
        left = seconds
        while True:
            slice_s = min(left, _PRESSURE_EVERY_S)
            done, _ = await asyncio.wait({job.task}, timeout=slice_s)
            left -= slice_s
            processes, memory = await self._sandbox.pressure()
            if processes > before[0]:
                job.limit = job.limit or "process_limit"
                await self._end_everything(processes)
                job.error, self._notice = self._notice, None
                return
            if done:
                if memory > before[1]:
                    job.error = (
                        f"The limit of {self._sandbox.spec.limits.memory_mb} MiB of memory was reached; "
                        "the kernel ended a process."
                    )
                return
            if job.limit is not None:
                return  # the output limit is already ending it
            if left <= 0:
                job.limit = "timed_out"
                await shell.kill()
                return

    async def _patrolling(self) -> None:
        """Notice a fork bomb that goes on after its command has ended."""
        while True:
            await asyncio.sleep(_PRESSURE_EVERY_S)
            if not self._lock.locked():
                refused, _ = await self._sandbox.pressure()
                if refused > self._refused:
                    await self._end_everything(refused)

    async def _end_everything(self, refused: int) -> None:
        """Kill all processes; the next result says why."""
        self._refused = refused
        await self._sandbox.kill_all()
        for shell in self._shells.values():
            shell.dead = True
        self._refused = (await self._sandbox.pressure())[0]
        limit = self._sandbox.spec.limits.processes
        self._notice = f"The limit of {limit} processes was reached; every process of this session was ended."

    def _flooded(self, job: Job) -> None:
        limit = self._sandbox.spec.limits.output_bytes
        job.error = f"The limit of {limit} bytes of output was reached; the command was ended."
        self._spawn(self._shells[job.shell_id].kill())

    async def _settled(self, job: Job) -> None:
        """Wait until whoever guards the job has had its say about how it ended."""
        if job.guard is not None:
            await asyncio.wait({job.guard})

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._helpers.add(task)
        task.add_done_callback(self._helper_done)
        return task

    def _helper_done(self, task: asyncio.Task[None]) -> None:
        self._helpers.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, SandboxDied):  # a dead sandbox is told by the command itself
            context = {"message": "a terminal's helper failed", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)

    # -- results ------------------------------------------------------------------------------------------------------
    def _result(
        self,
        status: CommandStatus,
        job: Job,
        shell: TerminalShell,
        block_ms: float,
        *,
        output: Output | None = None,
        new_shell: bool = False,
        awaiting: bool = False,
    ) -> CommandResult:
        end = job.end
        if job.error is None:
            job.error, self._notice = self._notice, None
        return CommandResult(
            status=status,
            command=job.command,
            shell_id=shell.id,
            pid=shell.pid,
            output=output or job.capture.output(),
            cwd=self._cwd,
            output_file=f"{self.folder}/{shell.id}.txt" if job.file is not None else "",
            exit_code=None if end is None else end.code,
            signal=None if end is None else end.signal,
            duration_ms=int(block_ms) if end is None else int(min(COMMAND_MS, block_ms)) if block_ms else 0,
            block_until_ms=block_ms,
            new_shell=new_shell,
            full_screen=job.full_screen and end is None,
            awaiting_input=awaiting,
            forged_marks=job.forged_marks,
            error=job.error,
        )

    # -- waiting ------------------------------------------------------------------------------------------------------
    async def wait(
        self, shell_id: int | None = None, *, block_until_ms: float = 30000, pattern: str | None = None
    ) -> WaitResult | None:
        """Wait for a background job's end or for a pattern in its output (AW-1, AW-2).

        Args:
            shell_id: The job; None: just let time pass, and return None.
            pattern: A regular expression, searched in the output with ``^`` and ``$`` at every line.

        Raises:
            UnknownShell: no such job.
            re.error: the pattern is not a regular expression.

        """
        block_ms = max(block_until_ms, 0)
        if shell_id is None:
            if any(job.running for job in self._jobs.values()):
                await asyncio.sleep(block_ms / 1000)
            self._clock.advance_ms(block_ms)
            self.refresh_files()
            return None
        job = self._jobs.get(shell_id)
        if job is None:
            raise UnknownShell(f"no shell found for id {shell_id}")
        assert job.task is not None
        expression = None if pattern is None else re.compile(pattern, re.MULTILINE)
        was_running = job.running
        loop = asyncio.get_running_loop()
        deadline = loop.time() + block_ms / 1000
        matched = self._matches(job, expression)
        while job.running and not matched and (left := deadline - loop.time()) > 0:
            job.grew.clear()
            grew = asyncio.ensure_future(job.grew.wait())
            try:
                await asyncio.wait({job.task, grew}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                grew.cancel()
            matched = self._matches(job, expression)
        finished = not job.running
        if finished:
            if job.closing is not None:
                await asyncio.wait({job.closing})  # its file has its footer then
            matched = self._matches(job, expression)
        elapsed = block_ms
        if was_running and (finished or matched):
            elapsed = min(SLICE_MS, block_ms)
        elif finished:
            elapsed = 0
        self._clock.advance_ms(elapsed)
        if finished:
            self._unawaited.discard(shell_id)
        self.refresh_files()
        return WaitResult(
            shell_id=shell_id,
            finished=finished,
            exit_code=job.end.code if finished and job.end is not None else None,
            elapsed_ms=int(elapsed if not finished else max(elapsed, COMMAND_MS)),
            output_file=f"{self.folder}/{shell_id}.txt",
            output_length=job.capture.chars,
            matched=None if expression is None else bool(matched),
        )

    @staticmethod
    def _matches(job: Job, expression: re.Pattern[str] | None) -> bool:
        return expression is not None and expression.search(job.capture.output().text) is not None

    def take_finished(self) -> list[FinishedJob]:
        """Background jobs that have ended and that nobody awaited, each told once (AW-3)."""
        out = []
        for shell_id in sorted(self._unawaited):
            job = self._jobs[shell_id]
            if not job.running:
                self._unawaited.discard(shell_id)
                code = job.end.code if job.end is not None else None
                status = "aborted" if job.limit else "succeeded" if code == 0 else "failed"
                out.append(FinishedJob(shell_id, job.title or job.command[:80], job.command, code, status))
        return out

    @property
    def running_jobs(self) -> int:
        """Background jobs that have not ended."""
        return sum(job.running for job in self._jobs.values())

    # -- files --------------------------------------------------------------------------------------------------------
    def refresh_files(self) -> None:
        """Bring the headers of running jobs' files up to date."""
        for job in self._jobs.values():
            if job.running and job.file is not None:
                job.file.refresh()

    def spill(self, text: str, call_id: str) -> str:
        """Write a long output where the agent can read it; returns the path inside (SH-6, FS-5)."""
        self._spills += 1
        safe = re.sub(r"[^A-Za-z0-9_-]", "-", call_id)[:60] or "output"
        name = f"{safe}.txt"
        if (self._host / "agent-tools" / name).exists():
            name = f"{safe}-{self._spills}.txt"
        (self._host / "agent-tools" / name).write_bytes(text.encode("utf-8", "replace"))
        return f"{self.spill_folder}/{name}"

    def add_user_terminal(
        self, number: int, *, pid: int, cwd: str, last_command: str, last_exit_code: int | None, output: str
    ) -> None:
        """Show a terminal that the user has open in the editor (TF-2)."""
        write_user_terminal(
            self._host / "terminals" / f"{number}.txt",
            pid=pid, cwd=cwd, last_command=last_command, last_exit_code=last_exit_code, output=output,
        )  # fmt: skip

    def screen(self, shell_id: int | None = None) -> str:
        """The screen of a shell (default: the foreground one) as a person would see it."""
        shell = self._main if shell_id is None else self._shells.get(shell_id)
        return "" if shell is None else shell.screen.text()

    @property
    def cwd(self) -> str:
        """The foreground shell's directory."""
        return self._cwd

    async def close(self) -> None:
        """Stop everything of this session's shells. The sandbox ends their processes."""
        tasks = [*self._helpers, *(s.task for s in self._jobs.values() if s.task is not None)]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for shell in list(self._shells.values()):
            self._forget(shell)
        for job in self._jobs.values():
            if job.file is not None:
                job.file.close()

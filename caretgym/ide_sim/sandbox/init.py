"""Pid 1 of a bubblewrap sandbox. Runs inside, on the standard library alone.

It is started by ``bwrap`` as root of a fresh user namespace, builds the copy-on-write ``/workspace``, gives up all rights,
and then serves the host over one socket: it opens shells on pseudo-terminals, passes them commands, and reports exit
codes that it has from pipes and ``waitpid`` (never from output). Being pid 1 it cannot be killed from inside, adopts
every orphan, and takes every process with it when it goes; it goes when the host's end of the socket closes.

Frames are a 4-byte big-endian length and a message: marshalled from the host, JSON to the host (which does not trust
this side); file descriptors travel with a frame as SCM_RIGHTS.
"""

from __future__ import annotations

import _ctypes
import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import posix as os
import select
import sys
import time
from _json import encode_basestring_ascii

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Message = dict[str, Any]

# Starting must be quick, and on a cold interpreter each of `os`, `json`, `socket`, `signal`, `ctypes` and `struct` costs
# a millisecond or several. So this module uses the C modules below them, and loads what it needs later only then.

MS_NOSUID, MS_NODEV, MS_BIND = 2, 4, 4096
MNT_DETACH = 2
CLONE_NEWUSER = 0x10000000
PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 4, 38, 22, 2
FD_CONTROL, FD_REPORT, FD_COMMAND, FD_STATE_A, FD_STATE_B = 250, 251, 252, 253, 254
STATE_END = b"\n# end of state\n"
LIBC = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
DEFAULT_SIGNALS = (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGPIPE, _signal.SIGCHLD)


def libc(name: str, *arguments: Any) -> None:
    """Call a function of the C library that returns 0 or sets errno; integers are passed as int, bytes as pointers."""
    if _ctypes.call_function(_ctypes.dlsym(LIBC, name), arguments) == 0:
        return
    import ctypes  # the slow way, to learn why

    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}{arguments}: {os.strerror(code)}")


def address_of(data: bytes) -> int:
    """Where a bytes object's contents lie (CPython: after its header)."""
    return id(data) + bytes.__basicsize__ - 1


def encode(value: Any) -> str:
    """A flat value as JSON."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{encode_basestring_ascii(k)}:{encode(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    return (
        {None: "null", True: "true", False: "false"}[value]
        if value is None or value is True or value is False
        else str(value)
    )


def send_frame(host: _socket.socket, message: Message, fds: Any = ()) -> None:
    """Send a frame with file descriptors."""
    data = encode({**message, "fds": len(fds)}).encode()
    frame = len(data).to_bytes(4, "big") + data
    rights = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds)
    sent = host.sendmsg([frame], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if fds else [])
    if sent < len(frame):
        host.sendall(frame[sent:])


def write_file(path: str, data: bytes) -> None:
    """Write a small file of the kernel's."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def make_directory(path: str) -> None:
    """Make a directory unless it is there."""
    try:
        os.mkdir(path)
    except FileExistsError:
        pass


def mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount a file system."""
    libc("mount", source.encode(), target.encode(), kind.encode() if kind else None, flags, data.encode() or None)


def build_workspace(config: Message) -> int:
    """Mount the overlay on /workspace; returns a handle on its upper directory."""
    target = config["workspace"]
    if config["upper"] == "tmpfs":
        mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, f"size={config['disk_bytes']},mode=755")
        home = target
    else:
        home = config["upper"]
    upper, work = f"{home}/upper", f"{home}/work"
    make_directory(upper)
    make_directory(work)
    handle = os.open(upper, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    lower = ":".join(reversed(config["layers"]))
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    mount("overlay", target, "overlay", MS_NOSUID | MS_NODEV, options)
    for path in [*config["layers"], *([] if home == target else [home])]:
        libc("umount2", path.encode(), MNT_DETACH)
    make_directory("/tmp/.shm")
    mount("/tmp/.shm", "/dev/shm", None, MS_BIND)
    return handle


def set_limits(config: Message) -> None:
    """Put the per-process limits on; they are inherited by everything started later."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (config["file_bytes"],) * 2)
    if config["rlimit_processes"]:
        resource.setrlimit(resource.RLIMIT_NPROC, (config["rlimit_processes"],) * 2)
    if config["rlimit_memory"]:
        resource.setrlimit(resource.RLIMIT_DATA, (config["rlimit_memory"],) * 2)


def drop_rights(config: Message) -> None:
    """Become uid 1000 of a nested user namespace without capabilities, untraceable, behind the seccomp filter."""
    uid, gid = os.getuid(), os.getgid()
    libc("unshare", CLONE_NEWUSER)
    try:
        write_file("/proc/self/setgroups", b"deny")
    except PermissionError:
        pass  # an outer namespace denied it already, which is what we want
    write_file("/proc/self/uid_map", f"{config['uid']} {uid} 1".encode())
    write_file("/proc/self/gid_map", f"{config['uid']} {gid} 1".encode())
    header = (0x20080522).to_bytes(4, sys.byteorder) + bytes(4)
    libc("capset", header, bytes(24))
    libc("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = config["seccomp"]
    if program:
        pointer = address_of(program).to_bytes(8, sys.byteorder)
        fprog = (len(program) // 8).to_bytes(2, sys.byteorder) + bytes(6) + pointer
        libc("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, fprog, 0, 0)


class Shell:
    """A persistent bash on its own session and pseudo-terminal."""

    def __init__(self, shell_id: int, nonce: str) -> None:
        self.id, self.nonce = shell_id, nonce
        self.pid = 0
        self.session = 0  # stays when the shell is gone: what it left running is still of its session
        self.slave = self.control = self.report = self.command = -1
        self.states: tuple[int, ...] = ()
        self.buffer = b""
        self.running: int | None = None

    def close(self) -> None:
        for name in ("slave", "control", "report", "command"):
            fd = getattr(self, name)
            if fd >= 0:
                os.close(fd)
                setattr(self, name, -1)
        for fd in self.states:
            os.close(fd)
        self.states = ()

    def state(self) -> bytes | None:
        """The newest complete state that the shell wrote, or None."""
        best = None
        for fd in self.states:
            size = os.fstat(fd).st_size
            data = os.pread(fd, size, 0)
            if data.endswith(STATE_END):
                number = int(data.split(b"\n", 1)[0].rpartition(b" ")[2])
                if best is None or number > best[0]:
                    best = (number, data)
        return best[1] if best else None


class Init:
    """The serving loop."""

    def __init__(self, config: Message, host: _socket.socket) -> None:
        self.config, self.host = config, host
        self.shells: dict[int, Shell] = {}
        self.by_pid: dict[int, Shell] = {}
        self.by_fd: dict[int, Shell] = {}
        self.execs: dict[int, int] = {}
        self.inbox = bytearray()
        self.epoll = select.epoll()
        self.epoll.register(host, select.EPOLLIN)
        self.deadlines: dict[int, float] = {}
        wake_read, wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.wake = wake_read
        _signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGPIPE):
            _signal.signal(number, _signal.SIG_IGN)
        self.epoll.register(wake_read, select.EPOLLIN)

    # -- talking to the host ------------------------------------------------------------------------------------------
    def send(self, message: Message, fds: Any = ()) -> None:
        send_frame(self.host, message, fds)

    def serve(self) -> None:
        while True:
            timeout = -1.0
            if self.deadlines:
                timeout = max(0.0, min(self.deadlines.values()) - time.monotonic())
            for fd, _ in self.epoll.poll(timeout):
                if fd == self.host.fileno():
                    if not self.receive():
                        return
                elif fd == self.wake:
                    os.read(self.wake, 4096)
                elif fd in self.by_fd:
                    self.read_report(self.by_fd[fd])
            self.reap()
            self.expire()

    def receive(self) -> bool:
        data = self.host.recv(1 << 20)
        if not data:
            return False
        self.inbox += data
        while len(self.inbox) >= 4:
            size = int.from_bytes(self.inbox[:4], "big")
            if len(self.inbox) < 4 + size:
                break
            message = marshal.loads(self.inbox[4 : 4 + size])
            del self.inbox[: 4 + size]
            try:
                getattr(self, "on_" + message["op"])(message)
            except OSError as error:
                self.send({"event": "failed", "op": message["op"], "id": message.get("id"), "error": str(error)})
        return True

    # -- shells -------------------------------------------------------------------------------------------------------
    def on_open(self, message: Message) -> None:
        shell = Shell(message["id"], message["nonce"])
        env = dict(self.config["env"], **message.get("env", {}))
        state = message["state"]
        import termios

        child_ends = []
        try:
            master, shell.slave = os.openpty()
            attributes = termios.tcgetattr(shell.slave)
            attributes[1] &= ~termios.OPOST  # bytes arrive as the program wrote them
            attributes[3] &= ~(termios.ECHO | termios.ECHONL)
            termios.tcsetattr(shell.slave, termios.TCSANOW, attributes)
            os.set_blocking(shell.slave, False)  # this description only; the shell opens its own
            termios.tcsetwinsize(shell.slave, (message["rows"], message["cols"]))
            control_read, shell.control = os.pipe2(os.O_CLOEXEC)
            shell.report, report_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            os.set_blocking(report_write, True)
            child_ends = [control_read, report_write]
            shell.command = os.memfd_create("command", os.MFD_CLOEXEC)
            shell.states = (os.memfd_create("state", os.MFD_CLOEXEC), os.memfd_create("state", os.MFD_CLOEXEC))
            if state:
                os.pwrite(shell.states[0], state, 0)
            actions = [
                (os.POSIX_SPAWN_OPEN, 0, os.ttyname(shell.slave), os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
                (os.POSIX_SPAWN_DUP2, control_read, FD_CONTROL),
                (os.POSIX_SPAWN_DUP2, report_write, FD_REPORT),
                (os.POSIX_SPAWN_DUP2, shell.command, FD_COMMAND),
                (os.POSIX_SPAWN_DUP2, shell.states[0], FD_STATE_A),
                (os.POSIX_SPAWN_DUP2, shell.states[1], FD_STATE_B),
            ]
            shell.pid = os.posix_spawn(
                "/bin/bash",
                [
                    "bash",
                    "--norc",
                    "--noprofile",
                    "-c",
                    self.config["loop"],
                    "bash",
                    "restore" if state else message["cwd"],
                    self.config["setup"],
                ],
                env,
                file_actions=actions,
                setsid=True,
                setsigdef=DEFAULT_SIGNALS,
            )
        except OSError:
            shell.close()
            raise
        finally:
            for fd in child_ends:
                os.close(fd)
        shell.session = shell.pid
        self.prefer_as_victim(shell.pid)
        self.shells[shell.id] = self.by_pid[shell.pid] = shell
        self.by_fd[shell.report] = shell
        self.epoll.register(shell.report, select.EPOLLIN)
        self.send({"event": "opened", "id": shell.id, "pid": shell.pid}, [master])
        os.close(master)

    @staticmethod
    def prefer_as_victim(pid: int) -> None:
        """Let the kernel's out-of-memory killer take the agent's processes before pid 1."""
        try:
            write_file(f"/proc/{pid}/oom_score_adj", b"500")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass  # it has ended already

    def on_run(self, message: Message) -> None:
        shell = self.shells.get(message["id"])
        if shell is None or not shell.pid:
            self.send(
                {
                    "event": "ended",
                    "id": message["id"],
                    "run": message["run"],
                    "code": None,
                    "cwd": None,
                    "died": True,
                    "signal": None,
                }
            )
            return
        data = message["command"].encode("utf-8", "surrogateescape")
        os.ftruncate(shell.command, 0)
        os.pwrite(shell.command, data, 0)
        shell.running = message["run"]
        self.mark(shell, f"E;{message['shown']}")
        self.mark(shell, "C")
        try:
            os.write(shell.control, b"run\n")
        except BrokenPipeError:
            pass  # the shell is dying: its end is reported by reap()

    def mark(self, shell: Shell, text: str) -> None:
        """Write an OSC 633 mark to the terminal, with the nonce that no program inside knows."""
        data = f"\x1b]633;{text};{shell.nonce}\x07".encode()
        deadline = time.monotonic() + 1.0
        while data and time.monotonic() < deadline:
            try:
                data = data[os.write(shell.slave, data) :]
            except BlockingIOError:  # full, or stopped by a program: let it flow again
                import termios

                termios.tcflow(shell.slave, termios.TCOON)
                select.select([], [shell.slave], [], 0.05)

    def read_report(self, shell: Shell) -> None:
        try:
            data = os.read(shell.report, 65536)
        except BlockingIOError:
            return
        if not data:
            self.epoll.unregister(shell.report)
            del self.by_fd[shell.report]
            return
        shell.buffer += data
        while b"\0" in shell.buffer:
            line, shell.buffer = shell.buffer.split(b"\0", 1)
            code, _, cwd = line.decode("utf-8", "surrogateescape").partition(" ")
            if shell.running is None or not code.isdigit():
                continue
            run, shell.running = shell.running, None
            self.finish(shell, run, int(code), cwd)

    def finish(
        self, shell: Shell, run: int, code: int | None, cwd: str | None, died: bool = False, number: int | None = None
    ) -> None:
        self.mark(shell, f"D;{code if code is not None else ''}")
        cwd = self.true_directory(shell, cwd) if not died and cwd is not None else cwd
        self.send(
            {"event": "ended", "id": shell.id, "run": run, "code": code, "cwd": cwd, "died": died, "signal": number}
        )

    @staticmethod
    def true_directory(shell: Shell, claimed: str) -> str | None:
        """The shell's directory: its logical name if that is really where it is, else the kernel's answer."""
        link = f"/proc/{shell.pid}/cwd"
        try:
            here, there = os.stat(link), os.stat(claimed)
            if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
                return claimed
        except (OSError, ValueError):
            pass  # a deleted or forged directory: ask the kernel below
        try:
            return os.readlink(link)
        except OSError:
            return claimed

    def on_state(self, message: Message) -> None:
        shell = self.shells.get(message["id"])
        state = shell.state() if shell else None
        self.send({"event": "state", "id": message["id"], "state": state.decode("latin-1") if state else None})

    def on_kill(self, message: Message) -> None:
        """Signal every process of a shell's session."""
        shell = self.shells.get(message["id"])
        pids = self.session_pids(shell.session) if shell else []
        for pid in pids:
            try:
                os.kill(pid, message["signal"])
            except ProcessLookupError:
                pass  # it went by itself meanwhile
        self.send({"event": "killed", "id": message["id"], "count": len(pids)})

    def session_pids(self, session: int) -> list[int]:
        return [pid for pid, fields in self.processes() if fields[3] == str(session) and fields[0] != "Z"]

    @staticmethod
    def processes() -> Iterator[tuple[int, list[str]]]:
        """(pid, fields of /proc/pid/stat from the state on) of everything but pid 1."""
        for name in os.listdir("/proc"):
            if not name.isdigit() or name == "1":
                continue
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    text = file.read().decode("utf-8", "replace")
            except OSError:
                continue
            yield int(name), text.rpartition(")")[2].split()

    def on_count(self, message: Message) -> None:
        """How many processes there are."""
        count = sum(1 for name in os.listdir("/proc") if name.isdigit())
        self.send({"event": "counted", "id": message["id"], "processes": count})

    def on_kill_all(self, message: Message) -> None:
        """Kill everything but pid 1 in one call, which no fork bomb outruns."""
        try:
            os.kill(-1, _signal.SIGKILL)
        except ProcessLookupError:
            pass  # there is nothing
        self.send({"event": "all_killed", "id": message["id"]})

    def on_inspect(self, message: Message) -> None:
        """What a shell's session is doing: how many processes, and whether one waits for the terminal."""
        shell = self.shells.get(message["id"])
        waiting, count = False, 0
        for pid in self.session_pids(shell.session) if shell else ():
            count += 1
            try:
                with open(f"/proc/{pid}/wchan") as file:
                    waiting = waiting or file.read() in ("wait_woken", "n_tty_read")
            except OSError:
                continue
        self.send({"event": "inspected", "id": message["id"], "processes": count, "awaiting_input": waiting})

    def on_forget(self, message: Message) -> None:
        shell = self.shells.pop(message["id"], None)
        if shell is None:
            return
        if shell.report in self.by_fd:
            self.epoll.unregister(shell.report)
            del self.by_fd[shell.report]
        shell.close()

    # -- one-shot programs --------------------------------------------------------------------------------------------
    def on_exec(self, message: Message) -> None:
        """Run argv with its output on a pipe whose read end goes to the host."""
        read_end, write_end = os.pipe2(os.O_CLOEXEC)
        try:
            pid = self.spawn(
                message,
                [
                    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, write_end, 1),
                    (os.POSIX_SPAWN_DUP2, write_end, 2),
                ],
            )
            self.deadlines[pid] = time.monotonic() + message["timeout"]
            self.send({"event": "started", "id": message["id"], "pid": pid}, [read_end])
        finally:
            os.close(read_end)
            os.close(write_end)

    def on_pipes(self, message: Message) -> None:
        """Run argv for as long as it likes; the host gets its standard input, output and error."""
        pipes = [os.pipe2(os.O_CLOEXEC) for _ in range(3)]
        inside = (pipes[0][0], pipes[1][1], pipes[2][1])
        try:
            pid = self.spawn(message, [(os.POSIX_SPAWN_DUP2, fd, n) for n, fd in enumerate(inside)])
            self.send({"event": "started", "id": message["id"], "pid": pid}, [pipes[0][1], pipes[1][0], pipes[2][0]])
        finally:
            for pipe in pipes:
                os.close(pipe[0])
                os.close(pipe[1])

    def spawn(self, message: Message, file_actions: Any) -> int:
        """Start a program in a session of its own; its end is reported as ``exited``."""
        env = dict(self.config["env"], **message.get("env", {}))
        argv = message["argv"]
        program = self.find_program(argv[0], env["PATH"])
        os.chdir(message["cwd"])  # posix_spawn can't do it; nobody else here minds
        try:
            pid = os.posix_spawn(program, argv, env, file_actions=file_actions, setsid=True, setsigdef=DEFAULT_SIGNALS)
        finally:
            os.chdir("/")
        self.prefer_as_victim(pid)
        self.execs[pid] = message["id"]
        return pid

    @staticmethod
    def find_program(name: str, path: str) -> str:
        """A program by its path, or by its name in PATH."""
        if "/" in name:
            return name
        for folder in path.split(":"):
            try:
                os.stat(f"{folder}/{name}")
            except OSError:
                continue
            return f"{folder}/{name}"
        raise FileNotFoundError(2, f"no program named {name}")

    def on_stop(self, message: Message) -> None:
        """End a one-shot program and its session now."""
        for pid, name in list(self.execs.items()):
            if name == message["id"]:
                self.deadlines[pid] = 0.0

    def expire(self) -> None:
        now = time.monotonic()
        for pid in [p for p, when in self.deadlines.items() if when <= now]:
            del self.deadlines[pid]
            for member in self.session_pids(pid):
                try:
                    os.kill(member, _signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it went by itself meanwhile
            if pid in self.execs:
                self.send({"event": "timed_out", "id": self.execs[pid]})

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            if pid in self.by_pid:
                self.shell_gone(self.by_pid.pop(pid), code)
            elif pid in self.execs:
                self.deadlines.pop(pid, None)
                for member in self.session_pids(pid):
                    try:
                        os.kill(member, _signal.SIGKILL)
                    except ProcessLookupError:
                        pass  # it went by itself meanwhile
                self.send({"event": "exited", "id": self.execs.pop(pid), "code": code})

    def shell_gone(self, shell: Shell, code: int) -> None:
        if shell.report in self.by_fd:
            self.read_report(shell)  # a report written just before the end still counts
        shell.pid = 0
        state = shell.state()
        cwd = None
        if state:
            cwd = state.split(b"\n", 2)[1].decode("utf-8", "surrogateescape")
        if shell.running is not None:
            run, shell.running = shell.running, None
            if code < 0:
                self.finish(shell, run, 128 - code, cwd, died=True, number=-code)
            else:
                self.finish(shell, run, code, cwd, died=True)
        self.send({"event": "gone", "id": shell.id, "code": code, "cwd": cwd})


def read_exactly(host: _socket.socket, size: int) -> bytes:
    """Read that many bytes, or end when the host is gone."""
    data = b""
    while len(data) < size:
        piece = host.recv(size - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def main() -> None:
    """Set the sandbox up, then serve until the host's end of the socket closes."""
    fd = int(sys.argv[1])
    host = _socket.socket(fileno=fd)
    os.set_inheritable(fd, False)
    config = marshal.loads(read_exactly(host, int.from_bytes(read_exactly(host, 4), "big")))
    os.umask(0o022)
    try:
        upper = build_workspace(config)
        drop_rights(config)
        root = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        workspace = os.open(config["workspace"], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        send_frame(host, {"event": "failed", "op": "start", "id": None, "error": str(error)})
        os._exit(1)
    send_frame(host, {"event": "ready"}, [root, workspace, upper])
    for fd in (root, workspace, upper):
        os.close(fd)
    set_limits(config)
    Init(config, host).serve()
    os._exit(0)


if __name__ == "__main__":
    main()

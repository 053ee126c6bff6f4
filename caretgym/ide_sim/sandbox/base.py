"""The sandbox contract: what every backend offers, and the errors it raises."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from caretgym.ide_sim.errors import InfrastructureError

WORKSPACE = "/workspace"
HOME = "/home/agent"


class SandboxError(InfrastructureError):
    """Something is wrong with the machine, not with what the agent did: the episode becomes an ``infra_error``."""


class SandboxUnavailable(SandboxError):
    """The backend cannot run on this host. ``remedy`` says what to install or change."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(f"{cause}. {remedy}")
        self.cause, self.remedy = cause, remedy


class SandboxDied(SandboxError):
    """The running sandbox is gone though nobody closed it."""


@dataclass(frozen=True)
class Limits:
    """What a session may use. Sizes in MiB unless named otherwise; times in seconds.

    Attributes:
        memory_mb: Private memory of each process (rlimit); where cgroups are writable also of all together, beside what
            files in memory take by disk_mb and tmp_mb.
        processes: Processes and threads at one time.
        disk_mb: Changes below ``/workspace`` (the size of the upper layer).
        tmp_mb: ``/tmp``.
        file_mb: One file.
        output_bytes: Output of one command; one that writes more is killed and its result says so.
        command_seconds: Wall time of one command, in the background too; then the kill ladder.

    """

    memory_mb: int = 2048
    processes: int = 256
    disk_mb: int = 1024
    tmp_mb: int = 256
    file_mb: int = 512
    output_bytes: int = 64 << 20
    command_seconds: float = 600.0


@dataclass(frozen=True)
class SandboxSpec:
    """What to start.

    Attributes:
        layers: Read-only trees for ``/workspace``, lowest first; at least one.
        binds: Host paths shown read-only at a path inside (for example ``/verify``).
        writable_binds: Host paths shown writable at a path inside.
        hidden: Host paths whose contents must not be visible even if they lie below ``/usr``.
        site_packages: Python packages for ``/opt/venv``; None for the default (pytest).
        env: Environment variables beside the fixed ones.
        limits: What the session may use.

    """

    layers: tuple[Path, ...]
    binds: Mapping[str, Path] = field(default_factory=dict)
    writable_binds: Mapping[str, Path] = field(default_factory=dict)
    hidden: tuple[Path, ...] = ()
    site_packages: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class RunEnd:
    """How a command in a shell ended: by its own report, or with the shell (``died``)."""

    code: int | None
    cwd: str | None
    died: bool = False
    signal: int | None = None


@dataclass(frozen=True)
class ExecResult:
    """A program that ran to its end. ``output`` holds stdout and stderr together, the middle cut when too long."""

    exit_code: int
    output: bytes
    timed_out: bool = False
    omitted_bytes: int = 0


class PipedProcess(ABC):
    """A program that runs inside with its standard streams at hand, such as a language server.

    Attributes:
        pid: As the sandbox counts.
        stdin_fd, stdout_fd, stderr_fd: Our ends of the pipes, not blocking; whoever started it closes them by :meth:`close`.

    """

    pid: int
    stdin_fd: int
    stdout_fd: int
    stderr_fd: int

    @abstractmethod
    async def wait(self) -> int:
        """Its exit code; negative: the signal. SandboxDied: the sandbox went first."""

    @abstractmethod
    def kill(self) -> None:
        """SIGKILL it and its whole session."""

    @abstractmethod
    def close(self) -> None:
        """Kill it and close the pipes. May be called more than once."""


class ShellProcess(ABC):
    """A persistent shell inside, on its own pseudo-terminal."""

    id: int
    pid: int
    nonce: str
    master_fd: int

    @abstractmethod
    async def run(self, command: str) -> RunEnd:
        """Run one command; returns at its end. Its output comes on ``master_fd``, between marks with the nonce."""

    @abstractmethod
    async def kill(self, signal: int) -> int:
        """Signal every process of the shell's session; returns how many there were."""

    @abstractmethod
    async def inspect(self) -> tuple[int, bool]:
        """(number of processes in the session, whether one waits for input from the terminal)."""

    @abstractmethod
    async def state(self) -> bytes | None:
        """The shell's state after its last command: cwd, variables, functions, aliases, options, umask."""

    @abstractmethod
    def close(self) -> None:
        """Forget the shell and close its terminal."""


class Sandbox(ABC):
    """One isolated machine. Create by the backend's ``start(spec)``."""

    spec: SandboxSpec
    root_fd: int
    workspace_fd: int
    upper_fd: int

    @abstractmethod
    async def open_shell(
        self, *, cwd: str = WORKSPACE, state: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> ShellProcess:
        """Start a shell, from a state if one is given."""

    @abstractmethod
    async def exec(
        self,
        argv: list[str],
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        output_limit: int = 1 << 20,
    ) -> ExecResult:
        """Run a program to its end, kill it and its session at the timeout.

        Raises:
            SandboxError: it can't be started (no such program or directory, no process left).
            SandboxDied: the sandbox is gone.

        """

    @abstractmethod
    async def open_process(
        self, argv: list[str], *, cwd: str = WORKSPACE, env: Mapping[str, str] | None = None
    ) -> PipedProcess:
        """Start a program that runs until it ends or is killed.

        Raises:
            SandboxError: it can't be started.
            SandboxDied: the sandbox is gone.

        """

    @abstractmethod
    async def pressure(self) -> tuple[int, int]:
        """How often the limits on (processes, memory) were hit so far; a rise during a command says that it was why."""

    @abstractmethod
    async def kill_all(self) -> None:
        """SIGKILL every process but pid 1, all at once."""

    @abstractmethod
    async def close(self) -> None:
        """End every process and remove everything. May be called more than once."""

    @property
    @abstractmethod
    def alive(self) -> bool:
        """Whether pid 1 still serves."""

"""What a command left behind: typed records that a tool turns into text."""

from dataclasses import dataclass, field
from typing import Literal

CommandStatus = Literal["exited", "backgrounded", "started", "timed_out", "shell_died", "output_limit", "spawn_failed"]


class CommandError(ValueError):
    """The command cannot be given to a shell (for example it holds NUL). Nothing was run and the shell lives."""


class UnknownShell(LookupError):
    """No shell job has this id."""


@dataclass(frozen=True)
class Output:
    """A command's output: everything while it is small, else its head and its tail.

    Attributes:
        start: The first kept characters.
        end: The last kept characters; empty when nothing was omitted.
        chars: How many characters the command wrote in all.
        bytes: How many bytes it wrote in all.
        lines: How many line ends it wrote.

    """

    start: str = ""
    end: str = ""
    chars: int = 0
    bytes: int = 0
    lines: int = 0

    @property
    def omitted_chars(self) -> int:
        """Characters that were not kept in memory (the terminal file and the journal say so too)."""
        return self.chars - len(self.start) - len(self.end)

    @property
    def text(self) -> str:
        """What was kept; a marker line states how much is missing, if anything is."""
        if self.omitted_chars <= 0:
            return self.start + self.end
        return f"{self.start}\n\n... ({self.omitted_chars} characters omitted) ...\n\n{self.end}"

    def head(self, n: int) -> str:
        """The first ``n`` characters (fewer if fewer were kept)."""
        joined = self.start if self.omitted_chars > 0 else self.start + self.end
        return joined[:n]

    def tail(self, n: int) -> str:
        """The last ``n`` characters (fewer if fewer were kept)."""
        if n <= 0:
            return ""
        joined = self.end if self.omitted_chars > 0 else self.start + self.end
        return joined[-n:]


@dataclass(frozen=True)
class CommandResult:
    """The end, or the going on, of one command (SH-14).

    ``status``: *exited* by itself; *backgrounded* when ``block_until_ms`` ran out (it goes on); *started* in the
    background at once; *timed_out* and *output_limit* were killed by a limit; *shell_died* when the shell itself was
    killed; *spawn_failed* when no shell could be started.
    """

    status: CommandStatus
    command: str
    shell_id: int
    pid: int
    output: Output
    cwd: str
    output_file: str
    exit_code: int | None = None
    signal: int | None = None
    duration_ms: int = 0
    block_until_ms: float = 0
    new_shell: bool = False
    full_screen: bool = False
    awaiting_input: bool = False
    forged_marks: int = 0
    error: str | None = None


@dataclass(frozen=True)
class WaitResult:
    """How a background job stands (AW-2)."""

    shell_id: int
    finished: bool
    exit_code: int | None
    elapsed_ms: int
    output_file: str
    output_length: int
    matched: bool | None = None


@dataclass(frozen=True)
class FinishedJob:
    """A background job that ended and that nobody awaited (AW-3)."""

    shell_id: int
    title: str
    command: str
    exit_code: int | None
    status: str = field(default="succeeded")

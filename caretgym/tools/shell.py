"""Shell: run a command in the session's terminal (SH-1…14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from caretgym.ide_sim.terminal import CommandError, CommandResult
from caretgym.tools.base import CallContext, Data, ErrorClass, Failure, Tool, ToolOutcome, failed, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

MAX_BLOCK_MS = 600_000


class NotifyOnOutput(msgspec.Struct, frozen=True):
    """What the agent wants to be told of (SH-15); recorded, and not acted upon."""

    pattern: str
    reason: str
    debounce_ms: float = 5000
    notification_limit: float | None = None


class ShellArgs(msgspec.Struct, frozen=True):
    """``block_until_ms`` 0: in the background at once."""

    command: str
    description: str | None = None
    working_directory: str | None = None
    block_until_ms: float = 30000
    required_permissions: list[str] = []
    notify_on_output: NotifyOnOutput | None = None


class Finished(Data, frozen=True):
    """The command ended by itself; an exit code other than 0 is no failure of the call."""

    command: str
    exit_code: int
    output: str
    output_chars: int
    output_lines: int
    output_bytes: int
    truncated: bool
    output_file: str
    duration_ms: int
    cwd: str
    shell_id: int
    pid: int
    signal: int | None
    forged_marks: int
    note: str = ""


class Backgrounded(Data, frozen=True):
    """It goes on in the background: the wait was over (SH-7) or was to be none (SH-8)."""

    command: str
    shell_id: int
    pid: int
    output_file: str
    collected: str
    waited_ms: int
    at_once: bool
    full_screen: bool
    awaiting_input: bool


class Killed(Failure, frozen=True):
    """A limit or a signal ended it; ``kind``: timed_out, output_limit or shell_died (SH-9)."""

    error_class: ClassVar[ErrorClass] = "Timeout"
    kind: str
    command: str
    output: str
    output_chars: int
    exit_code: int | None
    signal: int | None
    reason: str


class SpawnFailed(Failure, frozen=True):
    """No shell could be started (SH-9)."""

    error_class: ClassVar[ErrorClass] = "UnexpectedEnvironment"
    command: str
    reason: str


class BadCommand(Failure, frozen=True):
    """The command can't be given to a shell."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    reason: str


class Shell(Tool[ShellArgs]):
    """Limits: ``inline``: the most characters of output in a result (SH-6); ``spill``: above it the output goes to a file."""

    name = "Shell"
    Args = ShellArgs

    async def run(self, ide: IDE, args: ShellArgs, call: CallContext) -> ToolOutcome:
        """Run it, or start it."""
        directory = None
        if args.working_directory:
            directory = args.working_directory
            if not directory.startswith("/"):
                directory = ide.workspace.display(directory)
        try:
            result = await ide.terminals.run(
                args.command,
                working_directory=directory,
                block_until_ms=min(args.block_until_ms, MAX_BLOCK_MS),
                title=args.description,
                call_id=call.id,
            )
        except CommandError as error:
            return failed(BadCommand(str(error)))
        return outcome_of(ide, result, call)


def outcome_of(ide: IDE, result: CommandResult, call: CallContext) -> ToolOutcome:
    """Turn a terminal's record into the tool's."""
    output = result.output
    inline = call.limits.get("inline", 20_000)
    if result.status == "spawn_failed":
        return failed(SpawnFailed(result.command, result.error or "unknown reason"))
    if result.status in ("backgrounded", "started"):
        collected, _ = shorten(output.head(inline // 2 + 1), output.tail(inline), output.chars, inline)
        return success(
            Backgrounded(
                result.command, result.shell_id, result.pid, result.output_file, collected, int(result.block_until_ms),
                result.status == "started", result.full_screen, result.awaiting_input,
            )
        )  # fmt: skip
    text, cut = shorten(output.head(inline), output.tail(inline), output.chars, inline)
    if result.status != "exited":
        return failed(
            Killed(
                result.status, result.command, text, output.chars, result.exit_code, result.signal,
                result.error or _reason(result),
            )
        )  # fmt: skip
    file = ""
    if output.chars > call.limits.get("spill", 1 << 62):
        file = ide.terminals.spill(output.text, call.id)
    return success(
        Finished(
            result.command, result.exit_code if result.exit_code is not None else -1, text, output.chars, output.lines,
            output.bytes, cut, file, result.duration_ms, result.cwd, result.shell_id, result.pid, result.signal,
            result.forged_marks, result.error or "",
        )
    )  # fmt: skip


def shorten(head: str, tail: str, total: int, limit: int) -> tuple[str, bool]:
    """The whole text, or its first and last halves with a mark between (SH-6). Characters are never cut in two."""
    if total <= limit:
        return head if len(head) == total else tail[-total:] if total else "", False
    half = limit // 2
    return f"{head[:half]}\n\n... (output truncated) ...\n\n{tail[-half:]}", True


def _reason(result: CommandResult) -> str:
    if result.status == "timed_out":
        return "Command timed out."
    return f"The shell was ended by signal {result.signal}."

"""AwaitShell: wait for a background job (AW-1, AW-2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

import msgspec

from caretgym.ide_sim.terminal import UnknownShell
from caretgym.tools.base import CallContext, Data, ErrorClass, Failure, Tool, ToolOutcome, failed, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

MAX_BLOCK_MS = 600_000


class AwaitShellArgs(msgspec.Struct, frozen=True):
    """Without ``shell_id``: a sleep."""

    shell_id: str | None = None
    block_until_ms: float = 30000
    pattern: str | None = None


class TaskCompleted(Data, frozen=True):
    """The job has ended."""

    shell_id: int
    elapsed_ms: int
    exit_code: int | None
    output_file: str
    output_length: int
    matched: bool | None


class TaskRunning(Data, frozen=True):
    """The job goes on."""

    shell_id: int
    elapsed_ms: int
    output_file: str
    output_length: int
    matched: bool | None


class Slept(Data, frozen=True):
    """Time has passed."""

    milliseconds: int


class NoSuchShell(Failure, frozen=True):
    """No job has that id."""

    shell_id: str


class NotAShell(Failure, frozen=True):
    """The id is not a number, so it names something else (AW-2)."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    shell_id: str


class BadPattern(Failure, frozen=True):
    """The pattern is no regular expression."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    pattern: str
    reason: str


class AwaitNeedsShell(Failure, frozen=True):
    """A status check (block_until_ms 0) of nothing (AW-1)."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"


class AwaitShell(Tool[AwaitShellArgs]):
    """Waits, at most ten minutes."""

    name = "AwaitShell"
    readonly = True
    Args = AwaitShellArgs

    async def run(self, ide: IDE, args: AwaitShellArgs, call: CallContext) -> ToolOutcome:
        """Wait for the end, the pattern or the time."""
        block_ms = min(max(args.block_until_ms, 0), MAX_BLOCK_MS)
        if args.shell_id is None or not args.shell_id.strip():
            if block_ms == 0:
                return failed(AwaitNeedsShell())
            await ide.terminals.wait(None, block_until_ms=block_ms)
            return success(Slept(int(block_ms)))
        text = args.shell_id.strip()
        if not (text.isascii() and text.isdigit()):
            return failed(NotAShell(text))
        try:
            result = await ide.terminals.wait(int(text), block_until_ms=block_ms, pattern=args.pattern)
        except UnknownShell:
            return failed(NoSuchShell(text))
        except re.error as error:
            return failed(BadPattern(args.pattern or "", str(error)))
        assert result is not None
        common = (result.output_file, result.output_length, result.matched)
        if result.finished:
            return success(TaskCompleted(result.shell_id, result.elapsed_ms, result.exit_code, *common))
        return success(TaskRunning(result.shell_id, result.elapsed_ms, *common))

"""Running ripgrep in the session's sandbox, where no link can lead it anywhere that the agent may not read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from caretgym.ide_sim.sandbox.base import SandboxDied, SandboxError
from caretgym.ide_sim.sandbox.mounts import RIPGREP

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

TIMEOUT_S = 20.0
OUTPUT_BYTES = 32 << 20
BASE = ("--no-config", "--color=never", "--no-messages", "--no-require-git", "--no-ignore-global")


class SearchFailed(Exception):
    """The search did not run; the message says why."""


class Found(NamedTuple):
    """``complete``: nothing was cut, by size or by time."""

    output: bytes
    exit_code: int
    complete: bool


async def ripgrep(ide: IDE, arguments: list[str], directory: str) -> Found:
    """Run ``rg`` in a directory (as the agent sees it).

    Raises:
        SearchFailed: it can't run there.
        SandboxDied: the sandbox is gone.

    """
    argv = [RIPGREP, *BASE, *arguments]
    try:
        result = await ide.sandbox.exec(argv, cwd=directory, timeout_s=TIMEOUT_S, output_limit=OUTPUT_BYTES)
    except SandboxDied:
        raise
    except SandboxError as error:
        raise SearchFailed(str(error)) from error
    output = result.output
    if result.omitted_bytes:
        output = output[: OUTPUT_BYTES // 2].rpartition(b"\n")[0]
    return Found(output, result.exit_code, not (result.omitted_bytes or result.timed_out))


def decode_path(data: bytes) -> str:
    """A path as rg wrote it, without the leading ``./``; undecodable bytes are surrogates."""
    return os.fsdecode(data).removeprefix("./")

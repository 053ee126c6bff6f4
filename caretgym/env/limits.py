"""What an episode may use before it is cut off."""

import msgspec

from caretgym.env.task import LimitsPart
from caretgym.env.turn import Turn
from caretgym.ide_sim.sandbox.base import Limits


class EpisodeLimits(msgspec.Struct, frozen=True):
    """Limits of one episode.

    Attributes:
        turns: Model turns.
        tokens: Completion tokens of all turns, as the policy reports them; a turn that reports none is counted as a
            quarter of its characters.
        seconds: Of the session's clock.

    """

    turns: int = 100
    tokens: int = 1_000_000
    seconds: float = 3600.0


def episode_limits(part: LimitsPart, default: EpisodeLimits | None = None) -> EpisodeLimits:
    """A task's limits over the defaults."""
    default = default or EpisodeLimits()
    return EpisodeLimits(
        part.turns if part.turns is not None else default.turns,
        part.tokens if part.tokens is not None else default.tokens,
        part.seconds if part.seconds is not None else default.seconds,
    )


def sandbox_limits(part: LimitsPart) -> Limits:
    """A task's limits on the sandbox over that one's defaults."""
    default = Limits()
    return Limits(
        memory_mb=part.memory_mb or default.memory_mb,
        processes=part.processes or default.processes,
        disk_mb=part.disk_mb or default.disk_mb,
        file_mb=min(default.file_mb, part.disk_mb or default.file_mb),
        output_bytes=part.output_bytes or default.output_bytes,
        command_seconds=part.command_seconds or default.command_seconds,
    )


def turn_tokens(turn: Turn) -> int:
    """Tokens that a turn cost (see :class:`EpisodeLimits`)."""
    if turn.tokens is not None and turn.tokens.ids:
        return len(turn.tokens.ids)
    if turn.usage is not None and turn.usage.completion_tokens:
        return turn.usage.completion_tokens
    chars = len(turn.text) + len(turn.reasoning) + sum(len(str(c.arguments)) + len(c.name) for c in turn.tool_calls)
    return -(-chars // 4)

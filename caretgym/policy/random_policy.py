"""Random valid tool calls, reproducible by the episode's seed."""

from collections.abc import Mapping
from typing import Any

from caretgym.env.spaces import TurnSpace
from caretgym.env.turn import Turn, turn_from_action
from caretgym.policy.base import PolicyContext, PolicyError


class RandomPolicy:
    """Samples the action space; ends after ``turns`` turns at the latest."""

    needs_reference = False

    def __init__(self, turns: int = 8) -> None:
        self._most = turns
        self._taken = 0
        self._space: TurnSpace | None = None

    async def start(self, context: PolicyContext) -> None:
        """Seed the space."""
        self._space = TurnSpace(context.profile, seed=context.seed)
        self._taken = 0

    async def act(self, observation: Mapping[str, Any]) -> Turn:
        """A sample."""
        if self._space is None:
            raise PolicyError("start() was not called")
        self._taken += 1
        if self._taken > self._most:
            return Turn("That is all.")
        return turn_from_action(self._space.sample())

    async def close(self) -> None:
        """Nothing to close."""

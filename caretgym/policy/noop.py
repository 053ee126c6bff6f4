"""The policy that does nothing: a task must not be solved by it."""

from collections.abc import Mapping
from typing import Any

from caretgym.env.turn import Turn
from caretgym.policy.base import PolicyContext


class NoopPolicy:
    """Ends the session with its first turn."""

    needs_reference = False

    async def start(self, context: PolicyContext) -> None:
        """Nothing to prepare."""

    async def act(self, observation: Mapping[str, Any]) -> Turn:
        """A turn without calls."""
        return Turn("There is nothing to do.")

    async def close(self) -> None:
        """Nothing to close."""

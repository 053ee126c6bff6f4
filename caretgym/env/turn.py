"""A turn: what a policy does in one step of an episode.

A turn is one model message: text and a *list* of tool calls, as in the Composer 2 report's formal frame (an action is
one model turn that holds one or more tool calls).
"""

from collections.abc import Mapping
from typing import Any

import msgspec


class ToolCall(msgspec.Struct, frozen=True):
    """One call. ``arguments`` is a JSON object, or the raw text when the model's JSON could not be parsed (ER-1)."""

    name: str
    arguments: dict[str, Any] | str
    id: str = ""


class Usage(msgspec.Struct, frozen=True):
    """Token counts as the serving side reported them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0


class TokenRecord(msgspec.Struct, frozen=True):
    """Tokens that a policy generated: ids and log-probabilities in order, and the policy version of each token."""

    ids: list[int] = []
    logprobs: list[float] = []
    policy_version: list[int] = []


class Turn(msgspec.Struct, frozen=True):
    """One model message. A turn without tool calls ends the agent's work."""

    text: str = ""
    tool_calls: list[ToolCall] = []
    reasoning: str = ""
    usage: Usage | None = None
    tokens: TokenRecord | None = None

    def to_action(self) -> dict[str, Any]:
        """The turn as the plain value that ``env.step`` takes."""
        calls = [{"name": c.name, "arguments": c.arguments, **({"id": c.id} if c.id else {})} for c in self.tool_calls]
        return {"text": self.text, "tool_calls": calls}


def turn_from_action(action: Turn | Mapping[str, Any]) -> Turn:
    """Read a turn from ``env.step``'s argument.

    Raises:
        TypeError: the value is not of a turn's shape; the message names the offending key.

    """
    if isinstance(action, Turn):
        return action
    try:
        if not isinstance(action, Mapping):
            raise TypeError(f"got {type(action).__name__}")
        return msgspec.convert(dict(action), Turn)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise TypeError(
            f"not a turn: {error}. Expected {{'text': str, 'tool_calls': [{{'name': str, 'arguments': dict}}]}}"
        ) from error

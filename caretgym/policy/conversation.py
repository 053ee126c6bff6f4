"""The conversation as chat models take it, built from observations and turns."""

import json
from collections.abc import Mapping
from typing import Any

from caretgym.env.turn import Turn


class Conversation:
    """Messages in OpenAI's form."""

    def __init__(self) -> None:
        self._messages: list[dict[str, Any]] = []
        self._calls: list[dict[str, Any]] = []

    def add_observation(self, observation: Mapping[str, Any]) -> None:
        """Results of the last turn's calls, in their order, then new messages."""
        for index, result in enumerate(observation["results"]):
            if index < len(self._calls):
                self._calls[index]["id"] = result["id"]
            self._messages.append({"role": "tool", "tool_call_id": result["id"], "content": result["text"]})
        self._calls = []
        self._messages += [{"role": m["role"], "content": m["content"]} for m in observation["messages"]]

    def add_turn(self, turn: Turn) -> None:
        """What the model did. Ids that the model did not give come with the results."""
        message: dict[str, Any] = {"role": "assistant", "content": turn.text}
        if turn.tool_calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": _arguments(call.arguments)},
                }
                for call in turn.tool_calls
            ]
            self._calls = message["tool_calls"]
        self._messages.append(message)

    def to_openai(self) -> list[dict[str, Any]]:
        """The messages so far."""
        return list(self._messages)


def _arguments(value: dict[str, Any] | str) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

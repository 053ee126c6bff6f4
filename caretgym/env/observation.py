"""What a policy is told after each step."""

from typing import Any

import msgspec


class ObservedMessage(msgspec.Struct, frozen=True):
    """A message that the model has not been told yet. ``role`` is ``system`` or ``user``."""

    role: str
    content: str


class ObservedResult(msgspec.Struct, frozen=True):
    """The result of one tool call, in the order of the calls."""

    id: str
    name: str
    ok: bool
    text: str


class Observation(msgspec.Struct, frozen=True):
    """New messages and the results of the turn's calls."""

    messages: list[ObservedMessage] = []
    results: list[ObservedResult] = []

    def to_dict(self) -> dict[str, Any]:
        """The plain value that crosses the Gymnasium boundary; a new one at each call."""
        return {
            "messages": [{"role": m.role, "content": m.content} for m in self.messages],
            "results": [{"id": r.id, "name": r.name, "ok": r.ok, "text": r.text} for r in self.results],
        }

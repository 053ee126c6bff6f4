"""Server-sent events of a chat completion, put together to one message."""

import codecs
import json
from collections.abc import AsyncIterator
from typing import Any


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event. Chunks may end anywhere, in the middle of a character or of a line too."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    data: list[str] = []
    async for chunk in chunks:
        rest += decoder.decode(chunk)
        while "\n" in rest:
            line, rest = rest.split("\n", 1)
            line = line.removesuffix("\r")
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data = []
    if rest.startswith("data:"):
        data.append(rest[5:].removeprefix(" "))
    if data:
        yield "\n".join(data)


class Assembler:
    """Collects the deltas of a streamed completion into the form of one that is not streamed."""

    def __init__(self) -> None:
        self.message: dict[str, Any] = {"content": "", "reasoning_content": "", "tool_calls": []}
        self.finish_reason: str | None = None
        self.usage: dict[str, Any] | None = None
        self.logprobs: list[dict[str, Any]] = []
        self.done = False

    def feed(self, data: str) -> None:
        """Take one event's data.

        Raises:
            ValueError: it is not JSON, or the server sent an error.

        """
        if data.strip() == "[DONE]":
            self.done = True
            return
        value = json.loads(data)
        if "error" in value:
            raise ValueError(f"the server sent an error: {value['error']}")
        if value.get("usage"):
            self.usage = value["usage"]
        for choice in value.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta") or {}
            for name in ("content", "reasoning_content"):
                if delta.get(name):
                    self.message[name] += delta[name]
            for part in delta.get("tool_calls") or ():
                self._call(part)
            if choice.get("logprobs"):
                self.logprobs += choice["logprobs"].get("content") or []
            if choice.get("finish_reason"):
                self.finish_reason = choice["finish_reason"]
                self.done = True

    def _call(self, part: dict[str, Any]) -> None:
        calls = self.message["tool_calls"]
        index = part.get("index", len(calls))
        while len(calls) <= index:
            calls.append({"id": "", "function": {"name": "", "arguments": ""}})
        call = calls[index]
        call["id"] = part.get("id") or call["id"]
        function = part.get("function") or {}
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""

    def completion(self) -> dict[str, Any]:
        """The whole completion."""
        choice = {
            "message": self.message, "finish_reason": self.finish_reason,
            "logprobs": {"content": self.logprobs} if self.logprobs else None,
        }  # fmt: skip
        return {"choices": [choice], "usage": self.usage}

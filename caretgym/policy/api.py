"""Any OpenAI-compatible chat server as a policy."""

import asyncio
import json
import os
import random
from collections.abc import Mapping
from typing import Any

import httpx

from caretgym.env.turn import TokenRecord, ToolCall, Turn, Usage
from caretgym.policy.base import PolicyContext, PolicyError
from caretgym.policy.conversation import Conversation
from caretgym.policy.hermes import parse_text_calls
from caretgym.policy.retry import MAX_WAIT_S, RETRIED, backoff, retry_after
from caretgym.policy.sse import Assembler, events

KEY_VARIABLE = "CARETGYM_API_KEY"
_SHOWN = 500


class _Again(Exception):
    """The request may succeed later."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


class ApiPolicy:
    """Asks a chat server for each turn.

    Args:
        model: The model's name there.
        url: The API's base address, as ``http://127.0.0.1:8000/v1``.
        stream: Ask for server-sent events.
        logprobs: Ask for log-probabilities; kept in the turn's token record where the server gives them.
        retries: How often a request is repeated after an error that may pass.
        timeout_s: Longest silence of the server.
        parameters: More of the request's fields (temperature, max_tokens, …).

    The key is read from the environment variable ``CARETGYM_API_KEY`` (else ``OPENAI_API_KEY``) and appears in no record.

    """

    needs_reference = False

    def __init__(
        self,
        model: str,
        url: str,
        *,
        stream: bool = True,
        logprobs: bool = False,
        retries: int = 5,
        timeout_s: float = 300.0,
        backoff_s: float = 0.5,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.model, self.url = model, url.rstrip("/")
        self._stream, self._logprobs, self._retries, self._backoff_s = stream, logprobs, retries, backoff_s
        self._parameters = dict(parameters or {})
        key = os.environ.get(KEY_VARIABLE) or os.environ.get("OPENAI_API_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.AsyncClient(timeout=httpx.Timeout(timeout_s, connect=10.0), headers=headers)
        self._conversation = Conversation()
        self._tools: list[dict[str, Any]] = []
        self._random = random.Random(0)  # noqa: S311 - spreads retries

    async def start(self, context: PolicyContext) -> None:
        """Begin a new conversation."""
        self._conversation = Conversation()
        self._tools = context.tools
        self._random = random.Random(context.seed)  # noqa: S311 - spreads retries

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def act(self, observation: Mapping[str, Any]) -> Turn:
        """Ask for the next turn."""
        self._conversation.add_observation(observation)
        request: dict[str, Any] = {
            "model": self.model,
            "messages": self._conversation.to_openai(),
            "tools": self._tools,
            **self._parameters,
        }
        if self._stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        if self._logprobs:
            request["logprobs"] = True
        turn = turn_of(await self._ask(request))
        self._conversation.add_turn(turn)
        return turn

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        for attempt in range(self._retries + 1):
            try:
                return await (self._streamed(request) if self._stream else self._whole(request))
            except _Again as error:
                reason = error
            except httpx.TimeoutException as error:
                reason = _Again(f"no answer in time ({type(error).__name__})")
            except httpx.TransportError as error:
                reason = _Again(f"the connection failed ({error or type(error).__name__})")
            if attempt == self._retries:
                break
            wait_s = reason.wait_s if reason.wait_s is not None else backoff(attempt, self._random, self._backoff_s)
            await asyncio.sleep(min(wait_s, MAX_WAIT_S))
        raise PolicyError(
            f"{self.url} gave no answer after {self._retries + 1} attempts: {reason}. Is the server running?"
        )

    async def _whole(self, request: dict[str, Any]) -> dict[str, Any]:
        response = await self._client.post(f"{self.url}/chat/completions", json=request)
        self._check(response.status_code, response.headers, response.text)
        try:
            value = response.json()
        except ValueError as error:
            raise _Again(f"the answer is not JSON: {response.text[:_SHOWN]!r}") from error
        if not isinstance(value, dict) or not value.get("choices"):
            raise PolicyError(f"{self.url}: the answer has no choices: {response.text[:_SHOWN]!r}")
        return value

    async def _streamed(self, request: dict[str, Any]) -> dict[str, Any]:
        async with self._client.stream("POST", f"{self.url}/chat/completions", json=request) as response:
            if response.status_code != httpx.codes.OK:
                body = (await response.aread()).decode("utf-8", "replace")
                self._check(response.status_code, response.headers, body)
            if "text/event-stream" not in response.headers.get("content-type", ""):
                await response.aread()  # a server that does not stream answers as a whole
                value = response.json()
                if not value.get("choices"):
                    raise PolicyError(f"{self.url}: the answer has no choices: {response.text[:_SHOWN]!r}")
                return dict(value)
            assembler = Assembler()
            try:
                async for data in events(response.aiter_bytes()):
                    assembler.feed(data)
            except ValueError as error:
                raise _Again(f"the stream is broken: {error}") from error
        if not assembler.done:
            raise _Again("the stream ended in the middle")
        return assembler.completion()

    def _check(self, status: int, headers: Mapping[str, str], body: str) -> None:
        if status == httpx.codes.OK:
            return
        said = _message(body)
        if status in RETRIED:
            raise _Again(f"status {status}: {said}", retry_after(headers.get("retry-after")))
        lowered = said.lower()
        if status in (400, 413) and ("context" in lowered or "too long" in lowered or "maximum" in lowered):
            remedy = "The conversation is longer than the model takes; set a lower limit of turns or use a model with more context."
        elif status in (401, 403):
            remedy = f"Put a valid key into the environment variable {KEY_VARIABLE}."
        elif status == 404:
            remedy = f"Check the address (it should end before /chat/completions) and the model's name {self.model!r}."
        else:
            remedy = "The server does not accept the request."
        raise PolicyError(f"{self.url}: status {status}: {said}. {remedy}")


def _message(body: str) -> str:
    try:
        error = json.loads(body)["error"]
        text = error["message"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError):
        text = body
    return " ".join(str(text).split())[:_SHOWN] or "no message"


def turn_of(completion: Mapping[str, Any]) -> Turn:
    """A completion's first choice as a turn. Arguments that are not a JSON object stay the raw text (ER-1)."""
    choice = completion["choices"][0]
    message = choice.get("message") or {}
    text = message.get("content") or ""
    calls = [_call(part) for part in message.get("tool_calls") or ()]
    if not calls and "<tool_call>" in text:
        text, calls = parse_text_calls(text)
    return Turn(
        text=text,
        tool_calls=calls,
        reasoning=message.get("reasoning_content") or message.get("reasoning") or "",
        usage=_usage(completion.get("usage")),
        tokens=_tokens(choice.get("logprobs")),
    )


def _call(part: Mapping[str, Any]) -> ToolCall:
    function = part.get("function") or {}
    raw = function.get("arguments")
    arguments: dict[str, Any] | str
    if isinstance(raw, dict):
        arguments = raw
    else:
        try:
            value = json.loads(raw or "{}")
        except (ValueError, RecursionError):
            value = None
        arguments = value if isinstance(value, dict) else str(raw)
    return ToolCall(function.get("name") or "", arguments, part.get("id") or "")


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    prompt, completion = value.get("prompt_tokens_details") or {}, value.get("completion_tokens_details") or {}
    return Usage(
        int(value.get("prompt_tokens") or 0), int(value.get("completion_tokens") or 0),
        int(completion.get("reasoning_tokens") or 0), int(prompt.get("cached_tokens") or 0),
    )  # fmt: skip


def _tokens(value: Any) -> TokenRecord | None:
    """Log-probabilities in order. Most servers give no ids: then the list of ids is empty."""
    content = value.get("content") if isinstance(value, dict) else None
    if not content:
        return None
    ids = [item["token_id"] for item in content if isinstance(item.get("token_id"), int)]
    return TokenRecord(ids if len(ids) == len(content) else [], [float(item["logprob"]) for item in content])

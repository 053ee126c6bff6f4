"""The chat-server policy against a real server on loopback that misbehaves in each way."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from caretgym.policy.api import ApiPolicy, turn_of
from caretgym.policy.base import PolicyContext, PolicyError
from caretgym.policy.retry import retry_after
from caretgym.tools import get_profile

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
OBSERVATION = {"messages": [{"role": "user", "content": "hi"}], "results": []}


class Server:
    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.requests.append(body)
                outer.headers.append({k.lower(): v for k, v in self.headers.items()})
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                answer(self, body)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def whole(message: dict[str, Any], **extra: Any) -> Answer:
    return status(200, {"choices": [{"message": message, **extra.pop("choice", {})}], **extra})


def status(code: int, value: Any, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        handler.send_response(code)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(data)))
        for name, text in headers.items():
            handler.send_header(name.replace("_", "-"), text)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def stream(events: list[Any], *, piece: int = 7, cut: bool = False) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        data = b": comment\n\n" + b"".join(
            f"data: {json.dumps(e, ensure_ascii=False)}\r\n\r\n".encode() for e in events
        )
        if not cut:
            data += b"data: [DONE]\n\n"
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("connection", "close")
        handler.end_headers()
        for at in range(0, len(data), piece):
            handler.wfile.write(data[at : at + piece])
            handler.wfile.flush()
        handler.close_connection = True

    return answer


def policy(server: Server, **options: Any) -> ApiPolicy:
    return ApiPolicy("m", server.url, **{"stream": False, "backoff_s": 0.001, **options})


async def act(made: ApiPolicy) -> Any:
    await made.start(PolicyContext("t", get_profile(), 0))
    try:
        return await made.act(OBSERVATION)
    finally:
        await made.close()


CALL = {"id": "a", "function": {"name": "Shell", "arguments": '{"command": "ls"}'}}


async def test_a_whole_answer(server: Server) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 2}}
    server.answers = [whole({"content": "x", "reasoning_content": "r", "tool_calls": [CALL]}, usage=usage)]
    turn = await act(policy(server))
    assert (turn.text, turn.reasoning, turn.tool_calls[0].arguments) == ("x", "r", {"command": "ls"})
    assert (turn.usage.prompt_tokens, turn.usage.completion_tokens, turn.usage.reasoning_tokens) == (5, 7, 2)
    assert {t["function"]["name"] for t in server.requests[0]["tools"]} == set(get_profile().tools)


@pytest.mark.parametrize("piece", [1, 3, 1000])
async def test_a_streamed_answer_in_pieces(server: Server, piece: int) -> None:
    def delta(**d: Any) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": d}]}

    events = [
        delta(content="界"), delta(content="🙂"),
        delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "Shell", "arguments": ""}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"comm'}}]),
        delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "Read", "arguments": '{"path": "x"}'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 'and": "ls"}'}}]),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
    ]  # fmt: skip
    server.answers = [stream(events, piece=piece)]
    turn = await act(policy(server, stream=True))
    assert turn.text == "界🙂"
    assert [(c.name, c.arguments) for c in turn.tool_calls] == [("Shell", {"command": "ls"}), ("Read", {"path": "x"})]
    assert turn.usage.completion_tokens == 2


async def test_a_cut_stream_is_asked_for_again(server: Server) -> None:
    part = {"choices": [{"index": 0, "delta": {"content": "half"}}]}
    end = {"choices": [{"index": 0, "delta": {"content": "whole"}, "finish_reason": "stop"}]}
    server.answers = [stream([part], cut=True), stream([end])]
    assert (await act(policy(server, stream=True))).text == "whole"
    assert len(server.requests) == 2


async def test_retry_after_is_obeyed(server: Server) -> None:
    server.answers = [
        status(429, {"error": {"message": "slow down"}}, Retry_After="0.2"),
        status(503, "busy"),
        whole({"content": "ok"}),
    ]
    started = time.monotonic()
    assert (await act(policy(server))).text == "ok"
    assert time.monotonic() - started >= 0.2
    assert len(server.requests) == 3


def test_retry_after_forms() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after("3", now) == 3.0
    assert retry_after(format_datetime(now + timedelta(seconds=30), usegmt=True), now) == 30.0
    assert retry_after(format_datetime(now - timedelta(seconds=30), usegmt=True), now) == 0.0
    assert retry_after("soon") is None
    assert retry_after(None) is None


async def test_it_gives_up_with_the_cause(server: Server) -> None:
    server.answers = [status(500, {"error": {"message": "kaputt"}})]
    with pytest.raises(PolicyError, match=r"after 3 attempts: status 500: kaputt"):
        await act(policy(server, retries=2))
    with pytest.raises(PolicyError, match=r"connection failed.*Is the server running"):
        await act(ApiPolicy("m", "http://127.0.0.1:1/v1", retries=0))


async def test_silence_is_a_timeout(server: Server) -> None:
    server.answers = [lambda *_: time.sleep(0.5)]
    with pytest.raises(PolicyError, match="no answer in time"):
        await act(policy(server, retries=0, timeout_s=0.1))


@pytest.mark.parametrize(
    ("code", "message", "remedy"),
    [
        (400, "maximum context length is 10", "longer than the model"),
        (401, "bad key", "CARETGYM_API_KEY"),
        (404, "no model", "address"),
        (422, "odd", "does not accept"),
    ],
)
async def test_errors_name_the_remedy(server: Server, code: int, message: str, remedy: str) -> None:
    server.answers = [status(code, {"error": {"message": message}})]
    with pytest.raises(PolicyError, match=f"{code}: {message}.*{remedy}"):
        await act(policy(server))
    assert len(server.requests) == 1


async def test_the_key_is_sent_and_never_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARETGYM_API_KEY", "k-secret")
    server.answers = [status(403, {"error": {"message": "no"}})]
    with pytest.raises(PolicyError) as caught:
        await act(policy(server))
    assert server.headers[0]["authorization"] == "Bearer k-secret"
    assert "k-secret" not in str(caught.value)


def test_broken_arguments_stay_text() -> None:
    def arguments(raw: Any) -> Any:
        message = {"tool_calls": [{"id": "a", "function": {"name": "Read", "arguments": raw}}]}
        return turn_of({"choices": [{"message": message}]}).tool_calls[0].arguments

    assert arguments('{"path": "x') == '{"path": "x'
    assert arguments("[1]") == "[1]"
    assert arguments("") == {}
    assert arguments({"path": "x"}) == {"path": "x"}


def test_calls_in_plain_text() -> None:
    text = 'Sure.\n<tool_call>\n{"name": "Shell", "arguments": {"command": "ls"}}\n</tool_call>\n<tool_call>{"name": "Read", "arg'
    turn = turn_of({"choices": [{"message": {"content": text}}]})
    assert turn.text == "Sure."
    assert turn.tool_calls[0].arguments == {"command": "ls"}
    assert (turn.tool_calls[1].name, turn.tool_calls[1].arguments) == ("Read", '{"name": "Read", "arg')


def test_log_probabilities() -> None:
    content = [{"token": "a", "logprob": -0.5, "token_id": 3}, {"token": "b", "logprob": -1.5, "token_id": 4}]
    turn = turn_of({"choices": [{"message": {"content": "ab"}, "logprobs": {"content": content}}]})
    assert turn.tokens is not None
    assert (turn.tokens.ids, turn.tokens.logprobs) == ([3, 4], [-0.5, -1.5])

"""``Connection``: JSON-RPC with one server process. Nothing here waits without a deadline."""

import asyncio
import contextlib
import itertools
import os
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from caretgym.ide_sim.lsp.jsonrpc import FrameReader, ProtocolError, encode, frame, parse
from caretgym.ide_sim.sandbox.base import PipedProcess, SandboxDied

FLOOD_BYTES, FLOOD_MESSAGES = 128 << 20, 20_000
"""What a server may send between two of our requests; more is a flood, and the server is taken for broken."""
BACKLOG_BYTES = 128 << 20
"""What may wait because the server does not read; more, and it is taken for broken."""
_READ = 1 << 18
_STDERR_KEPT, _STDERR_SHOWN = 4 << 10, 600
_ABANDONED = 1000


class ServerGone(Exception):
    """The server has ended, or broke the protocol so that it had to be ended. The message says how."""


class RequestTimedOut(Exception):
    """No answer within the deadline."""


class ResponseError(Exception):
    """The server answered with an error (LSP 3.17, ``ResponseError``)."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code, self.data = code, data


class Answer(NamedTuple):
    """A response's result, the serial number under which its message was recorded, and the message itself."""

    result: Any
    serial: int
    body: bytes


class Peer(Protocol):
    """Who wants to know what the server says."""

    def traffic(self, direction: str, body: bytes) -> int:
        """A message went by (``sent`` or ``received``); returns its serial number."""

    def notified(self, method: str, params: Any, serial: int, body: bytes) -> None:
        """The server sent a notification."""

    def asked(self, method: str, params: Any) -> Any:
        """The server sent a request: its result. ResponseError: the error to answer with."""


class Connection:
    """Owns the process: closing one closes the other.

    Args:
        process: The server.
        peer: Is told of everything.

    """

    def __init__(self, process: PipedProcess, peer: Peer) -> None:
        self._process, self._peer = process, peer
        self._loop = asyncio.get_running_loop()
        self._reader = FrameReader()
        self._outbox = bytearray()
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._abandoned: dict[int, None] = {}
        self._ids = itertools.count(1)
        self._since_request = 0
        self._received_before = 0
        self.stderr = bytearray()
        """The last that the server wrote there."""
        self.unknown_responses = 0
        """Responses to requests that nobody sent."""
        self.received = 0
        """Messages from the server so far."""
        self.answers = 0
        """Responses to our requests so far, late ones too."""
        self.gone: str | None = None
        """Why there is no server any more; None while there is."""
        self._on_gone: list[Callable[[], None]] = []
        self._loop.add_reader(process.stdout_fd, self._readable)
        self._loop.add_reader(process.stderr_fd, self._drain_stderr)
        self._end = self._loop.create_task(self._watch())

    async def _watch(self) -> None:
        try:
            code = await self._process.wait()
        except SandboxDied as error:
            self._lost(f"its sandbox ended: {error}")
            return
        self._drain_stderr()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = self.stderr.decode("utf-8", "replace").strip()
        self._lost(f"it ended with {how}" + (f" and said: {said[-_STDERR_SHOWN:]}" if said else ""))

    def on_gone(self, callback: Callable[[], None]) -> None:
        """Call back once, when the server is gone."""
        self._on_gone.append(callback)

    # -- sending ------------------------------------------------------------------------------------------------------
    def notify(self, method: str, params: Any) -> None:
        """Send a notification. ServerGone: there is nobody to send it to."""
        self._send({"method": method, "params": params})

    async def request(self, method: str, params: Any, timeout_s: float) -> Answer:
        """Send a request and wait for its answer.

        Raises:
            ServerGone: the server is gone, or goes meanwhile.
            RequestTimedOut: no answer in time; the request is cancelled, a late answer is dropped.
            ResponseError: the server refused.

        """
        ident = next(self._ids)
        future: asyncio.Future[Answer] = self._loop.create_future()
        self._waiting[ident] = future
        self._since_request, self._received_before = 0, self.received
        try:
            self._send({"id": ident, "method": method, "params": params})
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError:
            raise RequestTimedOut(f"{method}: no answer within {timeout_s:g} s") from None
        finally:
            if self._waiting.pop(ident, None) is not None and not (future.done() and not future.cancelled()):
                self._abandon(ident)

    def _abandon(self, ident: int) -> None:
        self._abandoned[ident] = None
        while len(self._abandoned) > _ABANDONED:
            del self._abandoned[next(iter(self._abandoned))]
        with contextlib.suppress(ServerGone):
            self.notify("$/cancelRequest", {"id": ident})

    def _send(self, message: dict[str, Any]) -> None:
        if self.gone is not None:
            raise ServerGone(self.gone)
        body = encode(message)
        self._peer.traffic("sent", body)
        self._outbox += frame(body)
        if len(self._outbox) > BACKLOG_BYTES:
            self._lost("it does not read what it is sent")
            raise ServerGone(str(self.gone))
        self._writable()

    def _writable(self) -> None:
        fd = self._process.stdin_fd
        try:
            while self._outbox:
                sent = os.write(fd, self._outbox[: 1 << 16])
                del self._outbox[:sent]
        except BlockingIOError:
            self._loop.add_writer(fd, self._writable)
            return
        except BrokenPipeError:
            self._outbox.clear()
            self._loop.remove_writer(fd)
            # most often it is dying, and how it died says more; but it may live on with its input closed
            self._loop.call_later(0.5, self._lost, "it closed its standard input")
            return
        self._loop.remove_writer(fd)

    # -- receiving ----------------------------------------------------------------------------------------------------
    def _drain_stderr(self) -> None:
        fd = self._process.stderr_fd
        if fd < 0:
            return
        try:
            data = os.read(fd, _READ)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(fd)
        self.stderr += data
        del self.stderr[: max(0, len(self.stderr) - _STDERR_KEPT)]

    def _readable(self) -> None:
        try:
            data = os.read(self._process.stdout_fd, _READ)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._process.stdout_fd)
            self._loop.call_later(0.5, self._lost, "it closed its standard output")  # its exit code, if it is ending
            return
        self._since_request += len(data)
        try:
            if self.received - self._received_before > FLOOD_MESSAGES:
                raise ProtocolError(f"it sent more than {FLOOD_MESSAGES} messages that nobody asked for")
            if self._since_request > FLOOD_BYTES:
                raise ProtocolError(f"it sent more than {FLOOD_BYTES >> 20} MiB that nobody asked for")
            for body in self._reader.feed(data):
                self._message(body)
                if self.gone is not None:
                    return
        except ProtocolError as error:
            self._lost(str(error))

    def _message(self, body: bytes) -> None:
        self.received += 1
        serial = self._peer.traffic("received", body)
        message = parse(body)
        method, ident = message.get("method"), message.get("id")
        if isinstance(method, str):
            if ident is None:
                self._peer.notified(method, message.get("params"), serial, body)
            else:
                self._answer(ident, method, message.get("params"))
            return
        if ident is None and "error" in message:
            return  # the server could not read an id; whoever waits for an answer meets its deadline
        future = self._waiting.get(ident) if isinstance(ident, int) else None
        if future is None:
            if isinstance(ident, int) and self._abandoned.pop(ident, 0) is None:
                self.answers += 1
            else:
                self.unknown_responses += 1
            return
        self.answers += 1
        if future.done():
            return
        error = message.get("error")
        if error is None:
            future.set_result(Answer(message.get("result"), serial, body))
        elif isinstance(error, dict):
            code = error.get("code")
            future.set_exception(
                ResponseError(code if isinstance(code, int) else 0, str(error.get("message", "")), error.get("data"))
            )
        else:
            future.set_exception(ResponseError(0, str(error)))

    def _answer(self, ident: Any, method: str, params: Any) -> None:
        reply: dict[str, Any] = {"id": ident}
        try:
            reply["result"] = self._peer.asked(method, params)
        except ResponseError as error:
            reply["error"] = {"code": error.code, "message": str(error)}
        with contextlib.suppress(ServerGone):
            self._send(reply)

    # -- the end ------------------------------------------------------------------------------------------------------
    def _lost(self, why: str) -> None:
        if self.gone is not None:
            return
        self.gone = why
        self._loop.remove_reader(self._process.stdout_fd)
        self._loop.remove_reader(self._process.stderr_fd)
        self._loop.remove_writer(self._process.stdin_fd)
        self._process.kill()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ServerGone(why))
                future.exception()  # a waiter that was cancelled must not log it
        for callback in self._on_gone:
            callback()

    def fail(self, why: str) -> None:
        """Give the server up: it broke a rule that only the caller knows of."""
        self._lost(why)

    async def close(self, timeout_s: float = 1.0) -> None:
        """Ask the server to end (LSP ``shutdown``, ``exit``), insist after the timeout, and let everything go."""
        if self.gone is None:
            with contextlib.suppress(ServerGone, RequestTimedOut, ResponseError):
                await self.request("shutdown", None, timeout_s)
                self.notify("exit", None)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(self._end), timeout_s)
        self.abort()

    def abort(self) -> None:
        """End it at once."""
        self._lost("it was stopped")
        self._end.cancel()
        self._process.close()

"""Frames of LSP's base protocol: ``Content-Length`` header, JSON body (LSP 3.17, "Base Protocol")."""

from typing import Any

import msgspec

MAX_HEADER = 8 << 10
MAX_MESSAGE = 64 << 20
"""Bytes of one message's body at most; a server that announces more is taken for broken."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(dict[str, Any])


class ProtocolError(Exception):
    """What a server sent is no message: the stream can't be read on."""


def encode(message: dict[str, Any]) -> bytes:
    """The body of a message. UnicodeEncodeError: a text in it has half a surrogate pair."""
    return _encoder.encode({"jsonrpc": "2.0", **message})


def frame(body: bytes) -> bytes:
    """A body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def parse(body: bytes) -> dict[str, Any]:
    """The message in a body. ProtocolError: not a JSON object in UTF-8."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"the server sent a body that is no JSON object: {error}") from error


class FrameReader:
    """Takes bytes as they come and gives whole bodies."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not complete."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that are complete now. ProtocolError: this is not the base protocol."""
        self._buffer += data
        bodies: list[bytes] = []
        while True:
            if self._length is None and not self._read_header():
                return bodies
            assert self._length is not None
            if len(self._buffer) < self._length:
                return bodies
            bodies.append(bytes(self._buffer[: self._length]))
            del self._buffer[: self._length]
            self._length = None

    def _read_header(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n", 0, MAX_HEADER + 4)
        if end < 0:
            if len(self._buffer) > MAX_HEADER:
                raise ProtocolError(f"no message header in {MAX_HEADER} bytes: {bytes(self._buffer[:60])!r}")
            return False
        for line in bytes(self._buffer[:end]).split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if not colon:
                raise ProtocolError(f"not a header line: {line[:60]!r}")
            if name.strip().lower() == b"content-length":
                text = value.strip()
                if not text.isdigit():
                    raise ProtocolError(f"not a length: {text[:60]!r}")
                self._length = int(text[:20])
        if self._length is None:
            raise ProtocolError("a message header without Content-Length")
        if self._length > MAX_MESSAGE:
            raise ProtocolError(f"a message of {self._length} bytes; {MAX_MESSAGE} are the most that is taken")
        del self._buffer[: end + 4]
        return True

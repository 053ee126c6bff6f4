"""The host's end of the socket to a sandbox's pid 1: length-prefixed frames with file descriptors.

Outgoing messages are marshalled (pid 1 is the same interpreter and trusts us), incoming ones are JSON (we don't trust it).
"""

import array
import asyncio
import json
import marshal
import os
import socket
import struct
from collections.abc import Callable
from typing import Any

_MAX_FDS = 8


class Channel:
    """Frames over a socket, driven by the running event loop.

    Args:
        sock: A connected stream socket; owned by the channel from now on.
        on_frame: Called with each message and the descriptors that came with it (the receiver owns them).
        on_close: Called once when the other side is gone.

    """

    def __init__(
        self, sock: socket.socket, on_frame: Callable[[dict[str, Any], list[int]], None], on_close: Callable[[], None]
    ) -> None:
        self._sock, self._on_frame, self._on_close = sock, on_frame, on_close
        self._loop = asyncio.get_running_loop()
        self._inbox, self._outbox = bytearray(), bytearray()
        self._fds: list[int] = []
        self.closed = False
        sock.setblocking(False)
        self._loop.add_reader(sock, self._readable)

    def send(self, message: dict[str, Any]) -> None:
        """Queue a message; it is written at once if the socket takes it."""
        if self.closed:
            return
        data = marshal.dumps(message)
        self._outbox += struct.pack(">I", len(data)) + data
        self._writable()

    def _writable(self) -> None:
        try:
            while self._outbox:
                sent = self._sock.send(self._outbox)
                del self._outbox[:sent]
        except BlockingIOError:
            self._loop.add_writer(self._sock, self._writable)
            return
        except (BrokenPipeError, ConnectionResetError):
            self._lost()
            return
        self._loop.remove_writer(self._sock)

    def _readable(self) -> None:
        size = array.array("i").itemsize
        try:
            data, ancillary, _, _ = self._sock.recvmsg(
                1 << 18, socket.CMSG_SPACE(_MAX_FDS * size), socket.MSG_CMSG_CLOEXEC
            )
        except BlockingIOError:
            return
        except ConnectionResetError:
            data, ancillary = b"", []
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds = array.array("i")
                fds.frombytes(payload[: len(payload) - len(payload) % size])
                self._fds.extend(fds)
        if not data:
            self._lost()
            return
        self._inbox += data
        while len(self._inbox) >= 4:
            (length,) = struct.unpack_from(">I", self._inbox)
            if len(self._inbox) < 4 + length:
                break
            message = json.loads(bytes(self._inbox[4 : 4 + length]))
            del self._inbox[: 4 + length]
            count = message.get("fds", 0)
            fds_of_frame, self._fds = self._fds[:count], self._fds[count:]
            self._on_frame(message, fds_of_frame)
            if self.closed:
                return

    def _lost(self) -> None:
        if not self.closed:
            self.close()
            self._on_close()

    def close(self) -> None:
        """Close the socket; pid 1 sees it and ends the sandbox."""
        if self.closed:
            return
        self.closed = True
        self._loop.remove_reader(self._sock)
        self._loop.remove_writer(self._sock)
        self._sock.close()
        for fd in self._fds:
            os.close(fd)
        self._fds = []

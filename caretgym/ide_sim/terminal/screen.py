"""The screen that a person would see, worked out from the raw stream only when somebody looks."""

from collections import deque

KEPT_BYTES = 1 << 20


class ScreenSource:
    """Keeps the last raw bytes of a terminal and draws them on demand.

    Args:
        columns: Width of the pseudo-terminal.
        rows: Height.

    """

    def __init__(self, columns: int, rows: int, kept: int = KEPT_BYTES) -> None:
        self.columns, self.rows = columns, rows
        self._kept = kept
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self.dropped = 0

    def feed(self, data: bytes) -> None:
        """Remember bytes; the oldest are dropped (and counted) beyond the limit."""
        self._chunks.append(data)
        self._size += len(data)
        while self._size > self._kept and len(self._chunks) > 1:
            gone = len(self._chunks.popleft())
            self._size -= gone
            self.dropped += gone

    def text(self) -> str:
        """The visible screen as plain lines; a line feed also returns to the line's start, as on a cooked terminal."""
        from pyghostty import Terminal

        terminal = Terminal(self.columns, self.rows, 0)
        try:
            terminal.feed(b"".join(self._chunks).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
            return str(terminal.text())
        finally:
            terminal.close()

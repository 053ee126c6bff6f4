"""What is kept of a command's output: all of it while it is small, else its head and its tail."""

from collections import deque

from caretgym.ide_sim.terminal.results import Output

KEPT_CHARS = 1 << 19
"""Characters kept at each end."""


class Capture:
    """Collects text. Memory is bounded by twice ``kept`` whatever the command writes."""

    def __init__(self, kept: int = KEPT_CHARS) -> None:
        self._kept = kept
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._head_chars = self._tail_chars = 0
        self.chars = self.bytes = self.lines = 0

    def add(self, text: str) -> None:
        """Append text."""
        self.chars += len(text)
        self.lines += text.count("\n")
        room = self._kept - self._head_chars
        if room > 0:
            piece = text[:room]
            self._head.append(piece)
            self._head_chars += len(piece)
            text = text[room:]
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            while self._tail_chars - len(self._tail[0]) >= self._kept:
                self._tail_chars -= len(self._tail.popleft())

    def output(self) -> Output:
        """The output so far."""
        if len(self._head) > 1:
            self._head = ["".join(self._head)]
        tail = "".join(self._tail)[-self._kept :]
        return Output(self._head[0] if self._head else "", tail, self.chars, self.bytes, self.lines)

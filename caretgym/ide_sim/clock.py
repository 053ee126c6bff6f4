"""The session's clock: virtual by default, so that the same session always reads the same times."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 5, 9, 0, 0, tzinfo=UTC)
"""When every session begins (a Monday morning)."""


class Clock:
    """A clock that moves only when somebody moves it.

    Args:
        start: The first moment.

    """

    def __init__(self, start: datetime = START) -> None:
        self._start = self._now = start

    def now(self) -> datetime:
        """The present moment, UTC."""
        return self._now

    def advance_ms(self, milliseconds: float) -> None:
        """Move forward; negative values are refused."""
        if milliseconds < 0:
            raise ValueError("time does not run backwards")
        self._now += timedelta(milliseconds=milliseconds)

    def elapsed_ms(self) -> int:
        """Milliseconds since the start."""
        return int((self._now - self._start).total_seconds() * 1000)

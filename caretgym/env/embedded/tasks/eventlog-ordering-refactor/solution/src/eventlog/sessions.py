"""Sessions of users."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from eventlog.ordering import by_time
from eventlog.reader import Event


@dataclass
class Session:
    user: str
    start: datetime
    end: datetime
    count: int


def sessions(events: Iterable[Event]) -> list[Session]:
    """Sessions in order of their start."""
    gap = timedelta(minutes=30)
    open_ones: dict[str, Session] = {}
    out: list[Session] = []
    for event in by_time(events):
        current = open_ones.get(event.user)
        if current is not None and event.time - current.end <= gap:
            current.end = event.time
            current.count += 1
        else:
            current = Session(event.user, event.time, event.time, 1)
            open_ones[event.user] = current
            out.append(current)
    return out

"""Reading events."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Event:
    time: datetime
    user: str
    kind: str


def read_events(lines: Iterable[str]) -> tuple[list[Event], int]:
    """The events by time, and how many lines were rejected."""
    events, rejected = [], 0
    for line in lines:
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            time = datetime.fromisoformat(value["time"])
            if time.tzinfo is None:
                raise ValueError("no offset")
            events.append(Event(time, str(value["user"]), str(value["kind"])))
        except (ValueError, KeyError, TypeError):
            rejected += 1
    events.sort(key=lambda event: event.time)
    return events, rejected

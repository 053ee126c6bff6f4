"""Putting events in order."""

from collections.abc import Iterable

from eventlog.reader import Event


def by_time(events: Iterable[Event]) -> list[Event]:
    """Events by time; those of one moment keep their order."""
    return sorted(events, key=lambda event: event.time)

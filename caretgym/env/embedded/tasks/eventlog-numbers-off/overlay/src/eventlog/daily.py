"""Counts per day."""

from collections import Counter
from collections.abc import Iterable
from datetime import date

from eventlog.reader import Event


def daily_counts(events: Iterable[Event], kind: str | None = None) -> dict[date, int]:
    """Events per UTC day, by day; only of one kind if it is given."""
    counts: Counter[date] = Counter()
    ordered = sorted(events, key=lambda event: event.time)
    for event in ordered:
        if kind is None or event.kind == kind:
            counts[event.time.date()] += 1
    return dict(sorted(counts.items()))

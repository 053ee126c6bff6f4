"""Counts per day."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date

from eventlog.reader import Event


def daily_counts(events: Iterable[Event], kind: str | None = None) -> dict[date, int]:
    """Events per UTC day, by day; only of one kind if it is given."""
    counts: Counter[date] = Counter()
    for event in events:
        if kind is None or event.kind == kind:
            counts[event.time.astimezone(UTC).date()] += 1
    return dict(sorted(counts.items()))

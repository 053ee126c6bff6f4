"""Funnels."""

from collections.abc import Iterable, Sequence

from eventlog.ordering import by_time
from eventlog.reader import Event


def funnel(events: Iterable[Event], steps: Sequence[str]) -> list[int]:
    """How many users reached each step, in order."""
    reached: dict[str, int] = {}
    for event in by_time(events):
        position = reached.get(event.user, 0)
        if position < len(steps) and event.kind == steps[position]:
            reached[event.user] = position + 1
    return [sum(1 for position in reached.values() if position > index) for index in range(len(steps))]

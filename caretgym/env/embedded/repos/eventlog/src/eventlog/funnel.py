"""Funnels."""

from collections.abc import Iterable, Sequence

from eventlog.reader import Event


def funnel(events: Iterable[Event], steps: Sequence[str]) -> list[int]:
    """How many users reached each step, in order."""
    reached: dict[str, int] = {}
    ordered = sorted(events, key=lambda event: event.time)
    for event in ordered:
        position = reached.get(event.user, 0)
        if position < len(steps) and event.kind == steps[position]:
            reached[event.user] = position + 1
    return [sum(1 for position in reached.values() if position > index) for index in range(len(steps))]

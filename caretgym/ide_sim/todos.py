"""The session's to-do list: what TodoWrite keeps (TD-1, TD-2, TD-3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

Status = Literal["pending", "in_progress", "completed", "cancelled"]
FINISHED: tuple[Status, ...] = ("completed", "cancelled")
SUMMARY_FINISHED = 50
"""Most finished items that a summary keeps (TD-3)."""


class TodoItem(msgspec.Struct, frozen=True):
    """One entry; ``id`` is unique in the list."""

    id: str
    content: str
    status: Status = "pending"


class TodoChange(msgspec.Struct, frozen=True):
    """What a call says of one entry; None or empty content: not said."""

    id: str
    content: str | None = None
    status: Status | None = None


class TodoError(ValueError):
    """The changes can't be applied; the list is as it was. ``problems`` has one line for each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problems))


class TodoList:
    """Ordered entries by id. Each update is applied as a whole or not at all."""

    def __init__(self, items: Sequence[TodoItem] = ()) -> None:
        self._items = {item.id: item for item in items}

    @property
    def items(self) -> tuple[TodoItem, ...]:
        """The entries in order; enough to restore the list."""
        return tuple(self._items.values())

    def replace(self, changes: Sequence[TodoChange]) -> None:
        """Make the changes the whole list; each needs content and status (TD-2). An id given twice keeps the last."""
        problems = [
            f"todos.{index}: {' and '.join(missing)} required when merge is false"
            for index, change in enumerate(changes)
            if (missing := [name for name in ("content", "status") if not getattr(change, name)])
        ]
        if problems:
            raise TodoError(problems)
        self._items = {change.id: _applied(None, change) for change in changes}

    def merge(self, changes: Sequence[TodoChange]) -> None:
        """Update entries by id and append the unknown ones, which need content (TD-2)."""
        items = dict(self._items)
        problems = []
        for index, change in enumerate(changes):
            old = items.get(change.id)
            if old is None and not change.content:
                problems.append(f"todos.{index}: no entry has the id {change.id!r}, and a new one needs content")
                continue
            items[change.id] = _applied(old, change)
        if problems:
            raise TodoError(problems)
        self._items = items

    def summary(self) -> tuple[TodoItem, ...]:
        """Return all open entries and the last finished ones, at most 50 of these, in list order."""
        finished = [item.id for item in self.items if item.status in FINISHED]
        dropped = set(finished[:-SUMMARY_FINISHED])
        return tuple(item for item in self.items if item.id not in dropped)


def _applied(old: TodoItem | None, change: TodoChange) -> TodoItem:
    content = change.content or (old.content if old else "")
    status = change.status or (old.status if old else "pending")
    return TodoItem(change.id, content, status)

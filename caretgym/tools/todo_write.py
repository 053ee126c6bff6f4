"""TodoWrite: replace or merge the session's to-do list (TD-1, TD-2, TD-3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from caretgym.ide_sim.todos import FINISHED, TodoChange, TodoError, TodoItem
from caretgym.tools.base import CallContext, Data, Tool, ToolOutcome, failed, success
from caretgym.tools.failures import InvalidArguments

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class TodoWriteArgs(msgspec.Struct, frozen=True):
    """``merge`` false replaces the whole list."""

    todos: list[TodoChange]
    merge: bool = True


class TodosUpdated(Data, frozen=True):
    """The list after the call (wire: success{todos, total_count, was_merge})."""

    todos: tuple[TodoItem, ...]
    total_count: int
    was_merge: bool

    @property
    def finished(self) -> int:
        """Count completed and cancelled entries."""
        return sum(item.status in FINISHED for item in self.todos)

    @property
    def idle(self) -> bool:
        """Whether entries are pending and none is in progress."""
        states = {item.status for item in self.todos}
        return "pending" in states and "in_progress" not in states


class TodoWrite(Tool[TodoWriteArgs]):
    """Keeps the to-do list; touches no file."""

    name = "TodoWrite"
    readonly = True
    Args = TodoWriteArgs

    async def run(self, ide: IDE, args: TodoWriteArgs, call: CallContext) -> ToolOutcome:
        """Apply all entries or none."""
        try:
            if args.merge:
                ide.todos.merge(args.todos)
            else:
                ide.todos.replace(args.todos)
        except TodoError as error:
            return failed(InvalidArguments(error.problems))
        items = ide.todos.items
        return success(TodosUpdated(items, len(items), args.merge))

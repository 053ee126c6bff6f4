"""What the editor shows: tabs, focus, cursors and selections, what is visible, recent files, what was edited (CX-4)."""

from typing import Any

import msgspec

from caretgym.ide_sim.document import Position

RECENT_FILES = 20
"""How many recently viewed files are remembered."""
EDIT_HISTORY = 50
"""How many edits are remembered."""


class Selection(msgspec.Struct, frozen=True):
    """From where it was begun to where the cursor is; equal for a plain cursor. Lines from 0, UTF-16 characters."""

    anchor: Position
    active: Position

    @property
    def empty(self) -> bool:
        """Whether it is a plain cursor."""
        return self.anchor == self.active

    @property
    def start(self) -> Position:
        """Its earlier end."""
        return min(self.anchor, self.active)

    @property
    def end(self) -> Position:
        """Its later end."""
        return max(self.anchor, self.active)


class EditRecord(msgspec.Struct, frozen=True):
    """Somebody edited a file. ``origin``: tool or user."""

    path: str
    origin: str
    lines_added: int
    lines_removed: int


class EditorState:
    """Tabs in order, the focused one, cursors, visible lines, the files seen lately (newest first), edits (oldest first).

    Paths are relative to the workspace. ``version`` goes up with every change.
    """

    def __init__(self) -> None:
        self.tabs: list[str] = []
        self.focused: str | None = None
        self.selections: dict[str, tuple[Selection, ...]] = {}
        self.visible: dict[str, tuple[int, int]] = {}
        self.recent: list[str] = []
        self.edited_files: list[str] = []
        self.history: list[EditRecord] = []
        self.version = 0

    def open(self, path: str, *, focus: bool = False, cursor_line: int | None = None) -> None:
        """Open a tab (or find the one that is open); lines count from 1."""
        if path not in self.tabs:
            self.tabs.append(path)
            self.version += 1
        if focus and self.focused != path:
            self.focused = path
            self.version += 1
        if cursor_line is not None:
            place = Position(cursor_line - 1, 0)
            self.select(path, Selection(place, place))
        self.viewed(path)

    def close(self, path: str) -> None:
        """Close a tab; the focus goes to the last one left."""
        if path in self.tabs:
            self.tabs.remove(path)
            self.selections.pop(path, None)
            self.visible.pop(path, None)
            if self.focused == path:
                self.focused = self.tabs[-1] if self.tabs else None
            self.version += 1

    def select(self, path: str, *selections: Selection) -> None:
        """Put the cursors of an open tab; the first one is the main one."""
        if selections and self.selections.get(path) != selections:
            self.selections[path] = selections
            self.version += 1

    def cursor_line(self, path: str) -> int:
        """Where the main cursor of a tab is, from 1."""
        return self.selections[path][0].active.line + 1 if path in self.selections else 1

    def reveal(self, path: str, first: int, last: int) -> None:
        """Show lines ``first`` to ``last`` of an open tab, from 0."""
        if self.visible.get(path) != (first, last):
            self.visible[path] = (first, last)
            self.version += 1

    def viewed(self, path: str) -> None:
        """Somebody looked at a file."""
        if self.recent[:1] == [path]:
            return
        if path in self.recent:
            self.recent.remove(path)
        self.recent.insert(0, path)
        del self.recent[RECENT_FILES:]
        self.version += 1

    def edited(self, path: str, *, origin: str = "tool", lines_added: int = 0, lines_removed: int = 0) -> None:
        """Somebody changed a file."""
        if path not in self.edited_files:
            self.edited_files.append(path)
        self.history.append(EditRecord(path, origin, lines_added, lines_removed))
        del self.history[:-EDIT_HISTORY]
        self.version += 1
        self.viewed(path)

    def removed(self, path: str) -> None:
        """A file is gone: no tab and no list shows it any more."""
        self.close(path)
        if path in self.recent:
            self.recent.remove(path)
            self.version += 1

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the journal."""
        return {
            "tabs": list(self.tabs),
            "focused": self.focused,
            "cursors": {path: self.cursor_line(path) for path in self.selections},
            "selections": {
                path: [[*s.anchor, *s.active] for s in found] for path, found in self.selections.items()
            },
            "visible": {path: list(lines) for path, lines in self.visible.items()},
            "recent": list(self.recent),
            "edited": list(self.edited_files),
            "history": msgspec.to_builtins(self.history),
        }  # fmt: skip

"""What the editor shows: tabs, focus, cursor, recently viewed files (CX-4)."""

from typing import Any

RECENT_FILES = 20
"""How many recently viewed files are remembered."""


class EditorState:
    """Tabs in order, the focused one with its cursor, and the files seen lately, newest first.

    Paths are relative to the workspace. ``version`` goes up with every change.
    """

    def __init__(self) -> None:
        self.tabs: list[str] = []
        self.focused: str | None = None
        self.cursors: dict[str, int] = {}
        self.recent: list[str] = []
        self.edited_files: list[str] = []
        self.version = 0

    def open(self, path: str, *, focus: bool = False, cursor_line: int | None = None) -> None:
        """Open a tab (or find the one that is open); lines count from 1."""
        if path not in self.tabs:
            self.tabs.append(path)
        if focus:
            self.focused = path
        if cursor_line is not None:
            self.cursors[path] = cursor_line
        self.viewed(path)

    def close(self, path: str) -> None:
        """Close a tab; the focus goes to the last one left."""
        if path in self.tabs:
            self.tabs.remove(path)
            self.cursors.pop(path, None)
            if self.focused == path:
                self.focused = self.tabs[-1] if self.tabs else None
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

    def edited(self, path: str) -> None:
        """Somebody changed a file."""
        if path not in self.edited_files:
            self.edited_files.append(path)
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
            "cursors": dict(self.cursors),
            "recent": list(self.recent),
            "edited": list(self.edited_files),
        }

"""``SimulatedUser``: what a person does in the editor beside the agent: opens, selects, types, saves, undoes, renames."""

from caretgym.ide_sim.document import Document, Position, Range, TextChange
from caretgym.ide_sim.editor import Selection
from caretgym.ide_sim.ide import IDE
from caretgym.ide_sim.lsp.edits import apply_edit
from caretgym.ide_sim.lsp.features import CodeAction, Place

SCREEN_LINES = 40
"""How many lines a person's window shows."""
TOP = Position(0, 0)


class SimulatedUser:
    """Acts on an IDE as its user. Positions: lines from 0, characters in UTF-16 units.

    Typing changes buffers only; files change at :meth:`save`, and where a rename or a code action says so.

    Args:
        ide: The session's.

    """

    def __init__(self, ide: IDE) -> None:
        self._ide = ide

    def open(self, path: str, at: Position = TOP) -> Document:
        """Open a file in a focused tab with the cursor at a position. EditError: the text has no such position."""
        document = self._ide.workspace.open_document(path)
        document.offset_at(at)
        name = self._ide.workspace.relative(path)
        self._ide.editor.open(name, focus=True)
        self.select(name, at)
        top = max(0, at.line - SCREEN_LINES // 2)
        self.scroll(name, top)
        return document

    def select(self, path: str, anchor: Position, active: Position | None = None) -> None:
        """Put the cursor, or select from ``anchor`` to ``active``. EditError: the text has no such position."""
        document = self._ide.workspace.open_document(path)
        end = active if active is not None else anchor
        document.offset_at(anchor)
        document.offset_at(end)
        self._ide.editor.select(self._ide.workspace.relative(path), Selection(anchor, end))

    def scroll(self, path: str, top: int) -> None:
        """Show a screen of lines from ``top`` on."""
        document = self._ide.workspace.open_document(path)
        last = max(0, document.line_count - 1)
        first = min(max(0, top), last)
        self._ide.editor.reveal(self._ide.workspace.relative(path), first, min(first + SCREEN_LINES - 1, last))

    def type(self, path: str, text: str) -> None:
        """Put a text in place of every selection of a tab; the cursors end behind it. The file is not saved."""
        name = self._ide.workspace.relative(path)
        document = self._ide.workspace.open_document(path)
        chosen = self._ide.editor.selections.get(name) or (Selection(Position(0, 0), Position(0, 0)),)
        spans = sorted(
            {(document.offset_at(s.start, clamp=True), document.offset_at(s.end, clamp=True)) for s in chosen}
        )
        removed = sum(document.text.count("\n", start, end) for start, end in spans)
        changes = [
            TextChange(Range(document.position_at(start), document.position_at(end)), text)
            for start, end in reversed(spans)
        ]
        document.apply(changes)
        grown = 0
        cursors = []
        for start, end in spans:
            place = document.position_at(start + grown + len(text))
            cursors.append(Selection(place, place))
            grown += len(text) - (end - start)
        self._ide.editor.open(name, focus=True)
        self._ide.editor.select(name, *cursors)
        self._ide.editor.edited(
            name, origin="user", lines_added=text.count("\n") * len(spans), lines_removed=removed
        )  # fmt: skip

    def save(self, path: str) -> None:
        """Write a tab's text to disk."""
        self._ide.workspace.open_document(path)
        self._ide.workspace.save(path, origin="user")

    def undo(self, path: str) -> bool:
        """Take the last change of a tab back; False: there is none."""
        return self._ide.workspace.open_document(path).undo()

    def redo(self, path: str) -> bool:
        """Make the last undone change again; False: there is none."""
        return self._ide.workspace.open_document(path).redo()

    def close(self, path: str) -> None:
        """Close a tab; what was not saved is lost."""
        self._ide.workspace.close_document(path)
        self._ide.editor.close(self._ide.workspace.relative(path))

    async def go_to_definition(self, path: str, at: Position) -> Place | None:
        """Open the definition of the symbol at a position; None: the server knows none in the workspace."""
        places = await self._ide.features.definition(path, at)
        found = next((place for place in places if not place.path.startswith("/")), None)
        if found is not None:
            self.open(found.path, Position(found.line, found.character))
        return found

    async def rename(self, path: str, at: Position, new_name: str) -> list[str]:
        """Give the symbol at a position another name everywhere; returns the files that changed."""
        edit = await self._ide.features.rename(path, at, new_name)
        return self._applied(apply_edit(self._ide.workspace, edit))

    async def apply_action(self, path: str, action: CodeAction) -> list[str]:
        """Take a code action that :meth:`LanguageFeatures.code_actions` offered; returns the files that changed."""
        if action.edit is None:
            raise ValueError(f"{action.title!r} on {path} works by a command of the server, which is not run here")
        return self._applied(apply_edit(self._ide.workspace, action.edit))

    def _applied(self, paths: list[str]) -> list[str]:
        for path in paths:
            self._ide.editor.edited(path, origin="user")
        return paths

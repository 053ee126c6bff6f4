"""Tools that ask language servers, behind the flag ``lsp``; the emulated editor does not offer them to its agents.

A place is named as a model can name it: a file, a line from 1, and the symbol's text on that line.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from caretgym.ide_sim.document import Position
from caretgym.ide_sim.lsp.edits import InvalidEdit, ProposedEdit, apply_edit
from caretgym.ide_sim.lsp.features import CodeAction, Place, Symbol
from caretgym.ide_sim.lsp.service import NoAnswer
from caretgym.tools.access import blocked
from caretgym.tools.base import CallContext, Data, ErrorClass, Failure, Tool, ToolOutcome, failed, success

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


class PlaceArgs(msgspec.Struct, frozen=True):
    """A symbol: the first whole occurrence of its text on a line (from 1)."""

    path: str
    line: int
    symbol: str


class RenameArgs(msgspec.Struct, frozen=True):
    """See :class:`PlaceArgs`."""

    path: str
    line: int
    symbol: str
    new_name: str


class SymbolsArgs(msgspec.Struct, frozen=True):
    """``query`` empty: what the file defines; else: what the file's project defines under such names."""

    path: str
    query: str = ""


class ActionsArgs(msgspec.Struct, frozen=True):
    """``apply``: the title of the action to take; empty: only list them."""

    path: str
    line: int
    apply: str = ""


class Places(Data, frozen=True):
    """Where something is; ``what`` it is that was asked for."""

    what: Literal["definition", "references"]
    symbol: str
    places: tuple[Place, ...]


class Hovered(Data, frozen=True):
    """What the server tells; empty: nothing."""

    symbol: str
    text: str


class Symbols(Data, frozen=True):
    """What is defined."""

    path: str
    query: str
    symbols: tuple[Symbol, ...]


class Actions(Data, frozen=True):
    """What the server offers for a line."""

    path: str
    line: int
    actions: tuple[CodeAction, ...]


class Refactored(Data, frozen=True):
    """An edit was applied to these files."""

    title: str
    paths: tuple[str, ...]


class NoSuchPlace(Failure, frozen=True):
    """The line is not there, or the symbol not on it; ``text`` is the line."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    path: str
    line: int
    symbol: str
    total: int
    text: str | None


class LanguageUnknown(Failure, frozen=True):
    """No server answered; ``state`` as in :data:`LintState`."""

    state: str
    detail: str


class EditRefused(Failure, frozen=True):
    """The server's edit could not be applied; nothing was changed."""

    reason: str


class NoSuchAction(Failure, frozen=True):
    """No action of that title is offered, or it works by a command of the server."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    title: str
    offered: tuple[str, ...]


def find_symbol(ide: IDE, path: str, line: int, symbol: str) -> Position | NoSuchPlace:
    """The place of a symbol's text on a line."""
    document = ide.workspace.read_document(path)
    total = document.line_count
    text = document.line_text(line - 1) if 1 <= line <= total else None
    at = -1
    if text is not None and symbol:
        whole = re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", text)
        at = whole.start() if whole else text.find(symbol)
    if text is None or at < 0:
        return NoSuchPlace(path, line, symbol, total, text)
    return document.position_at(document.index.starts[line - 1] + at)


async def _answered(work: Callable[[], Awaitable[Data]]) -> ToolOutcome:
    try:
        data = await work()
    except NoAnswer as error:
        return failed(LanguageUnknown(error.state, str(error)))
    except InvalidEdit as error:
        return failed(EditRefused(str(error)))
    return failed(data) if isinstance(data, Failure) else success(data)


class _AtSymbol(Tool[PlaceArgs]):
    readonly = True
    Args = PlaceArgs

    async def run(self, ide: IDE, args: PlaceArgs, call: CallContext) -> ToolOutcome:
        """Ask at the symbol."""
        ide.sync()
        at = find_symbol(ide, args.path, args.line, args.symbol)
        if isinstance(at, NoSuchPlace):
            return failed(at)
        place = at
        return await _answered(lambda: self.ask(ide, ide.workspace.relative(args.path), place, args.symbol))

    async def ask(self, ide: IDE, path: str, at: Position, symbol: str) -> Data:
        raise NotImplementedError


class Definition(_AtSymbol):
    """Where a symbol is defined."""

    name = "lsp_definition"

    async def ask(self, ide: IDE, path: str, at: Position, symbol: str) -> Data:
        """Ask."""
        return Places("definition", symbol, tuple(await ide.features.definition(path, at)))


class References(_AtSymbol):
    """Where a symbol is used and declared."""

    name = "lsp_references"

    async def ask(self, ide: IDE, path: str, at: Position, symbol: str) -> Data:
        """Ask."""
        return Places("references", symbol, tuple(await ide.features.references(path, at)))


class HoverTool(_AtSymbol):
    """Type and documentation of a symbol."""

    name = "lsp_hover"

    async def ask(self, ide: IDE, path: str, at: Position, symbol: str) -> Data:
        """Ask."""
        found = await ide.features.hover(path, at)
        return Hovered(symbol, found.text if found is not None else "")


class SymbolsTool(Tool[SymbolsArgs]):
    """What a file or its project defines."""

    name = "lsp_symbols"
    readonly = True
    Args = SymbolsArgs

    async def run(self, ide: IDE, args: SymbolsArgs, call: CallContext) -> ToolOutcome:
        """Ask."""
        ide.sync()
        ide.workspace.stat(args.path)
        path = ide.workspace.relative(args.path)

        async def ask() -> Data:
            if args.query:
                found = await ide.features.workspace_symbols(args.query, path)
            else:
                found = await ide.features.document_symbols(path)
            return Symbols(args.path, args.query, tuple(found))

        return await _answered(ask)


class Rename(Tool[RenameArgs]):
    """Gives a symbol another name everywhere, all files or none."""

    name = "lsp_rename"
    Args = RenameArgs

    async def run(self, ide: IDE, args: RenameArgs, call: CallContext) -> ToolOutcome:
        """Ask, check, apply."""
        ide.sync()
        at = find_symbol(ide, args.path, args.line, args.symbol)
        if isinstance(at, NoSuchPlace):
            return failed(at)
        place = at

        async def ask() -> Data:
            edit = await ide.features.rename(ide.workspace.relative(args.path), place, args.new_name)
            return _apply(ide, call, f"{args.symbol} -> {args.new_name}", edit)

        return await _answered(ask)


class CodeActions(Tool[ActionsArgs]):
    """Lists what the server offers for a line, or takes one of it."""

    name = "lsp_code_actions"
    Args = ActionsArgs

    async def run(self, ide: IDE, args: ActionsArgs, call: CallContext) -> ToolOutcome:
        """Ask, and apply if a title is given."""
        ide.sync()
        document = ide.workspace.read_document(args.path)
        if not 1 <= args.line <= document.line_count:
            return failed(NoSuchPlace(args.path, args.line, "", document.line_count, None))
        line = args.line - 1
        ends = (document.index.starts[line], document.index.content_end(line))

        async def ask() -> Data:
            start, end = (document.position_at(offset) for offset in ends)
            found = await ide.features.code_actions(ide.workspace.relative(args.path), start, end)
            if not args.apply:
                return Actions(args.path, args.line, tuple(found))
            chosen = next((a for a in found if a.title == args.apply and a.edit is not None), None)
            if chosen is None or chosen.edit is None:
                return NoSuchAction(args.apply, tuple(a.title for a in found if a.edit is not None))
            return _apply(ide, call, chosen.title, chosen.edit)

        return await _answered(ask)


def _apply(ide: IDE, call: CallContext, title: str, edit: ProposedEdit) -> Data:
    for path in edit.paths:
        stop = blocked(ide, path, call)
        if stop is not None:
            return stop.data
    paths = apply_edit(ide.workspace, edit, origin="tool")
    for path in paths:
        ide.editor.edited(path)
    return Refactored(title, tuple(paths))

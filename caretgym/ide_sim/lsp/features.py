"""Definition, references, hover, symbols, rename and code actions. Positions count from 0, characters in UTF-16 units."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from caretgym.ide_sim.document import Position
from caretgym.ide_sim.document.lines import LineIndex
from caretgym.ide_sim.lsp.client import LanguageClient, path_of, uri_of
from caretgym.ide_sim.lsp.dialect import Dialect, position_from_json
from caretgym.ide_sim.lsp.edits import ProposedEdit, read_workspace_edit, relative_path
from caretgym.ide_sim.lsp.service import Language

SYMBOL_KINDS = (
    "", "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
    "interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key", "null",
    "enum member", "struct", "event", "operator", "type parameter",
)  # fmt: skip
"""By LSP's numbers, from 1."""
MOST = 2000
"""Places, symbols or actions of one answer that are kept."""


class Place(msgspec.Struct, frozen=True, order=True):
    """A range of a file. ``path`` is relative to the workspace, or absolute outside; ``text`` is its first line."""

    path: str
    line: int
    character: int
    end_line: int
    end_character: int
    text: str = ""


class Hover(msgspec.Struct, frozen=True):
    """What is shown beside the pointer."""

    text: str


class Symbol(msgspec.Struct, frozen=True):
    """Something with a name; ``depth`` is how deep it lies in others, ``container`` the name of the one around it."""

    name: str
    kind: str
    place: Place
    container: str = ""
    depth: int = 0
    detail: str = ""


class CodeAction(msgspec.Struct, frozen=True):
    """A change that the server offers. ``edit`` is None where it works by a command, which is not run here."""

    title: str
    kind: str = ""
    preferred: bool = False
    edit: ProposedEdit | None = None


class LanguageFeatures:
    """Asks a session's language servers.

    Args:
        language: The session's servers, or a record of them.

    All methods raise ``NoAnswer`` where no server answers, and ``LanguageServerFailed`` where one keeps dying.

    """

    def __init__(self, language: Language) -> None:
        self._language = language

    async def definition(self, path: str, at: Position) -> list[Place]:
        """Where the symbol at a position is defined."""
        return await self._places(path, at, "textDocument/definition", "definitionProvider")

    async def references(self, path: str, at: Position, *, declaration: bool = True) -> list[Place]:
        """Where the symbol at a position is used; ``declaration``: and where it is declared."""
        context = {"context": {"includeDeclaration": declaration}}
        return await self._places(path, at, "textDocument/references", "referencesProvider", context)

    async def hover(self, path: str, at: Position) -> Hover | None:
        """What the server tells of the symbol at a position; None: nothing."""
        answer = await self._ask(path, at, "textDocument/hover", "hoverProvider", {}, lambda value, _c: _hover(value))
        return msgspec.convert(answer, Hover | None)

    async def document_symbols(self, path: str) -> list[Symbol]:
        """What a file defines, in the order of the text."""

        def read(value: Any, client: LanguageClient) -> Any:
            return _Reader(client.dialect, self._language.text_of).symbols(value, path)

        answer = await self._ask(path, None, "textDocument/documentSymbol", "documentSymbolProvider", {}, read)
        return msgspec.convert(answer, list[Symbol])

    async def workspace_symbols(self, query: str, near: str) -> list[Symbol]:
        """What the project defines under names like ``query``; ``near``: a file whose server is asked."""

        def read(value: Any, client: LanguageClient) -> Any:
            return _Reader(client.dialect, self._language.text_of).symbols(value, near)

        answer = await self._ask(near, None, "workspace/symbol", "workspaceSymbolProvider", {"query": query}, read)
        return sorted(msgspec.convert(answer, list[Symbol]), key=lambda s: (s.place, s.name))

    async def rename(self, path: str, at: Position, new_name: str) -> ProposedEdit:
        """The edit that gives the symbol at a position another name; empty: the server sees nothing to rename.

        Raises:
            InvalidEdit: the server's proposal can't be applied.

        """

        def read(value: Any, client: LanguageClient) -> Any:
            return read_workspace_edit(value or {}, client.dialect, self._language.text_of)

        answer = await self._ask(path, at, "textDocument/rename", "renameProvider", {"newName": new_name}, read)
        return msgspec.convert(answer, ProposedEdit)

    async def code_actions(self, path: str, start: Position, end: Position | None = None) -> list[CodeAction]:
        """What the server offers for a range, with the diagnostics that it has there."""

        async def work(client: LanguageClient) -> Any:
            found = (await client.diagnose(path, client.spec.answer_s)).raw
            canonical = LineIndex(client.text_of(path))
            sent = client.dialect.lines(canonical.text)
            low, high = canonical.offset(start), canonical.offset(end or start)
            params = {
                "textDocument": {"uri": uri_of(path)},
                "range": {"start": client.dialect.to_json(sent, low), "end": client.dialect.to_json(sent, high)},
                "context": {
                    "diagnostics": [d for d in found if _touches(client, canonical, d, low, high)],
                    "triggerKind": 1,
                },
            }
            answer = await client.ask("textDocument/codeAction", params)
            actions = []
            for item in _dicts(answer)[:MOST]:
                item = await _resolved(client, item)
                actions.append(_action(item, client, self._language.text_of))
            return msgspec.to_builtins(actions)

        last = end or start
        question = {"method": "textDocument/codeAction", "at": [*start, *last]}
        answer = await self._language.ask(path, question, work, lambda c: bool(c.get("codeActionProvider")))
        return msgspec.convert(answer, list[CodeAction])

    # -- how --------------------------------------------------------------------------------------------------------
    async def _places(
        self, path: str, at: Position, method: str, capability: str, more: Mapping[str, Any] | None = None
    ) -> list[Place]:
        def read(value: Any, client: LanguageClient) -> Any:
            return _Reader(client.dialect, self._language.text_of).places(value)

        return msgspec.convert(await self._ask(path, at, method, capability, more or {}, read), list[Place])

    async def _ask(
        self,
        path: str,
        at: Position | None,
        method: str,
        capability: str,
        more: Mapping[str, Any],
        read: Callable[[Any, LanguageClient], Any],
    ) -> Any:
        async def work(client: LanguageClient) -> Any:
            params: dict[str, Any] = dict(more)
            if method.startswith("textDocument/"):
                params["textDocument"] = {"uri": uri_of(path)}
            if at is not None:
                text = client.text_of(path)
                params["position"] = client.dialect.to_json(client.dialect.lines(text), LineIndex(text).offset(at))
            return msgspec.to_builtins(read(await client.ask(method, params), client))

        question = {"method": method, "at": None if at is None else list(at), **more}
        return await self._language.ask(path, question, work, lambda c: bool(c.get(capability)))


def _touches(client: LanguageClient, index: LineIndex, item: dict[str, Any], low: int, high: int) -> bool:
    (start, end), _ = client.dialect.place(index, item.get("range"))
    return start <= high and low <= end


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


async def _resolved(client: LanguageClient, item: dict[str, Any]) -> dict[str, Any]:
    """The action with its edit, where the server keeps that back until it is asked."""
    provider = client.capabilities.get("codeActionProvider")
    if "edit" in item or "command" in item or not isinstance(provider, dict) or not provider.get("resolveProvider"):
        return item
    answer = await client.ask("codeAction/resolve", item)
    return answer if isinstance(answer, dict) else item


def _action(item: dict[str, Any], client: LanguageClient, text_of: Callable[[str], str | None]) -> CodeAction:
    edit = read_workspace_edit(item["edit"], client.dialect, text_of) if isinstance(item.get("edit"), dict) else None
    return CodeAction(str(item.get("title", "")), str(item.get("kind") or ""), bool(item.get("isPreferred")), edit)


def _hover(value: Any) -> Hover | None:
    contents = value.get("contents") if isinstance(value, dict) else None
    parts = contents if isinstance(contents, list) else [contents]
    texts = []
    for part in parts:
        if isinstance(part, dict) and "language" in part:  # MarkedString, deprecated but spoken
            texts.append(f"```{part['language']}\n{part.get('value', '')}\n```")
        elif isinstance(part, dict):
            texts.append(str(part.get("value", "")))
        elif isinstance(part, str):
            texts.append(part)
    text = "\n\n".join(t for t in texts if t)
    return Hover(text) if text else None


class _Reader:
    """Reads locations of the protocol; each file's text is indexed once."""

    def __init__(self, dialect: Dialect, text_of: Callable[[str], str | None]) -> None:
        self._dialect, self._text_of = dialect, text_of
        self._indexes: dict[str, LineIndex | None] = {}

    def _index(self, path: str) -> LineIndex | None:
        if path not in self._indexes:
            text = self._text_of(path)
            self._indexes[path] = None if text is None else LineIndex(text)
        return self._indexes[path]

    def place(self, uri: Any, value: Any) -> Place:
        """A location."""
        path = relative_path(str(uri))
        index = None if path is None else self._index(path)
        if path is None or index is None:  # a file that is not the session's: as the server counts
            value = value if isinstance(value, dict) else {}
            first, last = (position_from_json(value.get(end)) or Position(0, 0) for end in ("start", "end"))
            return Place(path or path_of(str(uri)), first.line, first.character, last.line, last.character)
        (start, end), _ = self._dialect.place(index, value)
        first, last = index.position(start), index.position(end)
        line = index.text[index.starts[first.line] : index.content_end(first.line)]
        return Place(path, *first, *last, line.strip()[:200])

    def places(self, value: Any) -> list[Place]:
        """``Location``, ``Location[]`` or ``LocationLink[]``, sorted, each once."""
        items = [value] if isinstance(value, dict) else _dicts(value)
        found = {
            self.place(item.get("targetUri"), item.get("targetSelectionRange") or item.get("targetRange"))
            if "targetUri" in item
            else self.place(item.get("uri"), item.get("range"))
            for item in items[:MOST]
        }
        return sorted(found)

    def symbols(self, value: Any, path: str) -> list[Symbol]:
        """``DocumentSymbol[]`` as a list in the order of a walk, or ``SymbolInformation[]``."""
        out: list[Symbol] = []
        todo = [(item, "", 0) for item in reversed(_dicts(value))]
        while todo and len(out) < MOST:
            item, container, depth = todo.pop()
            number = item.get("kind")
            kind = SYMBOL_KINDS[number] if isinstance(number, int) and 0 < number < len(SYMBOL_KINDS) else "symbol"
            name = str(item.get("name", ""))
            where = item.get("location")
            if isinstance(where, dict):
                place = self.place(where.get("uri"), where.get("range"))
            else:
                place = self.place(uri_of(path), item.get("selectionRange") or item.get("range"))
            holder = str(item.get("containerName") or container)
            out.append(Symbol(name, kind, place, holder, depth, str(item.get("detail") or "")))
            todo += [(child, name, depth + 1) for child in reversed(_dicts(item.get("children")))]
        return out

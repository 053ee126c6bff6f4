"""``LanguageClient``: one initialised server, the documents that it has been told of, and what it said of them."""

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from caretgym.ide_sim.document import Unit
from caretgym.ide_sim.document.lines import LineIndex
from caretgym.ide_sim.lsp.answers import ServerRequests
from caretgym.ide_sim.lsp.capabilities import client_capabilities
from caretgym.ide_sim.lsp.connection import Answer, Connection, RequestTimedOut, ResponseError, ServerGone
from caretgym.ide_sim.lsp.dialect import Dialect, range_to_json
from caretgym.ide_sim.lsp.diff import change_between
from caretgym.ide_sim.lsp.records import Lint, lint_of
from caretgym.ide_sim.lsp.spec import ServerSpec
from caretgym.ide_sim.sandbox.base import WORKSPACE, PipedProcess

_UNITS: Mapping[str, Unit] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
_RETRY_CODES = (-32802, -32801)  # ServerCancelled, ContentModified
_RETRIES = 5
_REGISTRATION_S = 10.0
CHANGED = {"created": 1, "changed": 2, "deleted": 3}
"""LSP's ``FileChangeType``."""


class Observer:
    """Who keeps the traffic; replaced by whoever has a session to keep it for."""

    def traffic(self, server: str, direction: str, body: bytes) -> int:
        """A message went by; returns its serial number (0: not kept)."""
        return 0


def uri_of(path: str) -> str:
    """The ``file:`` URI of a file of the workspace. Undecodable bytes of a name are escaped as they are."""
    return "file://" + quote(f"{WORKSPACE}/{path}".rstrip("/").encode("utf-8", "surrogateescape"), safe="/")


def path_of(uri: str) -> str:
    """The path inside of the sandbox that a ``file:`` URI names; another URI as it is."""
    if not uri.startswith("file://"):
        return uri
    return unquote(uri[len("file://") :], errors="surrogateescape")


class _Open:
    """A document as the server has been told of it; ``published`` counts what it had published before it was told."""

    def __init__(self, text: str, version: int, language: str, published: int) -> None:
        self.text, self.version, self.language, self.published = text, version, language, published


class Published(NamedTuple):
    """A ``publishDiagnostics``: which one it is of all tells whether it is news; ``observer`` kept it."""

    version: int | None
    items: list[dict[str, Any]]
    serial: int
    nth: int
    body: bytes
    observer: Observer


class Diagnosed(NamedTuple):
    """Diagnostics for exactly the text that the server has: whether it said so itself, and the message."""

    items: tuple[Lint, ...]
    version: int
    versioned: bool
    serial: int
    body: bytes
    raw: list[dict[str, Any]]


class NoDiagnostics(Exception):
    """This server has none to give."""


def text_hash(text: str) -> str:
    """SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class LanguageClient:
    """Make one with :meth:`start`.

    Attributes:
        dialect: How the server counts lines and characters.
        info: Its own name and version.

    """

    def __init__(self, spec: ServerSpec, process: PipedProcess, observer: Observer) -> None:
        self.spec = spec
        self.observer = observer
        self.dialect = Dialect(newline_only=spec.newline_only)
        self.info: dict[str, Any] = {}
        self.capabilities: dict[str, Any] = {}
        self.documents: dict[str, _Open] = {}
        self.requests = ServerRequests(spec.settings, uri_of(""))
        self.connection = Connection(process, self)
        self._versions: dict[str, int] = {}
        self._published: dict[str, Published] = {}
        self._publishes = 0
        self._results: dict[str, tuple[str, list[dict[str, Any]]]] = {}
        self._news = asyncio.Event()
        self.connection.on_gone(self._news.set)

    @classmethod
    async def start(
        cls, spec: ServerSpec, process: PipedProcess, observer: Observer, trace: str = "off"
    ) -> "LanguageClient":
        """Initialise a server.

        Raises:
            ServerGone, RequestTimedOut, ResponseError: it did not come up; it is gone.

        """
        client = cls(spec, process, observer)
        try:
            await client._initialize(trace)
        except BaseException:
            client.connection.abort()
            raise
        return client

    async def _initialize(self, trace: str) -> None:
        root = uri_of("")
        params = {
            "processId": None,
            "clientInfo": {"name": "caretgym"},
            "locale": "en",
            "rootPath": WORKSPACE,
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "workspace"}],
            "capabilities": client_capabilities(self.spec.encodings, dynamic_diagnostics=self.spec.dynamic_pull),
            "initializationOptions": self.spec.initialization_options,
            "trace": trace,
        }
        result = (await self.connection.request("initialize", params, self.spec.start_s)).result
        result = result if isinstance(result, dict) else {}
        found = result.get("capabilities")
        self.capabilities = found if isinstance(found, dict) else {}
        info = result.get("serverInfo")
        self.info = info if isinstance(info, dict) else {}
        unit = _UNITS.get(str(self.capabilities.get("positionEncoding", "utf-16")), "utf-16")
        self.dialect = Dialect(unit, self.spec.newline_only)
        self.connection.notify("initialized", {})
        if self.spec.settings:
            self.connection.notify("workspace/didChangeConfiguration", {"settings": self.spec.settings})
        if self.spec.dynamic_pull:
            await self._until(lambda: self.requests.registered("textDocument/diagnostic"), _REGISTRATION_S)

    # -- what the connection tells ------------------------------------------------------------------------------------
    def traffic(self, direction: str, body: bytes) -> int:
        """See :class:`Peer`."""
        return self.observer.traffic(self.spec.name, direction, body)

    def asked(self, method: str, params: Any) -> Any:
        """See :class:`Peer`."""
        try:
            return self.requests.answer(method, params)
        finally:
            self._news.set()

    def notified(self, method: str, params: Any, serial: int, body: bytes) -> None:
        """See :class:`Peer`."""
        if method == "textDocument/publishDiagnostics" and isinstance(params, dict):
            uri, items = params.get("uri"), params.get("diagnostics")
            version = params.get("version")
            known = self._published.get(_canonical(uri)) if isinstance(uri, str) else None
            if self.spec.diagnostics == "push" and version is None and known is not None and known.version is not None:
                return  # as it does for a file that was closed; it must not hide what is said with a version
            if isinstance(uri, str) and isinstance(items, list):
                self._publishes += 1
                self._published[_canonical(uri)] = Published(
                    version if isinstance(version, int) else None,
                    [item for item in items if isinstance(item, dict)], serial, self._publishes, body, self.observer,
                )  # fmt: skip
                self._forget_strangers()
                self._news.set()

    def _forget_strangers(self) -> None:
        """A server that publishes for files without end must not fill our memory."""
        if len(self._published) > 4096:
            self._published = {u: p for u, p in self._published.items() if u in self.documents}

    @property
    def progress(self) -> int:
        """Goes up with every answer and every publish: a server of which it stands still does nothing for us."""
        return self.connection.answers + self._publishes

    async def _until(self, ready: Any, timeout_s: float) -> bool:
        """Wait until ``ready()`` or the timeout; ServerGone: there is nothing to wait for any more."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while not ready():
            if self.connection.gone is not None:
                raise ServerGone(self.connection.gone)
            self._news.clear()
            left = deadline - loop.time()
            if left <= 0:
                return False
            try:
                async with asyncio.timeout(left):
                    await self._news.wait()
            except TimeoutError:
                return bool(ready())
        return True

    # -- documents ----------------------------------------------------------------------------------------------------
    def open(self, path: str, text: str, language: str) -> None:
        """``didOpen``. Versions of one path go on rising when it is closed and opened again."""
        uri = uri_of(path)
        version = self._versions.get(uri, 0) + 1
        self._versions[uri] = version
        self.documents[uri] = _Open(text, version, language, self._publishes)
        self._published.pop(uri, None)
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.connection.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, path: str, text: str) -> bool:
        """``didChange`` by the smallest change; False if the server has this text already."""
        uri = uri_of(path)
        document = self.documents[uri]
        change = change_between(document.text, text, self.dialect)
        if change is None:
            return False
        assert change.range is not None
        document.version += 1
        self._versions[uri] = document.version
        edit: dict[str, Any] = {"text": text}
        if self._sync_kind() == 2:
            edit = {"range": range_to_json(change.range), "text": change.text}
        document.text, document.published = text, self._publishes
        self.connection.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": document.version}, "contentChanges": [edit]},
        )
        return True

    def _sync_kind(self) -> int:
        sync = self.capabilities.get("textDocumentSync")
        if isinstance(sync, dict):
            sync = sync.get("change")
        return sync if isinstance(sync, int) else 1

    def close(self, path: str) -> None:
        """``didClose``; what was said of it is forgotten."""
        uri = uri_of(path)
        if self.documents.pop(uri, None) is not None:
            self.connection.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            self._published.pop(uri, None)
            self._results.pop(uri, None)

    def saved(self, path: str) -> None:
        """``didSave``."""
        self.connection.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(path)}})

    def files_changed(self, changes: list[tuple[str, str]]) -> None:
        """``didChangeWatchedFiles``: (path, created | changed | deleted)."""
        if changes:
            events = [{"uri": uri_of(path), "type": CHANGED[kind]} for path, kind in changes]
            self.connection.notify("workspace/didChangeWatchedFiles", {"changes": events})

    def text_of(self, path: str) -> str:
        """The text that the server has of an open document."""
        return self.documents[uri_of(path)].text

    async def ask(self, method: str, params: Any) -> Any:
        """Send a request; its result. Another document's change in its way is waited for.

        Raises:
            ServerGone, RequestTimedOut, ResponseError: there is no answer.

        """
        for attempt in range(_RETRIES):
            try:
                return (await self.connection.request(method, params, self.spec.answer_s)).result
            except ResponseError as error:
                if error.code not in _RETRY_CODES or attempt == _RETRIES - 1:
                    raise
                await asyncio.sleep(0.02)
        raise AssertionError

    # -- diagnostics --------------------------------------------------------------------------------------------------
    @property
    def pulls(self) -> bool:
        """Whether the server answers ``textDocument/diagnostic``."""
        return bool(self.capabilities.get("diagnosticProvider")) or self.requests.registered("textDocument/diagnostic")

    async def diagnose(self, path: str, timeout_s: float, *, others_changed: bool = False) -> Diagnosed:
        """What the server says of an open document's present text.

        Args:
            path: Of an open document.
            timeout_s: Seconds.
            others_changed: Whether other files have changed since the server was last asked.

        Raises:
            ServerGone, RequestTimedOut, ResponseError: there is no answer.
            NoDiagnostics: this server never has one.

        """
        if self.spec.diagnostics == "pull":
            if not self.pulls:
                raise NoDiagnostics(f"{self.spec.name} does not offer pull diagnostics")
            return await self._pull(path, timeout_s, others_changed)
        return await self._await_push(path, timeout_s)

    async def _pull(self, path: str, timeout_s: float, others_changed: bool) -> Diagnosed:
        uri = uri_of(path)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        for _ in range(_RETRIES):
            refreshes = self.requests.refresh_asked
            try:
                answer = await self._pull_once(uri, deadline - loop.time())
            except ResponseError as error:
                if error.code in _RETRY_CODES:
                    await asyncio.sleep(0.02)
                    continue
                raise
            quiet = self.spec.refresh_quiet_ms / 1000 if others_changed else 0.0
            others_changed = False
            if quiet and await self._until(lambda n=refreshes: self.requests.refresh_asked > n, quiet):
                continue  # it has noticed the other files' changes only now
            return answer
        raise RequestTimedOut(f"{self.spec.name} kept saying that its answer is out of date")

    async def _pull_once(self, uri: str, timeout_s: float) -> Diagnosed:
        document = self.documents[uri]
        params: dict[str, Any] = {"textDocument": {"uri": uri}}
        known = self._results.get(uri)
        if known is not None:
            params["previousResultId"] = known[0]
        answer: Answer = await self.connection.request("textDocument/diagnostic", params, max(timeout_s, 0.001))
        report = answer.result if isinstance(answer.result, dict) else {}
        kind, items = report.get("kind"), report.get("items")
        if kind == "unchanged" and known is not None:
            items = known[1]
        elif kind != "full" or not isinstance(items, list):
            raise ResponseError(0, f"a diagnostic report that is none: {str(answer.result)[:200]}")
        items = [item for item in items if isinstance(item, dict)]
        result_id = report.get("resultId")
        if isinstance(result_id, str):
            self._results[uri] = (result_id, items)
        else:
            self._results.pop(uri, None)
        return Diagnosed(self.lints(document.text, items), document.version, True, answer.serial, answer.body, items)

    async def _await_push(self, path: str, timeout_s: float) -> Diagnosed:
        uri = uri_of(path)
        document = self.documents[uri]
        versioned = self.spec.diagnostics == "push"

        def settled() -> bool:
            said = self._published.get(uri)
            if said is None:
                return False
            if versioned:  # clangd clears a closed file without a version; that says nothing of the one opened anew
                return said.version == document.version
            return said.nth > document.published  # what came before our change says nothing of it

        if not await self._until(settled, timeout_s):
            said = self._published.get(uri)
            other = f"; its last word was for version {said.version}" if said is not None else ""
            if versioned and said is not None and said.version is None:
                other = '; it does not say for which version it speaks: it needs diagnostics = "push-unversioned"'
            raise RequestTimedOut(
                f"{self.spec.name}: nothing for version {document.version} within {timeout_s:g} s{other}"
            )
        published = self._published[uri] if versioned else await self._quiet(uri)
        serial = published.serial
        if published.observer is not self.observer:  # it came in another session's time, whose record has it
            serial = self.observer.traffic(self.spec.name, "cached", published.body)
        found, items = self.lints(document.text, published.items), published.items
        return Diagnosed(found, document.version, versioned, serial, published.body, items)

    async def _quiet(self, uri: str) -> Published:
        """The last publish after which nothing came for the quiet time."""
        published = self._published[uri]
        quiet = self.spec.quiet_ms / 1000
        for _ in range(100):
            count = published.nth
            if not await self._until(lambda n=count: self._published[uri].nth > n, quiet):
                return published
            published = self._published[uri]
        return published

    def lints(self, text: str, items: list[dict[str, Any]]) -> tuple[Lint, ...]:
        """Diagnostics of the protocol as records, in order, their places checked against the text."""
        index = LineIndex(text)
        found = []
        for item in items:
            span, repaired = self.dialect.place(index, item.get("range"))
            start, end = index.position(span[0], "utf-16"), index.position(span[1], "utf-16")
            found.append(lint_of(item, (*start, *end), repaired))
        return tuple(sorted(found))


def _canonical(uri: str) -> str:
    """Our spelling of a URI: servers escape different characters."""
    return "file://" + quote(unquote(uri[7:], errors="surrogateescape").encode("utf-8", "surrogateescape"), safe="/") if (
        uri.startswith("file://")
    ) else uri  # fmt: skip

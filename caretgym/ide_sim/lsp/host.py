"""``ServerHost``: one server process with a tree of its own, for one session after the other."""

import asyncio
import contextlib
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from caretgym.ide_sim.errors import InfrastructureError
from caretgym.ide_sim.lsp.answers import METHOD_NOT_FOUND
from caretgym.ide_sim.lsp.client import LanguageClient, NoDiagnostics, Observer, text_hash, uri_of
from caretgym.ide_sim.lsp.connection import RequestTimedOut, ResponseError, ServerGone
from caretgym.ide_sim.lsp.locate import Located
from caretgym.ide_sim.lsp.records import LintReport, LintState
from caretgym.ide_sim.lsp.spec import ServerSpec
from caretgym.ide_sim.lsp.tree import ServerTree
from caretgym.ide_sim.lsp.view import View
from caretgym.ide_sim.sandbox.base import WORKSPACE, Limits, SandboxError, SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.workspace import Workspace, WorkspaceError

DEATHS, WINDOW_S = 5, 180.0
"""VS Code's rule: a server that dies five times within three minutes is given up."""
OPEN_DOCUMENTS = 64
"""Documents that stay open at a server; the one that was asked for longest ago is closed first."""
LATE = 2
"""Deadlines that a server may miss in a row, if it does other things for us meanwhile, before it is replaced."""
_CACHED = 4096
_PROCESSES = 128
T = TypeVar("T")


class LanguageServerFailed(InfrastructureError):
    """A language server keeps dying, or can't be started at all."""


class ServerCrashed(Exception):
    """The server died of a request, and again after a restart."""


class ServerHost:
    """Leases its server to one session at a time, first come, first served.

    Args:
        located: The server.
        base: The base tree of all its sessions.
        site_packages: Python packages that the server sees, as :class:`SandboxSpec` has them.

    """

    def __init__(self, located: Located, base: Path, site_packages: Path | None = None) -> None:
        self.located, self.base, self.site_packages = located, base, site_packages
        self.sessions = 0
        """How many sessions use it now."""
        self.used_at = time.monotonic()
        self.restarts = 0
        self._turn = asyncio.Lock()
        self._sandbox: BubblewrapSandbox | None = None
        self._workspace: Workspace | None = None
        self._tree: ServerTree | None = None
        self._client: LanguageClient | None = None
        self._deaths: deque[float] = deque()
        self._stale: dict[str, bool] = {}
        self._opened: OrderedDict[str, None] = OrderedDict()
        self._suspect: int | None = None
        self._late = 0
        self._cache: OrderedDict[tuple[str, str, str], tuple[LintReport, bytes]] = OrderedDict()
        self._observer = Observer()
        self._others_changed = False

    @property
    def spec(self) -> ServerSpec:
        """The server."""
        return self.located.spec

    @property
    def busy(self) -> bool:
        """Whether somebody has it leased or waits for it."""
        return self._turn.locked()

    @property
    def running(self) -> bool:
        """Whether it has processes."""
        return self._sandbox is not None

    @property
    def client(self) -> LanguageClient | None:
        """The live client, for tests and benchmarks."""
        return self._client

    @property
    def host_pid(self) -> int:
        """Pid 1 of its sandbox as this host counts it; 0: it does not run."""
        return self._sandbox.host_pid if self._sandbox is not None else 0

    # -- asking -------------------------------------------------------------------------------------------------------
    async def diagnose(self, view: View, texts: Sequence[tuple[str, str]], observer: Observer) -> list[LintReport]:
        """What the server says of files of a view.

        Args:
            view: The session's tree.
            texts: (path, text) of each file.
            observer: Keeps the traffic meanwhile.

        Raises:
            LanguageServerFailed: it keeps dying.

        """
        keyed = [(path, text, text_hash(text)) for path, text in texts]
        tree = self.tree_of(view)
        reports: dict[str, LintReport] = {}
        missing = []
        for path, text, digest in keyed:
            known = self._cache.get((path, digest, tree))
            if known is None:
                missing.append((path, text, digest))
            else:
                self._cache.move_to_end((path, digest, tree))
                serial = observer.traffic(self.spec.name, "cached", known[1])
                reports[path] = msgspec.structs.replace(known[0], cached=True, version=None, serial=serial)
        if missing:
            async with self._lease(observer):
                for path, text, digest in missing:
                    reports[path], body = await self._diagnose_one(view, path, text, digest)
                    if reports[path].state == "fresh" or (reports[path].state == "restarted"):
                        self._keep((path, digest, tree), reports[path], body)
        return [reports[path] for path, _, _ in keyed]

    def tree_of(self, view: View) -> str:
        """What of a view an answer depends on, beside the file's own text."""
        return view.fingerprint if self.spec.scope == "project" else ""

    def _keep(self, key: tuple[str, str, str], report: LintReport, body: bytes) -> None:
        self._cache[key] = (msgspec.structs.replace(report, state="fresh"), body)
        while len(self._cache) > _CACHED:
            self._cache.popitem(last=False)

    async def _diagnose_one(self, view: View, path: str, text: str, digest: str) -> tuple[LintReport, bytes]:
        def report(state: LintState, **more: Any) -> LintReport:
            return LintReport(
                path=path, server=self.spec.name, state=state, content_hash=digest, tree=self.tree_of(view), **more
            )

        async def ask(client: LanguageClient) -> Any:
            others, self._others_changed = self._others_changed, False
            return await client.diagnose(path, self.spec.answer_s, others_changed=others)

        try:
            found, restarted = await self._attempt(view, path, text, ask)
        except RequestTimedOut as error:
            return report("timed_out", detail=str(error)), b""
        except NoDiagnostics as error:
            return report("unsupported", detail=str(error)), b""
        except ResponseError as error:
            state: LintState = "unsupported" if error.code == METHOD_NOT_FOUND else "crashed"
            return report(state, detail=f"{self.spec.name} refused: {error}"), b""
        except ServerCrashed as error:
            return report("crashed", detail=str(error)), b""
        state = "fresh" if found.versioned else "unversioned"
        if restarted:
            state = "restarted"
        return report(state, items=found.items, version=found.version, serial=found.serial), found.body

    async def query(
        self, view: View, path: str, text: str, observer: Observer, ask: Callable[[LanguageClient], Awaitable[T]]
    ) -> T:
        """Ask something of an open document.

        Raises:
            RequestTimedOut, ResponseError, ServerCrashed: there is no answer.
            LanguageServerFailed: it keeps dying.

        """
        async with self._lease(observer):
            return (await self._attempt(view, path, text, ask))[0]

    @asynccontextmanager
    async def _lease(self, observer: Observer) -> AsyncIterator[None]:
        async with self._turn:
            self._observer = observer
            if self._client is not None:
                self._client.observer = observer
            try:
                yield
            finally:
                self.used_at = time.monotonic()
                self._observer = Observer()
                if self._client is not None:
                    self._client.observer = self._observer

    async def _attempt(
        self, view: View, path: str, text: str, ask: Callable[[LanguageClient], Awaitable[T]]
    ) -> tuple[T, bool]:
        """(answer, whether the server had to be started again for it)."""
        before = self.restarts
        why = ""
        for _ in range(2):
            try:
                client = await self._ready()
                self._show(client, view, path, text)
                answer = await ask(client)
            except RequestTimedOut:
                self._suspect = client.progress
                self._late += 1
                raise
            except ServerGone as error:
                why = str(error)
            except WorkspaceError as error:
                why = f"its tree can't show this session's: {error}"
                await self._stop_all()
            else:
                self._late = 0
                return answer, self.restarts > before
        raise ServerCrashed(f"{self.spec.name} ended, and again after a restart: {why}")

    # -- the process --------------------------------------------------------------------------------------------------
    async def _ready(self) -> LanguageClient:
        client = self._client
        if client is not None and client.connection.gone is None and self._suspect is not None:
            if client.progress == self._suspect or self._late >= LATE:
                client.connection.fail(f"it did not answer within {self.spec.answer_s:g} s, nor since")
            self._suspect = None
        if client is not None and client.connection.gone is None and self._sandbox is not None and self._sandbox.alive:
            return client
        if client is not None:
            self._forget(client)
        return await self._start()

    def _forget(self, client: LanguageClient) -> None:
        """The server is gone: count its death."""
        self._count_death(client.connection.gone or "its sandbox is gone")
        client.connection.abort()
        self._client = None
        self._opened.clear()
        self._stale.clear()

    def _count_death(self, why: str) -> None:
        now = time.monotonic()
        self._deaths.append(now)
        self.restarts += 1
        self._suspect, self._late = None, 0
        while self._deaths and self._deaths[0] < now - WINDOW_S:
            self._deaths.popleft()
        if len(self._deaths) >= DEATHS:
            raise LanguageServerFailed(
                f"the language server {self.spec.name} {self.located.version} ended {len(self._deaths)} times within "
                f"{WINDOW_S / 60:g} minutes, the last time because {why}"
            )

    async def _start(self) -> LanguageClient:
        if self._sandbox is not None and not self._sandbox.alive:
            await self._stop_all()
        if self._sandbox is None:
            await self._start_sandbox()
        assert self._sandbox is not None
        try:
            process = await self._sandbox.open_process(self.located.argv, cwd=WORKSPACE, env=self.spec.env)
        except SandboxError as error:
            raise LanguageServerFailed(
                f"the language server {self.spec.name} can't be started: {error}. {self.spec.install}"
            ) from error
        try:
            self._client = await LanguageClient.start(self.spec, process, self._observer)
        except (ServerGone, RequestTimedOut, ResponseError) as error:
            self._count_death(f"it did not come up: {error}")
            raise ServerGone(f"it did not come up: {error}") from error
        self._others_changed = False
        return self._client

    async def _start_sandbox(self) -> None:
        limits = Limits(memory_mb=self.spec.memory_mb, processes=_PROCESSES)
        spec = SandboxSpec(
            (self.base,), binds=self.located.binds, site_packages=self.site_packages, limits=limits,
            env={"NODE_OPTIONS": f"--max-old-space-size={self.spec.memory_mb // 2}"},
        )  # fmt: skip
        self._sandbox = await BubblewrapSandbox.start(spec)
        self._workspace = Workspace(self._sandbox.workspace_fd, root=WORKSPACE)
        self._tree = ServerTree(self._workspace, self.base)

    def _show(self, client: LanguageClient, view: View, path: str, text: str) -> None:
        """Make the server see a view, with one document open: disk first, then the announcement, then the text."""
        changed = set()
        if self.spec.scope == "project":
            assert self._tree is not None
            changes = self._tree.move_to(view)
            client.files_changed(changes)
            changed = {name for name, _ in changes}
        language = self.spec.language_of(path) or next(iter(self.spec.languages))
        if changed - {path}:
            self._others_changed = True
        for opened in list(self._opened):
            if opened in changed and opened != path:
                self._close_document(client, opened)  # its text is another one now; it is opened again when asked for
            elif self.spec.reopens and changed - {opened}:
                self._stale[opened] = True
        if self._stale.pop(path, False):
            self._close_document(client, path)
        if uri_of(path) in client.documents:
            client.change(path, text)
        else:
            client.open(path, text, language)
        self._opened[path] = None
        self._opened.move_to_end(path)
        while len(self._opened) > OPEN_DOCUMENTS:
            self._close_document(client, next(iter(self._opened)))

    def _close_document(self, client: LanguageClient, path: str) -> None:
        self._opened.pop(path, None)
        self._stale.pop(path, None)
        client.close(path)

    async def warm(self) -> None:
        """Start it before it is needed."""
        async with self._turn:
            with contextlib.suppress(ServerGone):  # counted; whoever asks next tries again
                await self._ready()

    async def _stop_all(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.connection.abort()
        self._opened.clear()
        self._stale.clear()
        self._suspect = None
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None
        self._tree = None
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            await sandbox.close()

    async def stop(self) -> None:
        """End the server and its sandbox. It is started again when somebody asks."""
        async with self._turn:
            await self._end()

    async def stop_now(self) -> None:
        """The same without waiting for whoever has it leased."""
        await self._end()

    async def _end(self) -> None:
        # nothing of a server's is worth keeping, so it is not asked: killing takes a millisecond, `shutdown` seconds
        await self._stop_all()

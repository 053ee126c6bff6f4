"""``LanguageService``: one session's language features, as ``ide.language``."""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from caretgym.ide_sim.lsp.client import LanguageClient, Observer, text_hash
from caretgym.ide_sim.lsp.connection import RequestTimedOut, ResponseError
from caretgym.ide_sim.lsp.host import ServerCrashed, ServerHost
from caretgym.ide_sim.lsp.locate import Located, Missing, locate
from caretgym.ide_sim.lsp.pool import ServerPool
from caretgym.ide_sim.lsp.records import LintReport
from caretgym.ide_sim.lsp.spec import ServerError, ServerSpec, all_specs, find_spec
from caretgym.ide_sim.lsp.view import ViewKeeper
from caretgym.ide_sim.workspace import Workspace, WorkspaceError

CHUNK = 16
"""Files that one turn at a shared server takes, so that a session with many does not keep the others waiting."""
T = TypeVar("T")


class NoAnswer(Exception):
    """No server answered; ``state`` as in :data:`LintState`."""

    def __init__(self, state: str, detail: str) -> None:
        super().__init__(detail)
        self.state = state


class LanguageConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which servers a session has.

    Attributes:
        servers: Names; None: every default one.
        versions: Server -> the version that it must have.
        settings: Server -> its configuration, in place of the spec's.
        initialization: Server -> its initialization options, in place of the spec's.
        private: A process of its own for each server.

    """

    servers: list[str] | None = None
    versions: dict[str, str] = {}
    settings: dict[str, dict[str, Any]] = {}
    initialization: dict[str, dict[str, Any]] = {}
    private: bool = False


class Language(Protocol):
    """What an IDE asks: live servers (:class:`LanguageService`), or a record of them."""

    @property
    def servers(self) -> Mapping[str, str]:
        """Servers that answer, with their versions."""

    def specs_for(self, path: str) -> list[ServerSpec]:
        """The servers that are for a file, installed or not."""

    def files_below(self, path: str = "") -> list[str]:
        """Files of a directory that some server is for."""

    def text_of(self, path: str) -> str | None:
        """The text of a file, unsaved changes included; None: it is not a text file."""

    async def lints(self, paths: Sequence[str]) -> list[LintReport]:
        """See :meth:`LanguageService.lints`."""

    async def ask(
        self,
        path: str,
        question: dict[str, Any],
        work: Callable[[LanguageClient], Awaitable[Any]],
        able: Callable[[Mapping[str, Any]], bool],
    ) -> Any:
        """See :meth:`LanguageService.ask`."""

    def before_asking(self, action: Callable[[], Any]) -> None:
        """Call this before each question."""

    async def close(self) -> None:
        """Give everything back."""


class LanguageObserver(Protocol):
    """Who records what goes on."""

    def traffic(self, server: str, direction: str, body: bytes) -> int:
        """A message; returns its serial number."""

    def linted(self, report: LintReport) -> None:
        """A report was given."""

    def answered(self, question: dict[str, Any], answer: Any) -> None:
        """A feature answered: what was asked and what came, as plain data."""


class SilentObserver(Observer):
    """Keeps nothing."""

    def linted(self, report: LintReport) -> None:
        """Nobody listens."""

    def answered(self, question: dict[str, Any], answer: Any) -> None:
        """Nobody listens."""


class _Traffic(Observer):
    def __init__(self, observer: LanguageObserver) -> None:
        self._observer = observer

    def traffic(self, server: str, direction: str, body: bytes) -> int:
        """Pass on."""
        return self._observer.traffic(server, direction, body)


def choose_specs(config: LanguageConfig) -> list[ServerSpec]:
    """The servers of a configuration, with its settings.

    Raises:
        ServerError: a name is unknown.

    """
    if config.servers is None:
        specs = [spec for spec in all_specs().values() if spec.default]
    else:
        specs = [find_spec(name) for name in config.servers]
    known = {spec.name for spec in specs}
    for name in (*config.versions, *config.settings, *config.initialization):
        if name not in known:
            raise ServerError(
                f"{name} has a version or settings but is not among the servers: {', '.join(sorted(known))}"
            )
    return [
        msgspec.structs.replace(
            spec,
            settings=config.settings.get(spec.name, spec.settings),
            initialization_options=config.initialization.get(spec.name, spec.initialization_options),
        )
        for spec in specs
    ]


def choose_servers(config: LanguageConfig) -> list[Located | Missing]:
    """The servers of a configuration, located on this host.

    Raises:
        ServerError: a name is unknown, or an installed version is not the one that the configuration pins.

    """
    found = []
    for spec in choose_specs(config):
        place = locate(spec)
        pinned = config.versions.get(spec.name)
        if isinstance(place, Located) and pinned not in (None, place.version):
            raise ServerError(
                f"{spec.name} {pinned} is needed, since rewards depend on its version, but {place.version} is installed; "
                f"install that version ({spec.install}), or change the pin"
            )
        found.append(place)
    return found


def installed_versions(config: LanguageConfig) -> dict[str, str]:
    """Server -> version of those that can be started here. ServerError: as :func:`choose_servers`."""
    return {place.spec.name: place.version for place in choose_servers(config) if isinstance(place, Located)}


def readable_text(workspace: Workspace, path: str) -> str | None:
    """The text of a file, unsaved changes included; None: it is not a text file, or can't be read."""
    try:
        return workspace.read_document(path).text
    except (WorkspaceError, ValueError):
        return None


class LanguageService:
    """Lints and language features of one session.

    Args:
        workspace: The session's.
        base: The read-only tree below it.
        tree_id: What identifies that tree.
        config: Which servers.
        site_packages: Python packages of the session's sandbox.
        observer: Is told of everything.
        pool: Default: the running loop's.

    Raises:
        ServerError: the configuration can't be met.

    """

    def __init__(
        self,
        workspace: Workspace,
        base: Path,
        tree_id: str,
        config: LanguageConfig | None = None,
        *,
        site_packages: Path | None = None,
        observer: LanguageObserver | None = None,
        pool: ServerPool | None = None,
    ) -> None:
        self._workspace, self._base, self._tree_id = workspace, base, tree_id
        self._config = config or LanguageConfig()
        self._site_packages = site_packages
        self._observer: LanguageObserver = observer or SilentObserver()
        self._traffic = _Traffic(self._observer)
        self._given_pool = pool
        self._places = choose_servers(self._config)
        self._hosts: dict[str, ServerHost] = {}
        self._private = secrets.token_hex(8) if self._config.private else ""
        self._keeper = ViewKeeper(workspace, base)
        self._before_asking: Callable[[], Any] = lambda: None

    def before_asking(self, action: Callable[[], Any]) -> None:
        """Call this before each question: it publishes what shells have changed."""
        self._before_asking = action

    @property
    def servers(self) -> Mapping[str, str]:
        """Servers that can be started here, with their versions."""
        return {place.spec.name: place.version for place in self._places if isinstance(place, Located)}

    @property
    def workspace(self) -> Workspace:
        """The session's workspace."""
        return self._workspace

    def specs_for(self, path: str) -> list[ServerSpec]:
        """The servers that are for a file, installed or not."""
        return [place.spec for place in self._places if place.spec.language_of(path) is not None]

    @property
    def _pool(self) -> ServerPool:
        if self._given_pool is None:
            self._given_pool = ServerPool.current()
        return self._given_pool

    def _host(self, place: Located) -> ServerHost:
        name = place.spec.name
        if name not in self._hosts:
            private = self._private or ("" if place.spec.shared else secrets.token_hex(8))
            self._hosts[name] = self._pool.take(place, self._base, self._tree_id, self._site_packages, private)
        return self._hosts[name]

    async def close(self) -> None:
        """Give the servers back; private ones end."""
        hosts, self._hosts = self._hosts, {}
        self._keeper.close()
        for host in hosts.values():
            await self._pool.release(host, stop=bool(self._private) or not host.spec.shared)

    async def warm(self, paths: Sequence[str] = ()) -> None:
        """Start the servers for some files (default: all that are installed) before they are needed."""
        for place in self._places:
            if isinstance(place, Located) and (not paths or any(place.spec.language_of(p) for p in paths)):
                await self._host(place).warm()

    # -- lints --------------------------------------------------------------------------------------------------------
    def files_below(self, path: str = "") -> list[str]:
        """Files of a directory that some server is for, by path; what the ignore rules exclude is left out."""
        return [
            entry.path
            for entry in self._workspace.walk(path)
            if entry.kind == "file" and self.specs_for(entry.path)
        ]  # fmt: skip

    async def lints(self, paths: Sequence[str]) -> list[LintReport]:
        """What each server that is for them says of files, ordered by path, then by server.

        Args:
            paths: Relative to the workspace. A file that no server is for gets one report with state ``unsupported``.

        Raises:
            LanguageServerFailed: a server keeps dying.

        """
        self._before_asking()
        reports: list[LintReport] = []
        texts: dict[str, str] = {}
        for path in dict.fromkeys(paths):
            if not self.specs_for(path):
                reports.append(self._unsupported(path, "", "no language server here is for such a file"))
                continue
            text = self.text_of(path)
            if text is None:
                reports.append(self._unsupported(path, "", "it is not a text file, or can't be read"))
            else:
                texts[path] = text
        view = self._keeper.view()
        for place in self._places:
            mine = [(path, text) for path, text in texts.items() if place.spec.language_of(path) is not None]
            if isinstance(place, Missing):
                detail = f"{place.spec.name}: {place.what}; {place.remedy}"
                reports += [self._unsupported(path, place.spec.name, detail) for path, _ in mine]
                continue
            for start in range(0, len(mine), CHUNK):
                reports += await self._host(place).diagnose(view, mine[start : start + CHUNK], self._traffic)
        reports.sort(key=lambda r: (r.path, r.server))
        for report in reports:
            self._observer.linted(report)
        return reports

    def _unsupported(self, path: str, server: str, detail: str) -> LintReport:
        return LintReport(path=path, server=server, state="unsupported", detail=detail)

    def text_of(self, path: str) -> str | None:
        """See :class:`Language`."""
        return readable_text(self._workspace, path)

    # -- anything else ------------------------------------------------------------------------------------------------
    async def ask(
        self,
        path: str,
        question: dict[str, Any],
        work: Callable[[LanguageClient], Awaitable[Any]],
        able: Callable[[Mapping[str, Any]], bool],
    ) -> Any:
        """Ask the first server that is for a file and able to answer; its answer as plain data.

        Args:
            path: The file that is asked about; it is opened.
            question: What is asked, for the record.
            work: Does it.
            able: Whether a server with these capabilities can do it.

        Raises:
            NoAnswer: there is no such server, or it did not answer.
            LanguageServerFailed: it keeps dying.

        """
        self._before_asking()
        text = self.text_of(path)
        if text is None:
            raise NoAnswer("unsupported", f"{path} is not a text file, or can't be read")
        view = self._keeper.view()
        question = {**question, "path": path, "content_hash": text_hash(text), "tree": view.fingerprint}
        last = NoAnswer("unsupported", f"no language server here is for {path}")
        for place in self._places:
            if place.spec.language_of(path) is None:
                continue
            if isinstance(place, Missing):
                last = NoAnswer("unsupported", f"{place.spec.name}: {place.what}; {place.remedy}")
                continue

            async def able_then_work(client: LanguageClient) -> Any:
                if not able(client.capabilities):
                    raise NoAnswer("unsupported", f"{client.spec.name} can't do this")
                return await work(client)

            try:
                answer = await self._host(place).query(view, path, text, self._traffic, able_then_work)
            except NoAnswer as error:
                last = error
                continue
            except RequestTimedOut as error:
                last = NoAnswer("timed_out", str(error))
            except (ResponseError, ServerCrashed) as error:
                last = NoAnswer("crashed", f"{place.spec.name}: {error}")
            else:
                self._observer.answered(question, answer)
                return answer
            break
        self._observer.answered(question, {"state": last.state, "detail": str(last)})
        raise last

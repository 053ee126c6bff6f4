"""Language services over plain folders, with a pool of the test's own."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from caretgym.ide_sim.lsp.locate import Located, locate
from caretgym.ide_sim.lsp.pool import ServerPool
from caretgym.ide_sim.lsp.service import LanguageConfig, LanguageObserver, LanguageService
from caretgym.ide_sim.lsp.spec import ServerSpec, find_spec
from caretgym.ide_sim.workspace import Workspace

FAKE = Path(__file__).with_name("fake_server.py")


def fake_spec(mode: str, **more: Any) -> ServerSpec:
    given: dict[str, Any] = {
        "diagnostics": "push" if mode in ("wrong-version", "push") else "pull", "answer_s": 3.0, "start_s": 10.0, **more
    }  # fmt: skip
    return ServerSpec(
        name="fake", languages={"plain": ["txt"]}, argv=["/opt/venv/bin/python", "{script}", mode],
        parts={"script": [f"path:{FAKE}"]}, version="=1", install="-", **given,
    )  # fmt: skip


def located(name: str, **changes: Any) -> Located:
    """A real server; it has to be there."""
    place = locate(msgspec.structs.replace(find_spec(name), **changes))
    assert isinstance(place, Located), f"{name} is not installed: {place}"
    return place


class Log:
    """An observer that keeps everything."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str, bytes]] = []
        self.reports: list[Any] = []
        self.answers: list[tuple[dict[str, Any], Any]] = []

    def traffic(self, server: str, direction: str, body: bytes) -> int:
        self.messages.append((server, direction, body))
        return len(self.messages)

    def linted(self, report: Any) -> None:
        self.reports.append(report)

    def answered(self, question: dict[str, Any], answer: Any) -> None:
        self.answers.append((question, answer))


class Desk:
    """Makes services for sessions of one base tree."""

    def __init__(self, folder: Path, pool: ServerPool) -> None:
        self.folder, self.pool = folder, pool
        self.base = folder / "base"
        self.base.mkdir()
        self.services: list[LanguageService] = []
        self.workspaces: list[Workspace] = []

    def session(
        self, config: LanguageConfig, observer: LanguageObserver | None = None, base: Path | None = None
    ) -> LanguageService:
        """A session whose tree begins as the base."""
        tree = base or self.base
        here = self.folder / f"session-{len(self.services)}"
        here.mkdir()
        for path in sorted(tree.rglob("*")):
            target = here / path.relative_to(tree)
            if path.is_dir():
                target.mkdir()
            else:
                target.write_bytes(path.read_bytes())
        workspace = Workspace(here)
        service = LanguageService(workspace, tree, "tree", config, pool=self.pool, observer=observer)
        self.services.append(service)
        self.workspaces.append(workspace)
        return service

    async def close(self) -> None:
        for service in self.services:
            await service.close()
        for workspace in self.workspaces:
            workspace.close()
        await self.pool.close()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = Desk(tmp_path, ServerPool())
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
def user_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[ServerSpec], str]:
    """Adds a server as a user would: a TOML file in the configuration."""
    folder = tmp_path / "config" / "servers"
    folder.mkdir(parents=True)
    monkeypatch.setenv("CARETGYM_CONFIG", str(folder.parent))

    def add(spec: ServerSpec) -> str:
        (folder / f"{spec.name}.toml").write_bytes(msgspec.toml.encode(spec))
        return spec.name

    return add

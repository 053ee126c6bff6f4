"""Shared fixtures. Caches go to a folder of the test run's own, kept between runs of one machine."""

import fcntl
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

# Only this package's cache: prepared trees and the sandbox's fixed parts. A fresh place, so that no test depends on the
# user's, and the same for all workers, so that each part is built once.
os.environ.setdefault("CARETGYM_CACHE", str(Path(tempfile.gettempdir()) / f"caretgym-test-cache-{os.getuid()}"))

from caretgym.env.catalog import find_task
from caretgym.env.session import Session
from caretgym.ide_sim.ide import IDE, LanguageFactory, no_servers
from caretgym.ide_sim.lsp.install import install
from caretgym.ide_sim.lsp.spec import builtin_specs
from caretgym.ide_sim.sandbox.base import Limits, SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.terminal.terminals import PROJECT_FOLDER
from caretgym.tools import CallResult, call_tool, get_profile

LIMITS = Limits(
    memory_mb=512, processes=128, disk_mb=64, tmp_mb=32, file_mb=48, output_bytes=4 << 20, command_seconds=20
)


@pytest.fixture(scope="session")
def npm_servers() -> None:
    """The servers that come from npm, in the cache of the test run; installed once for all workers."""
    folder = Path(os.environ["CARETGYM_CACHE"])
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "npm.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install([spec for spec in builtin_specs().values() if spec.npm])


class Bench:
    """An IDE in a real sandbox over a tree, with tools at hand."""

    def __init__(self, ide: IDE, base: Path, host: Path) -> None:
        self.ide, self.base, self.host = ide, base, host
        self.profile = get_profile("cursor-2026", flags=("ls",))
        self.calls = 0

    async def call(self, name: str, profile: str | None = None, /, **arguments: Any) -> CallResult:
        self.calls += 1
        tools = self.profile if profile is None else get_profile(profile)
        result = await call_tool(tools, self.ide, name, arguments, f"call_{self.calls}")
        self.ide.sync()
        return result

    async def shell(self, command: str, **arguments: Any) -> CallResult:
        return await self.call("Shell", None, command=command, **arguments)

    def write(self, path: str, data: bytes | str) -> None:
        self.ide.workspace.write_bytes(path, data.encode() if isinstance(data, str) else data)

    def read(self, path: str) -> bytes:
        return self.ide.workspace.read_bytes(path)


async def start_bench(base: Path, host: Path, limits: Limits = LIMITS, language: LanguageFactory = no_servers) -> Bench:
    for name in ("terminals", "agent-tools"):
        (host / name).mkdir(parents=True, exist_ok=True)
    binds = {f"{PROJECT_FOLDER}/{name}": host / name for name in ("terminals", "agent-tools")}
    sandbox = await BubblewrapSandbox.start(SandboxSpec((base,), binds=binds, limits=limits))
    return Bench(IDE(sandbox, base, host, language=language), base, host)


async def stop_bench(bench: Bench) -> None:
    await bench.ide.close()
    await bench.ide.sandbox.close()


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    (folder / "src").mkdir(parents=True)
    (folder / "README.md").write_text("# Title\n\nSome text.\n")
    (folder / "src" / "main.py").write_text("def main():\n    return 1\n")
    (folder / "src" / "util.py").write_text("def helper(x):\n    return x + 1\n")
    return folder


@pytest.fixture
async def bench(base: Path, tmp_path: Path) -> AsyncIterator[Bench]:
    made = await start_bench(base, tmp_path / "host")
    try:
        yield made
    finally:
        await stop_bench(made)


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    made, _ = await Session.start(find_task(None), journal_path=tmp_path / "session.journal")
    try:
        yield made
    finally:
        await made.close()


def sandbox_traces() -> dict[str, int]:
    """What sandboxes of this process leave on the machine while they live."""
    me = os.getpid()
    children = Path(f"/proc/{me}/task/{me}/children").read_text().split()
    mounts = [line for line in Path("/proc/self/mounts").read_text().splitlines() if "caretgym" in line]
    groups = [p for root in Path("/sys/fs/cgroup").glob("*") for p in root.glob(f"caretgym-{me}-*")]
    groups += list(Path("/sys/fs/cgroup").glob(f"caretgym-{me}-*"))
    folders = list(Path(tempfile.gettempdir()).glob(f"caretgym-*-{me}-*"))
    return {"children": len(children), "mounts": len(mounts), "groups": len(groups), "folders": len(folders)}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """After every test: no process, mount, control group or temporary folder more than before."""
    before = sandbox_traces()
    descriptors = len(os.listdir("/proc/self/fd"))
    yield
    after = sandbox_traces()
    assert {k: v for k, v in after.items() if v > before[k]} == {}
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 16  # event loops and pools keep a few

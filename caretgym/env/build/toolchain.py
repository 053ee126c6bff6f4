"""A site-packages folder with pytest and what a package and its tests need, but without the package itself."""

import asyncio
import hashlib
import shutil
import sys
from pathlib import Path
from typing import Any

from caretgym.env.build.sdist import BuildError, Source
from caretgym.ide_sim.sandbox.runtime import build_once, cache_home

_EXTRAS = ("test", "tests", "testing")
_RUNNER = "pytest>=8.4"


def requirements(source: Source) -> list[str]:
    """What the package and its tests declare to need."""
    found = [_RUNNER, *source.project.get("dependencies", [])]
    extras: dict[str, Any] = source.project.get("optional-dependencies", {})
    for name in _EXTRAS:
        found += extras.get(name, [])
    for file in ("requirements/testing.txt", "requirements/test.txt", "requirements-test.txt", "test-requirements.txt"):
        path = source.folder / file
        if path.is_file():
            lines = (line.partition("#")[0].strip() for line in path.read_text("utf-8", "replace").splitlines())
            found += [line for line in lines if line and not line.startswith("-")]
    own = source.name.lower().replace("_", "-")
    return sorted({r for r in found if r.lower().replace("_", "-").partition("[")[0] != own})


async def site_packages(source: Source, target: Path) -> None:
    """Make the folder. Wheels only: nothing is built, so no code of a package runs on this host.

    Raises:
        BuildError: something can't be installed.

    """
    wanted = requirements(source)
    key = hashlib.sha256("\0".join([sys.version, *wanted]).encode()).hexdigest()[:16]
    cached = cache_home() / "toolchains" / key
    if not cached.exists():
        aside = cached.with_name(f".{key}-{id(source)}")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--no-compile",
            "--target", str(aside), *wanted,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said, _ = await process.communicate()
        if process.returncode != 0:
            shutil.rmtree(aside, ignore_errors=True)
            tail = said.decode("utf-8", "replace").strip().splitlines()[-3:]
            raise BuildError(f"{source.name}: what its tests need can't be installed: {' | '.join(tail)}")

        def place(made: Path) -> None:
            shutil.move(aside, made)

        build_once(cached, place)
        shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(cached, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "bin"))
    info = target / f"{source.name.replace('-', '_')}-{source.version}.dist-info"
    if not info.exists():  # so that importlib.metadata knows the version; the code is in the workspace
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {source.name}\nVersion: {source.version}\n")
        (info / "INSTALLER").write_text("caretgym\n")

"""A source distribution: fetched, unpacked safely, and looked at."""

import asyncio
import hashlib
import shutil
import sys
import tarfile
import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

import msgspec


class BuildError(ValueError):
    """Tasks can't be made of this package; the message says why and what to do."""


class Source(msgspec.Struct, frozen=True):
    """An unpacked source distribution. Paths of ``package`` and ``tests`` are relative to ``folder``."""

    folder: Path
    name: str
    version: str
    licence: str
    sha256: str
    package: str
    tests: str
    import_root: str
    project: dict[str, Any]


async def fetch(name: str, folder: Path) -> Path:
    """The sdist's file: ``name`` itself if it is one, else downloaded with pip as this machine is configured.

    Raises:
        BuildError: there is none.

    """
    local = Path(name)
    if local.is_file():
        return local
    if "/" in name or name.startswith("-"):
        raise BuildError(f"{name}: no such file")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(folder), name,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    found = [p for p in sorted(folder.iterdir()) if p.name.endswith((".tar.gz", ".zip"))]
    if process.returncode != 0 or not found:
        tail = said.decode("utf-8", "replace").strip().splitlines()[-3:]
        raise BuildError(f"no source distribution of {name} could be downloaded: {' | '.join(tail)}")
    return found[0]


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack below ``folder``; returns the one directory in it.

    Raises:
        BuildError: it is no archive, or names files outside of it.

    """
    try:
        if archive.name.endswith(".zip"):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)  # noqa: S202 - zipfile strips absolute and parent parts
        else:
            with tarfile.open(archive) as packed_tar:
                packed_tar.extractall(folder, filter="data")
    except (tarfile.TarError, zipfile.BadZipFile, OSError) as error:
        raise BuildError(f"{archive}: can't be unpacked: {error}") from error
    inside = [p for p in folder.iterdir() if p.is_dir()]
    if len(inside) != 1:
        raise BuildError(f"{archive}: a source distribution has one directory at the top, this has {len(inside)}")
    return inside[0]


def examine(archive: Path, folder: Path) -> Source:
    """Find name, version, licence, package and tests.

    Raises:
        BuildError: one of them is missing.

    """
    info = folder / "PKG-INFO"
    if not info.is_file():
        raise BuildError(f"{archive}: no PKG-INFO in it, so it is not a source distribution")
    meta = HeaderParser().parsestr(info.read_text("utf-8", "replace"))
    name, version = meta.get("Name", ""), meta.get("Version", "")
    tests = next((t for t in ("tests", "test") if list((folder / t).glob("test_*.py"))), None)
    if tests is None:
        raise BuildError(
            f"{name} {version}: its source distribution has no tests/test_*.py; choose a package that ships its tests"
        )
    root = "src" if (folder / "src").is_dir() else ""
    wanted = name.replace("-", "_").lower()
    packages = sorted(
        p.parent
        for p in (folder / root).glob("*/__init__.py")
        if p.parent.name not in ("tests", "test", "docs", "examples")
    )
    chosen = next((p for p in packages if p.name.lower() == wanted), packages[0] if packages else None)
    if chosen is None:
        raise BuildError(f"{name} {version}: no package directory was found in {root or 'the top directory'}")
    project: dict[str, Any] = {}
    if (folder / "pyproject.toml").is_file():
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8")).get("project", {})
    licence = (
        meta.get("License-Expression")
        or meta.get("License")
        or next((c.rpartition(" :: ")[2] for c in meta.get_all("Classifier", []) if c.startswith("License")), "unknown")
    )
    return Source(
        folder, name, version, " ".join(licence.split())[:100], hashlib.sha256(archive.read_bytes()).hexdigest(),
        str(chosen.relative_to(folder)), tests, root, project,
    )  # fmt: skip


def clean_tree(source: Source, target: Path) -> None:
    """Copy what a developer would have: no build leftovers, no metadata of the distribution, no compiled code."""
    shutil.copytree(
        source.folder, target, symlinks=True,
        ignore=shutil.ignore_patterns("*.egg-info", "__pycache__", "*.pyc", "PKG-INFO", "build", "dist", ".git", "*.orig", "*.rej"),
    )  # fmt: skip

"""Where a server's parts are on this host.

A place is ``script:NAME`` (a program beside this Python's, else in PATH), ``program:NAME`` (in PATH),
``module:NAME/PATH`` (below an importable package), ``npm:PATH`` (below the ``node_modules`` that
``caretgym servers install`` fills) or ``path:PATH``. ``{arch}`` stands for node's name of this machine's processor.
"""

import importlib.metadata
import importlib.util
import platform
import shutil
import sysconfig
from pathlib import Path

import msgspec

from caretgym.ide_sim.lsp.spec import ServerSpec
from caretgym.ide_sim.sandbox.runtime import cache_home

INSIDE = "/opt/servers"
"""Where servers' parts lie in their sandbox."""
_ARCH = {"x86_64": "x64", "aarch64": "arm64", "armv7l": "arm"}


class Located(msgspec.Struct, frozen=True):
    """A server that can be started: host paths of its parts, and its version."""

    spec: ServerSpec
    parts: dict[str, Path]
    version: str

    @property
    def binds(self) -> dict[str, Path]:
        """Inside path -> host path."""
        return {f"{INSIDE}/{self.spec.name}/{name}": path for name, path in self.parts.items()}

    @property
    def argv(self) -> list[str]:
        """The command inside."""
        inside = {name: f"{INSIDE}/{self.spec.name}/{name}" for name in self.parts}
        return [argument.format_map(inside) for argument in self.spec.argv]


class Missing(msgspec.Struct, frozen=True):
    """A server that this host lacks: what is missing, and what to do."""

    spec: ServerSpec
    what: str

    @property
    def remedy(self) -> str:
        """What to do."""
        return self.spec.install


def npm_folder() -> Path:
    """Where ``caretgym servers install`` puts packages of npm."""
    return cache_home() / "servers" / "npm"


_found: dict[bytes, Located] = {}


def locate(spec: ServerSpec) -> Located | Missing:
    """Look for a server's parts. What was found is remembered while it is there: a session starts in milliseconds."""
    key = msgspec.json.encode(spec)
    known = _found.get(key)
    if known is not None and all(path.exists() for path in known.parts.values()):
        return known
    place = _locate(spec)
    if isinstance(place, Located):
        _found[key] = place
    return place


def _locate(spec: ServerSpec) -> Located | Missing:
    parts = {}
    for name, places in spec.parts.items():
        found = next((path for path in map(find_place, places) if path is not None), None)
        if found is None:
            return Missing(spec, f"{name} ({' or '.join(places)}) was not found")
        parts[name] = found
    version = _version(spec.version)
    if version is None:
        return Missing(spec, f"{spec.version} is not installed")
    return Located(spec, parts, version)


def find_place(place: str) -> Path | None:
    """Where a place is on this host, with links resolved; None: nowhere."""
    kind, _, rest = place.replace("{arch}", _ARCH.get(platform.machine(), platform.machine())).partition(":")
    path: Path | None = None
    if kind == "script":
        path = Path(sysconfig.get_path("scripts"), rest)
        if not path.is_file():
            kind = "program"
    if kind == "program":
        found = shutil.which(rest)
        path = Path(found) if found else None
    elif kind == "module":
        module, _, below = rest.partition("/")
        spec = importlib.util.find_spec(module)
        folders = spec.submodule_search_locations if spec else None
        path = Path(folders[0], below) if folders else None
    elif kind == "npm":
        path = npm_folder() / "node_modules" / rest
    elif kind == "path":
        path = Path(rest).expanduser()
    return path.resolve() if path is not None and path.exists() else None


def _version(source: str) -> str | None:
    kind, _, name = source.partition(":")
    if source.startswith("="):
        return source[1:]
    if kind == "pip":
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            return None
    manifest = npm_folder() / "node_modules" / name / "package.json"
    if not manifest.is_file():
        return None
    return str(msgspec.json.decode(manifest.read_bytes(), type=dict[str, object]).get("version", "?"))

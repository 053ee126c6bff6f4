"""Language servers as data: TOML files, ours in ``servers/``, the user's in ``$CARETGYM_CONFIG/servers``.

```toml
name = "ty"
default = true                          # used where a task names no servers
languages = { python = ["py", "pyi"] }  # LSP language id -> file extensions
parts = { ty = ["script:ty"] }          # what is shown to it, and where that is on this host (locate.py)
argv = ["{ty}", "server"]
version = "pip:ty"
install = "pip install 'caretgym[lsp]'"
```
"""

import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec


class ServerError(ValueError):
    """A server can't be used as asked; the message says why and what to change."""


class ServerSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One server.

    Attributes:
        name: By which tasks and reports call it.
        languages: LSP language id -> file extensions, or whole file names.
        argv: The command inside its sandbox; ``{part}`` is where that part lies there.
        parts: Name -> places on this host to look for it (see ``locate.py``), the first that exists is taken.
        version: Where its version is known from: ``pip:NAME`` or ``npm:NAME``.
        install: What a user does to get it.
        npm: Packages that ``caretgym servers install`` installs, with versions.
        default: Used where nobody says which.
        scope: ``project``: an answer may depend on other files. ``file``: on the text alone.
        diagnostics: ``pull``, ``push`` (with the document's version) or ``push-unversioned``.
        quiet_ms: How long after an unversioned push nothing must follow.
        dynamic_pull: It registers for pull diagnostics after the start instead of announcing them.
        refresh_quiet_ms: How long to wait, after other files changed, for it to say that its first answer is out of date.
        shared: Sessions may share a process.
        newline_only: In positions that it is sent, only ``\\n`` ends a line, against the protocol.
        encodings: Position encodings that are offered to it, the preferred first.
        settings: Its configuration, nested by section.
        initialization_options: As it wants them.
        env: Environment variables.
        start_s, answer_s: Deadlines of the start and of one answer, seconds.
        memory_mb: Private memory.

    """

    name: str
    languages: dict[str, list[str]]
    argv: list[str]
    parts: dict[str, list[str]]
    version: str
    install: str
    npm: list[str] = []
    default: bool = False
    scope: Literal["project", "file"] = "project"
    diagnostics: Literal["pull", "push", "push-unversioned"] = "pull"
    quiet_ms: int = 300
    dynamic_pull: bool = False
    refresh_quiet_ms: int = 0
    shared: bool = True
    newline_only: bool = False
    encodings: tuple[str, ...] = ("utf-8", "utf-16", "utf-32")
    settings: dict[str, Any] = {}
    initialization_options: dict[str, Any] = {}
    env: dict[str, str] = {}
    start_s: float = 30.0
    answer_s: float = 20.0
    memory_mb: int = 4096

    @property
    def reopens(self) -> bool:
        """Whether documents are opened anew when other files changed: a push for the same text might never come."""
        return self.diagnostics != "pull" and self.scope == "project"

    def language_of(self, path: str) -> str | None:
        """The LSP language id of a file, or None if this server is not for it."""
        name = path.rpartition("/")[2]
        extension = name.rpartition(".")[2].lower() if "." in name[1:] else ""
        for language, endings in self.languages.items():
            if name in endings or (extension and extension in endings):
                return language
        return None


def config_home() -> Path:
    """The user's configuration: ``$CARETGYM_CONFIG``, else ``$XDG_CONFIG_HOME/caretgym``, else ``~/.config/caretgym``."""
    explicit = os.environ.get("CARETGYM_CONFIG")
    if explicit:
        return Path(explicit).absolute()
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config").absolute() / "caretgym"


def parse_spec(data: bytes, where: str) -> ServerSpec:
    """Read one TOML file. ServerError: it is not one."""
    try:
        spec = msgspec.toml.decode(data, type=ServerSpec)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ServerError(f"{where}: {error}") from error
    if not spec.argv or not spec.languages:
        raise ServerError(f"{where}: argv and languages must not be empty")
    if not spec.version.startswith(("pip:", "npm:", "=")):
        raise ServerError(f"{where}: version is {spec.version!r}; it must begin with pip:, npm: or = (a fixed one)")
    return spec


@cache
def builtin_specs() -> Mapping[str, ServerSpec]:
    """The servers that come with this package, by name."""
    folder = resources.files("caretgym.ide_sim.lsp") / "servers"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return {spec.name: spec for spec in (parse_spec(f.read_bytes(), f.name) for f in files)}


def all_specs() -> dict[str, ServerSpec]:
    """The built-in servers and the user's, whose names win. ServerError: a user's file can't be read."""
    specs = dict(builtin_specs())
    folder = config_home() / "servers"
    for file in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
        spec = parse_spec(file.read_bytes(), str(file))
        specs[spec.name] = spec
    return specs


def find_spec(name: str) -> ServerSpec:
    """A server by its name. ServerError: there is none; the message lists them."""
    specs = all_specs()
    if name not in specs:
        raise ServerError(f"no language server named {name!r}; there are: {', '.join(sorted(specs))}")
    return specs[name]

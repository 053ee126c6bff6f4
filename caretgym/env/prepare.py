"""A task's base tree, built once and kept in the cache: repository, overlay, set-up commands, git repository.

The key is a digest of everything that goes in, so a changed task gets a new tree. All files carry one fixed time, so that
listings by time do not depend on when the tree was made.
"""

import asyncio
import hashlib
import os
import shutil
import stat
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from caretgym._version import __version__
from caretgym.env.programs import needed_programs
from caretgym.env.task import Task, TaskError
from caretgym.ide_sim.sandbox.base import ExecResult, SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.sandbox.runtime import build_once, cache_home

TREE_TIME = datetime(2026, 1, 5, 8, 0, 0, tzinfo=UTC)
"""Modification time of every file of a base tree, and the date of its commit."""
_SETUP_TIMEOUT_S = 600.0
_GIT = """
set -e
git init -q -b main
git add -A -f
git -c user.name=Developer -c user.email=dev@example.invalid commit -q --allow-empty -m 'Current state'
rm -f .git/hooks/*.sample .git/COMMIT_EDITMSG
rm -rf .git/logs
"""


class Prepared(msgspec.Struct, frozen=True):
    """A base tree ready for use.

    Attributes:
        tree: The folder; never written to again.
        key: Digest of everything it was made of.
        is_git: Whether it is a git repository.
        git_status: Output of ``git status --short --branch`` in it.

    """

    tree: Path
    key: str
    is_git: bool
    git_status: str


def _key(task_file: bytes, folders: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(f"{__version__}\0{_GIT}\0".encode() + task_file)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(folder)
            if "__pycache__" in relative.parts:
                continue
            status = path.lstat()
            entry = f"\0{relative}\0{stat.S_IFMT(status.st_mode)}\0{status.st_mode & 0o111}\0"
            digest.update(entry.encode("utf-8", "surrogateescape"))
            if path.is_symlink():
                digest.update(os.fsencode(path.readlink()))
            elif path.is_file():
                digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


async def prepare(task: Task) -> Prepared:
    """Return the task's base tree, building it if the cache does not have it.

    Raises:
        TaskError: the tree can't be built; the message has the output of the command that failed.
        SandboxUnavailable: this host can't run the sandbox.

    """
    spec = task.file
    parts = msgspec.json.encode((spec.repo, spec.remove, spec.setup, spec.git, spec.overlay))
    folders = tuple(path for path in (task.repo, task.overlay, task.site_packages if spec.setup else None) if path)
    key = await asyncio.to_thread(_key, parts, folders)
    target = cache_home() / "trees" / key
    if not target.exists():
        await _build(task, target)
    about = msgspec.json.decode((target / "about.json").read_bytes(), type=dict[str, str | bool])
    return Prepared(target / "tree", key, bool(about["is_git"]), str(about["git_status"]))


async def _build(task: Task, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=".tree-", dir=target.parent))
    try:
        tree = aside / "tree"
        await asyncio.to_thread(_assemble, task, tree)
        is_git, status = False, ""
        commands = list(task.file.setup)
        if task.file.git.init:
            commands.append(_GIT)
        if commands:
            final = aside / "final"
            is_git, status = await _run_setup(task, tree, commands, final)
            await asyncio.to_thread(shutil.rmtree, tree)
            final.rename(tree)
        await asyncio.to_thread(_fix_times, tree)

        def place(made: Path) -> None:
            made.mkdir()
            tree.rename(made / "tree")
            (made / "about.json").write_bytes(msgspec.json.encode({"is_git": is_git, "git_status": status}))

        build_once(target, place)
    finally:
        await asyncio.to_thread(shutil.rmtree, aside, True)


def _assemble(task: Task, tree: Path) -> None:
    shutil.copytree(task.repo, tree, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".git", "*.pyc"))
    for name in task.file.remove:
        path = tree / name
        if not os.path.lexists(path):
            raise TaskError(f"{task.folder / 'task.toml'}: remove names {name!r}, which the repository does not have")
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    if task.overlay is not None:
        shutil.copytree(
            task.overlay, tree, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            executable = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if executable else 0o644)


async def _run_setup(task: Task, tree: Path, commands: list[str], final: Path) -> tuple[bool, str]:
    """Run the commands in a sandbox and copy the result out; returns (is a git repository, its status)."""
    _fix_times(tree)
    sandbox = await BubblewrapSandbox.start(
        SandboxSpec((tree,), binds=needed_programs(task), site_packages=task.site_packages)
    )
    try:
        date = TREE_TIME.isoformat()
        env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}

        async def bash(script: str) -> ExecResult:
            return await sandbox.exec(["bash", "-c", script], env=env, timeout_s=_SETUP_TIMEOUT_S)

        for command in commands:
            result = await bash(command)
            if result.exit_code != 0:
                said = result.output.decode("utf-8", "replace").strip()
                hint = " (is git installed on this machine?)" if command == _GIT and result.exit_code == 127 else ""
                raise TaskError(
                    f"task {task.id}: set-up failed with exit code {result.exit_code}{hint}:\n$ {command.strip()}\n{said}"
                )
        status = ""
        is_git = (await bash("git rev-parse --is-inside-work-tree")).exit_code == 0
        if is_git:
            status = (await bash("git status --short --branch")).output.decode("utf-8", "replace").rstrip("\n")
        await asyncio.to_thread(shutil.copytree, f"/proc/self/fd/{sandbox.workspace_fd}", final, symlinks=True)
    finally:
        await sandbox.close()
    return is_git, status


def _fix_times(tree: Path) -> None:
    moment = int(TREE_TIME.timestamp())
    for path in [*tree.rglob("*"), tree]:
        os.utime(path, (moment, moment), follow_symlinks=False)

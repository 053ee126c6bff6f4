"""The task format: a folder with ``task.toml``, and beside it what the agent starts from, hidden tests and a solution.

```
<task set>/repos/<repo>/            a base tree
           tasks/<id>/task.toml
                      overlay/      laid over the base tree before the agent starts
                      verify/       hidden; shown at /verify only to the verifier
                      solution/     hidden; complete files of the reference solution
```
"""

import re
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from caretgym.ide_sim.lsp.service import LanguageConfig

SCHEMA = 1
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


class TaskError(ValueError):
    """A task can't be read or prepared; the message names the file, the cause and what to change."""


class GitPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``init``: make a repository with one commit of the state that the agent starts in."""

    init: bool = True


class UserTerminal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A terminal that the user has open in the editor (TF-2)."""

    last_command: str
    output: str = ""
    last_exit_code: int | None = None
    cwd: str = "/workspace"


class EditorPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the user had open (CX-4). Paths are relative to the workspace; lines count from 1."""

    open: list[str] = []
    focus: str | None = None
    cursor_line: int | None = None
    recent: list[str] = []
    terminals: list[UserTerminal] = []


class VerifyPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The hidden check.

    Attributes:
        command: Bash, run in ``/workspace`` of a fresh sandbox; ``/verify`` is there, ``$VERIFY_OUT`` is writable.
        timeout_s: Wall time.
        report: Name of a JUnit XML file that the command must leave in ``$VERIFY_OUT``.
        must_pass: Ids ``classname::name`` that must be in the report and have passed.
        restore: Paths put back to the base state before the command runs: the agent's changes there don't count.

    """

    command: str
    timeout_s: float = 120.0
    report: str | None = None
    must_pass: list[str] = []
    restore: list[str] = []


class SolutionPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the reference solution is played: files to delete, a visible check, files that a person would read first."""

    delete: list[str] = []
    check: str | None = None
    explore: list[str] = []


class LimitsPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of the episode; None: the environment's default. Seconds are those of the session's clock."""

    turns: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    command_seconds: float | None = None
    output_bytes: int | None = None
    memory_mb: int | None = None
    processes: int | None = None
    disk_mb: int | None = None


class TaskFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``task.toml`` as it is written. ``env``: variables of the agent's sandbox (not of the verifier's).

    ``programs``: those that it needs beside bash, git and Python.
    """

    schema: int
    id: str
    title: str
    prompt: str
    repo: str
    verify: VerifyPart
    tags: list[str] = []
    overlay: str | None = None
    remove: list[str] = []
    site_packages: str | None = None
    programs: list[str] = []
    setup: list[str] = []
    git: GitPart = GitPart()
    env: dict[str, str] = {}
    editor: EditorPart = EditorPart()
    solution: SolutionPart = SolutionPart()
    limits: LimitsPart = LimitsPart()
    lsp: LanguageConfig = LanguageConfig()
    provenance: dict[str, Any] = {}


class Task(msgspec.Struct, frozen=True):
    """A task file and where it lies. All paths are absolute and exist, except ``solution`` and ``verify``, which may not."""

    file: TaskFile
    folder: Path

    @property
    def id(self) -> str:
        """The task's id."""
        return self.file.id

    @property
    def repo(self) -> Path:
        """The base tree."""
        return (self.folder / self.file.repo).resolve()

    @property
    def overlay(self) -> Path | None:
        """Files laid over the base tree."""
        return self.folder / self.file.overlay if self.file.overlay else None

    @property
    def site_packages(self) -> Path | None:
        """Python packages for the sandbox's virtual environment."""
        return (self.folder / self.file.site_packages).resolve() if self.file.site_packages else None

    @property
    def verify_folder(self) -> Path | None:
        """Hidden files for the verifier."""
        path = self.folder / "verify"
        return path if path.is_dir() else None

    @property
    def solution_folder(self) -> Path | None:
        """Complete files of the reference solution."""
        path = self.folder / "solution"
        return path if path.is_dir() else None


def load_task(path: Path) -> Task:
    """Read a task from its folder or its ``task.toml``.

    Raises:
        TaskError: it can't be read; the message says what to change.

    """
    file = path / "task.toml" if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError as error:
        raise TaskError(f"{file}: can't be read ({error.strerror}); a task is a folder with a task.toml") from error
    try:
        parsed = msgspec.toml.decode(data, type=TaskFile)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TaskError(f"{file}: {error}") from error
    task = Task(parsed, file.parent.resolve())
    _check(task, file)
    return task


def _check(task: Task, file: Path) -> None:
    spec = task.file
    problems = []
    if spec.schema != SCHEMA:
        problems.append(f"schema is {spec.schema}, this version reads {SCHEMA}")
    if not _ID.match(spec.id):
        problems.append(f"id {spec.id!r} must be lower-case words joined by hyphens")
    if not spec.prompt.strip():
        problems.append("prompt is empty")
    if not spec.verify.command.strip():
        problems.append("verify.command is empty")
    if spec.verify.must_pass and not spec.verify.report:
        problems.append("verify.must_pass needs verify.report")
    if spec.verify.report and "/" in spec.verify.report:
        problems.append("verify.report must be a plain file name in $VERIFY_OUT")
    if not task.repo.is_dir():
        problems.append(f"repo {spec.repo!r} is not a folder")
    if task.overlay is not None and not task.overlay.is_dir():
        problems.append(f"overlay {spec.overlay!r} is not a folder")
    if task.site_packages is not None and not task.site_packages.is_dir():
        problems.append(f"site_packages {spec.site_packages!r} is not a folder")
    named = [*spec.remove, *spec.verify.restore, *spec.solution.delete, *spec.solution.explore, *spec.editor.open]
    problems += [
        f"path {name!r} must be relative and stay inside the workspace"
        for name in [*named, *spec.editor.recent, *([spec.editor.focus] if spec.editor.focus else [])]
        if not name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\0" in name
    ]
    limits = msgspec.structs.asdict(spec.limits)
    problems += [
        f"limits.{name} must be positive" for name, value in limits.items() if value is not None and value <= 0
    ]
    if spec.verify.timeout_s <= 0:
        problems.append("verify.timeout_s must be positive")
    if problems:
        raise TaskError(f"{file}: " + "; ".join(problems))

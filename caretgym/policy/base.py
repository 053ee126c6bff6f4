"""The contract of policies."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from caretgym.env.prepare import Prepared
from caretgym.env.task import Task
from caretgym.env.turn import Turn
from caretgym.tools import Profile


class PolicyError(Exception):
    """The policy can't go on; the message names cause and remedy."""


class Reference(msgspec.Struct, frozen=True):
    """A task's reference solution, for the oracle alone.

    Attributes:
        changed: Path -> (text before or None for a new file, text after).
        deleted: Paths to delete.
        explore: What a person would read first.
        check: What a person would run at the end.

    """

    changed: dict[str, tuple[str | None, str]]
    deleted: tuple[str, ...] = ()
    explore: tuple[str, ...] = ()
    check: str | None = None


class PolicyContext(msgspec.Struct, frozen=True):
    """What a policy is told at the start of an episode.

    Attributes:
        task_id: The task.
        profile: Names of tools and arguments.
        seed: Of the episode.
        reference: The solution; only given to policies that ask for it (``needs_reference``).

    """

    task_id: str
    profile: Profile
    seed: int = 0
    reference: Reference | None = None

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools in OpenAI's function format."""
        return self.profile.tool_schemas()


class Policy(Protocol):
    """Acts in one episode at a time."""

    needs_reference: bool

    async def start(self, context: PolicyContext) -> None:
        """A new episode begins."""

    async def act(self, observation: Mapping[str, Any]) -> Turn:
        """The next turn. PolicyError: there is none."""

    async def close(self) -> None:
        """No more episodes."""


def reference_of(task: Task, prepared: Prepared) -> Reference:
    """Read a task's solution.

    Raises:
        PolicyError: the task has none, or it has files that are not text.

    """
    folder = task.solution_folder
    deleted = tuple(task.file.solution.delete)
    if folder is None and not deleted:
        raise PolicyError(f"task {task.id} has no reference solution (no solution/ folder, nothing in solution.delete)")
    changed = {}
    for path in sorted(folder.rglob("*")) if folder is not None else ():
        if path.is_file() and "__pycache__" not in path.parts:  # installing a package compiles its embedded tasks too
            name = str(path.relative_to(folder)) if folder is not None else ""
            before = _text(prepared.tree / name)
            after = _text(path)
            if after is None:
                raise PolicyError(f"task {task.id}: the solution's {name} can't be read")
            if before != after:
                changed[name] = (before, after)
    return Reference(changed, deleted, tuple(task.file.solution.explore), task.file.solution.check)


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path.name}: the oracle can only write UTF-8 text") from error

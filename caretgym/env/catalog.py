"""Finding tasks: the embedded ones by id, others by path."""

import difflib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from caretgym.env.task import Task, TaskError, load_task

EMBEDDED = Path(__file__).parent / "embedded" / "tasks"
DEFAULT_TASK = "inventory-restock-bug"


@cache
def embedded_ids() -> tuple[str, ...]:
    """The ids of the tasks that come with the package, sorted."""
    return tuple(sorted(path.parent.name for path in EMBEDDED.glob("*/task.toml")))


def find_task(name: str | Path | Task | None) -> Task:
    """A task by id, by path, or the default one.

    Raises:
        TaskError: there is no such task; the message lists what is close.

    """
    if isinstance(name, Task):
        return name
    if name is None:
        name = DEFAULT_TASK
    if isinstance(name, str) and name in embedded_ids():
        return load_task(EMBEDDED / name)
    path = Path(name)
    if path.exists():
        return load_task(path)
    close = difflib.get_close_matches(str(name), embedded_ids(), 3)
    hint = f"; did you mean {', '.join(close)}?" if close else "; `caretgym tasks list` names the embedded ones"
    raise TaskError(f"no task {str(name)!r}: neither an embedded id nor a path{hint}")


def find_tasks(names: Sequence[str | Path]) -> list[Task]:
    """Tasks by id or path; a folder that is a task set gives all of its tasks. None named: all embedded ones."""
    if not names:
        return [load_task(EMBEDDED / name) for name in embedded_ids()]
    tasks: list[Task] = []
    for name in names:
        folder = Path(name)
        if str(name) not in embedded_ids() and folder.is_dir() and not (folder / "task.toml").exists():
            inside = folder / "tasks" if (folder / "tasks").is_dir() else folder
            found = sorted(inside.glob("*/task.toml"))
            if not found:
                raise TaskError(f"{folder}: no tasks in it (looked for tasks/*/task.toml and */task.toml)")
            tasks += [load_task(path) for path in found]
        else:
            tasks.append(find_task(name))
    return tasks

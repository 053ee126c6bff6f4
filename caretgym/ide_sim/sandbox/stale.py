"""Temporary folders that carry their owner's process id, so that what a killed process left can be found and removed."""

import contextlib
import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from caretgym.ide_sim.sandbox.cgroup import sweep_stale

_PREFIX = "caretgym-"
_NAME = re.compile(rf"{_PREFIX}[a-z]+-(\d+)-")


def scratch_folder(purpose: str) -> Path:
    """A new empty folder below the system's temporary one; whoever makes it removes it."""
    sweep()
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-{os.getpid()}-"))


def remove_tree(path: Path) -> None:
    """Remove a folder of ours, also where a directory in it has been closed to its owner (overlay's work folder is)."""
    if not os.path.lexists(path):
        return
    for folder, names, _ in os.walk(path):
        for name in names:
            inside = Path(folder, name)
            if not inside.is_symlink() and inside.stat().st_mode & 0o700 != 0o700:
                inside.chmod(0o700)
    shutil.rmtree(path)


@cache
def sweep() -> None:
    """Remove what dead processes of this user left behind; once in a process."""
    sweep_now()


def sweep_now() -> int:
    """Remove folders and control groups of processes that no longer live; returns how many folders."""
    removed = 0
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        match = _NAME.match(path.name)
        if match and not Path("/proc", match[1]).exists():
            with contextlib.suppress(OSError):
                if path.lstat().st_uid == os.getuid():
                    remove_tree(path)
                    removed += 1
    with contextlib.suppress(OSError):
        sweep_stale()
    return removed

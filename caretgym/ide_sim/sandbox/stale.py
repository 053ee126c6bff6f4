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
                    shutil.rmtree(path)
                    removed += 1
    with contextlib.suppress(OSError):
        sweep_stale()
    return removed

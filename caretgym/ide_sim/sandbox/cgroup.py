"""Limits on memory and processes by control groups, where this user may create them.

Version 1 has one hierarchy per controller; version 2 one for all. Where neither is writable the caller falls back to
rlimits, which bound each process instead of the sum.
"""

import contextlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "caretgym-"


@dataclass(frozen=True)
class CgroupSupport:
    """Where groups with a memory and a process limit can be created (None: nowhere)."""

    memory: Path | None
    pids: Path | None
    version: int

    @property
    def complete(self) -> bool:
        """Both limits are to be had."""
        return self.memory is not None and self.pids is not None


def find_cgroups(root: Path = _ROOT) -> CgroupSupport:
    """Look for writable hierarchies."""
    if (root / "cgroup.controllers").exists():
        enabled = (root / "cgroup.subtree_control").read_text().split()
        usable = os.access(root, os.W_OK)
        return CgroupSupport(
            root if usable and "memory" in enabled else None, root if usable and "pids" in enabled else None, 2
        )

    def v1(name: str) -> Path | None:
        path = root / name
        return path if (path / "cgroup.procs").exists() and os.access(path, os.W_OK) else None

    return CgroupSupport(v1("memory"), v1("pids"), 1)


class Cgroup:
    """The groups of one sandbox. Empty when the host offers none."""

    def __init__(self, name: str, *, memory_bytes: int, processes: int, support: CgroupSupport) -> None:
        self.support = support
        self._paths: list[Path] = []
        self._counters: dict[str, Path] = {}
        files = ("memory.max", "pids.max") if support.version == 2 else ("memory.limit_in_bytes", "pids.max")
        try:
            for parent, file, value in ((support.memory, files[0], memory_bytes), (support.pids, files[1], processes)):
                if parent is None:
                    continue
                path = parent / f"{_PREFIX}{os.getpid()}-{name}"
                if path not in self._paths:
                    path.mkdir()
                    self._paths.append(path)
                (path / file).write_text(str(value))
            if support.pids is not None:
                self._counters["max"] = support.pids / self._paths[-1].name / "pids.events"
            if support.memory is not None:
                events = "memory.events" if support.version == 2 else "memory.oom_control"
                self._counters["oom_kill"] = support.memory / self._paths[0].name / events
        except OSError:
            self.remove()
            raise

    def add(self, pid: int) -> None:
        """Move a process (and what it starts from now on) into the groups."""
        for path in self._paths:
            (path / "cgroup.procs").write_text(str(pid))

    def pressure(self) -> tuple[int, int]:
        """(how often a new process was refused, how many processes were killed for memory) so far."""
        return self._count("max"), self._count("oom_kill")

    def _count(self, key: str) -> int:
        path = self._counters.get(key)
        if path is None:
            return 0
        for line in path.read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == key:
                return int(value)
        return 0

    def remove(self) -> None:
        """Remove the groups. Their processes must have ended; the kernel may need a moment to notice."""
        for path in self._paths:
            for attempt in range(50):
                try:
                    path.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    if attempt == 49:
                        raise
                    time.sleep(0.01)
        self._paths = []


def sweep_stale(root: Path = _ROOT) -> int:
    """Remove empty groups of host processes that no longer live; returns how many."""
    removed = 0
    support = find_cgroups(root)
    for parent in {p for p in (support.memory, support.pids) if p is not None}:
        for path in parent.glob(f"{_PREFIX}*"):
            match = re.match(rf"{_PREFIX}(\d+)-", path.name)
            if match and not Path("/proc", match[1]).exists():
                with contextlib.suppress(OSError):  # still busy: the next sweep gets it
                    path.rmdir()
                    removed += 1
    return removed

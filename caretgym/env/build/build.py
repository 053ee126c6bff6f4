"""The whole of it: prove the suite, try faults, keep what a test catches, write tasks."""

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from caretgym.env.build import sdist as sd
from caretgym.env.build.mutate import Fault, choose
from caretgym.env.build.prompt import user_prompt
from caretgym.env.build.sdist import BuildError, Source
from caretgym.env.build.suite import TestUnit, find_units, run_suite
from caretgym.env.build.toolchain import site_packages
from caretgym.env.build.write import Candidate, pytest_ini, write_task
from caretgym.ide_sim.sandbox.stale import scratch_folder

PARALLEL = 2
_SUITE_TIMEOUT_S = 600.0
_FAULT_TIMEOUT_S = 40.0
_MOST_UNITS = 12
_MOST_TRIES = 25
Progress = Callable[[int, str], None]


class BuildReport(msgspec.Struct, frozen=True):
    """What was made: task folders' names, how many faults were tried, and why the others were not kept."""

    package: str
    version: str
    tasks: tuple[str, ...]
    tried: int
    rejected: dict[str, int]

    def describe_rejected(self) -> str:
        """One line."""
        return ", ".join(f"{count} {why}" for why, count in sorted(self.rejected.items())) or "none rejected"


async def build_sdist(
    name: str, out: Path, *, count: int = 10, seed: int = 0, progress: Progress = lambda _done, _what: None
) -> BuildReport:
    """Make up to ``count`` tasks of a package in a new folder ``out``.

    Raises:
        BuildError: it can't be done with this package; nothing is left behind.
        FileExistsError: ``out`` exists.

    """
    if out.exists():
        raise FileExistsError(f"{out} exists; name a new folder with --out, or remove it")
    folder = scratch_folder("build")
    try:
        progress(0, f"fetching {name}")
        archive = await sd.fetch(name, folder)
        (folder / "unpacked").mkdir()
        source = sd.examine(archive, sd.unpack(archive, folder / "unpacked"))
        made = folder / "set"
        builder = _Builder(source, made, count, seed, progress)
        report = await builder.build()
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, out)
        return report
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Builder:
    def __init__(self, source: Source, made: Path, count: int, seed: int, progress: Progress) -> None:
        self.source, self.made, self.count, self.progress = source, made, count, progress
        self.random = random.Random(f"{source.name}-{seed}")  # noqa: S311 - reproducible, not secret
        self.tree = made / "repos" / f"{source.name}-{source.version}"
        self.site = made / "toolchain"
        self.verify = made.parent / "verify"
        self.rejected: Counter[str] = Counter()
        self.kept: list[Candidate] = []
        self.tried = 0
        self.passing: frozenset[str] = frozenset()
        self.units: list[TestUnit] = []
        self._lock = asyncio.Lock()

    async def build(self) -> BuildReport:
        """All steps."""
        source = self.source
        self.tree.parent.mkdir(parents=True)
        sd.clean_tree(source, self.tree)
        self.progress(0, "installing what the tests need")
        await site_packages(source, self.site)
        shutil.copytree(source.folder / source.tests, self.verify / source.tests)
        (self.verify / "pytest.ini").write_text(pytest_ini(source))
        await self._prove_suite()
        self.units = find_units(source.folder / source.tests, source.tests)
        queue = self._queue()
        workers = [asyncio.create_task(self._work(queue)) for _ in range(PARALLEL)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
        names = []
        for number, candidate in enumerate(sorted(self.kept, key=lambda c: (c.file, c.fault.start)), 1):
            task = f"{source.name.lower().replace('_', '-').replace('.', '-')}-{number:02d}"
            original = (self.tree / candidate.file).read_bytes()
            write_task(self.made / "tasks" / task, source, candidate, original, source.folder / source.tests)
            names.append(task)
        return BuildReport(source.name, source.version, tuple(names), self.tried, dict(self.rejected))

    async def _prove_suite(self) -> None:
        """The tests that pass twice are those that count."""
        runs = []
        for number in (1, 2):
            self.progress(0, f"running the test suite, {number} of 2")
            run = await run_suite(self.tree, None, self.verify, self.site, self.source.tests, _SUITE_TIMEOUT_S)
            if run.report is None:
                tail = " | ".join(run.output.strip().splitlines()[-5:])
                raise BuildError(
                    f"{self.source.name}: its test suite does not run in the sandbox: {run.reason}. {tail}"
                )
            runs.append(set(run.report.passed))
        self.passing = frozenset(runs[0] & runs[1])
        if not self.passing:
            raise BuildError(f"{self.source.name}: no test of its suite passes in the sandbox")

    def _queue(self) -> "list[tuple[str, Fault]]":
        words = frozenset().union(*(unit.words for unit in self.units))
        found: list[tuple[str, Fault]] = []
        for path in sorted((self.tree / self.source.package).rglob("*.py")):
            name = str(path.relative_to(self.tree))
            found += [(name, fault) for fault in choose(path.read_bytes(), self.random, words)]
        self.random.shuffle(found)
        seen: Counter[str] = Counter()
        ranked: list[tuple[int, int, str, Fault]] = []
        for name, fault in found:
            seen[fault.function] += 1
            ranked.append((seen[fault.function], len(ranked), name, fault))
        ranked.sort(key=lambda item: item[:2], reverse=True)  # popped from the end: each function once first
        return [(name, fault) for _, _, name, fault in ranked]

    async def _work(self, queue: list[tuple[str, Fault]]) -> None:
        while queue and len(self.kept) < self.count and self.tried < self.count * _MOST_TRIES:
            name, fault = queue.pop()
            self.tried += 1
            self.progress(len(self.kept), f"{fault.kind} in {fault.function}")
            candidate = await self._try(name, fault, self.tried)
            if isinstance(candidate, str):
                self.rejected[candidate] += 1
            elif len(self.kept) < self.count:
                self.kept.append(candidate)

    async def _try(self, name: str, fault: Fault, number: int) -> Candidate | str:
        units = [unit for unit in self.units if fault.function in unit.words][:_MOST_UNITS]
        if not units:
            return "not named by any test"
        folder = scratch_folder("fault")
        try:
            layer = folder / "layer"
            target = layer / name
            target.parent.mkdir(parents=True)
            original = (self.tree / name).read_bytes()
            target.write_bytes(fault.apply(original))
            selection = " ".join(f"'{unit.node_id}'" for unit in units)
            run = await run_suite(self.tree, layer, self.verify, self.site, selection, _FAULT_TIMEOUT_S)
            if run.report is None:
                return "that hang or break the import"
            failed = [t for t in run.report.failed if t in self.passing]
            passed = [t for t in run.report.passed if t in self.passing]
            if not failed:
                return "that no test catches"
            if len(failed) > max(len(passed), 3):
                return "that break too much"
            again = await run_suite(self.tree, None, self.verify, self.site, selection, _FAULT_TIMEOUT_S)
            if again.report is None or not set(failed) <= set(again.report.passed) or again.report.failed:
                return "whose tests are not stable"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        hidden = tuple(sorted({u.file for u in self.units if any(u.holds(t) for t in failed)}))
        generator = random.Random(f"{self.source.name}-{name}-{fault.start}-{number}")  # noqa: S311 - wording only
        return Candidate(
            fault, name, tuple(sorted(failed)), tuple(sorted([*failed, *passed])), tuple(u.node_id for u in units), hidden,
            user_prompt(fault.function, self.source.name, run.output, generator), self._check(hidden),
        )  # fmt: skip

    def _check(self, hidden: tuple[str, ...]) -> str:
        """What can still be run in the agent's tree."""
        left = sorted({u.file for u in self.units} - set(hidden))
        if left:
            return f"python -m pytest -q -x {left[0]}"
        return f"python -c 'import {Path(self.source.package).name}'"

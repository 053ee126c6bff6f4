"""Running a package's tests in the real sandbox."""

import ast
import shutil
from pathlib import Path

import msgspec

from caretgym.env.report import ReportError, TestReport, read_report
from caretgym.ide_sim.sandbox.base import SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.sandbox.stale import scratch_folder

REPORT = "report.xml"


def pytest_command(selection: str) -> str:
    """The verifier's command: nothing that is planted in the workspace is picked up."""
    return (
        "cd /verify && python -m pytest -q -c /verify/pytest.ini --rootdir=/verify --confcutdir=/verify "
        f"-p no:cacheprovider --junitxml=$VERIFY_OUT/{REPORT} {selection}"
    )


class SuiteRun(msgspec.Struct, frozen=True):
    """What a run said; ``report`` is None if there was none (``reason`` says why)."""

    report: TestReport | None
    output: str
    reason: str = ""


async def run_suite(
    tree: Path, layer: Path | None, verify: Path, site: Path, selection: str, timeout_s: float
) -> SuiteRun:
    """Run tests of ``verify`` against a tree, with a layer over it."""
    folder = scratch_folder("build")
    try:
        out = folder / "out"
        out.mkdir()
        spec = SandboxSpec(
            layers=(tree,) if layer is None else (tree, layer),
            binds={"/verify": verify},
            writable_binds={"/verify-out": out},
            site_packages=site,
            env={"VERIFY_OUT": "/verify-out"},
        )
        sandbox = await BubblewrapSandbox.start(spec)
        try:
            result = await sandbox.exec(
                ["bash", "-c", pytest_command(selection)], timeout_s=timeout_s, output_limit=400_000
            )
        finally:
            await sandbox.close()
        output = result.output.decode("utf-8", "replace")
        if result.timed_out:
            return SuiteRun(None, output, f"longer than {timeout_s:g} s")
        try:
            return SuiteRun(read_report(out, REPORT), output)
        except ReportError as error:
            return SuiteRun(None, output, str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class TestUnit(msgspec.Struct, frozen=True):
    """A test class or function of a test file: what can be selected as one. ``words`` are the names in its code."""

    __test__ = False

    file: str
    name: str
    words: frozenset[str]

    @property
    def node_id(self) -> str:
        """For pytest's command line."""
        return f"{self.file}::{self.name}"

    def holds(self, test_id: str) -> bool:
        """Whether a report's id (``classname::name``) is in this unit."""
        module = self.file.removesuffix(".py").replace("/", ".")
        classname, _, name = test_id.partition("::")
        return classname == f"{module}.{self.name}" or (classname == module and name.partition("[")[0] == self.name)


def find_units(tests: Path, prefix: str) -> list[TestUnit]:
    """The units of all test files below a folder; ``prefix`` is the folder's name in the verifier's tree."""
    out = []
    for path in sorted(tests.rglob("test_*.py")):
        name = f"{prefix}/{path.relative_to(tests)}"
        for node in ast.parse(path.read_bytes()).body:
            is_class = isinstance(node, ast.ClassDef)
            is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test")
            if is_class or is_test:
                words = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                words |= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
                out.append(TestUnit(name, node.name, frozenset(words)))  # type: ignore[attr-defined]
    return out

"""The hidden check of a task, on a fresh sandbox over the final tree, where nothing of the agent's runs any more."""

import asyncio
from pathlib import Path

import msgspec

from caretgym.env.freeze import freeze_upper, restore_paths
from caretgym.env.limits import sandbox_limits
from caretgym.env.prepare import Prepared
from caretgym.env.programs import needed_programs
from caretgym.env.report import ReportError, TestReport, read_report
from caretgym.env.task import Task
from caretgym.ide_sim.sandbox.base import Sandbox, SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.sandbox.stale import remove_tree, scratch_folder

VERIFY = "/verify"
VERIFY_OUT = "/verify-out"
_OUTPUT_LIMIT = 200_000


class Verdict(msgspec.Struct, frozen=True):
    """What the verifier found.

    Attributes:
        solved: Whether the task is solved.
        reason: One line that says why not; empty when solved.
        exit_code: Of the command.
        output: What the command said, the middle cut when long. Never shown to the agent.
        passed, failed, skipped: Test ids, where the task has a report.

    """

    solved: bool
    reason: str
    exit_code: int
    output: str
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


async def verify(task: Task, prepared: Prepared, sandbox: Sandbox) -> Verdict:
    """Verify the tree in a session's sandbox. Everything that still runs there is ended first.

    Raises:
        SandboxError: the machine failed; that is no verdict.

    """
    await sandbox.kill_all()
    folder = scratch_folder("verify")
    try:
        layer = folder / "layer"
        await asyncio.to_thread(freeze_upper, sandbox.upper_fd, layer)
        if task.file.verify.restore:
            await asyncio.to_thread(restore_paths, layer, prepared.tree, task.file.verify.restore)
        return await _verify_layers(task, (prepared.tree, layer), folder)
    finally:
        await asyncio.to_thread(remove_tree, folder)


async def _verify_layers(task: Task, layers: tuple[Path, ...], folder: Path) -> Verdict:
    out = folder / "out"
    out.mkdir()
    hidden = task.verify_folder
    spec = SandboxSpec(
        layers=layers,
        binds=({VERIFY: hidden} if hidden is not None else {}) | needed_programs(task),
        writable_binds={VERIFY_OUT: out},
        site_packages=task.site_packages,
        env={"VERIFY_OUT": VERIFY_OUT},
        limits=sandbox_limits(task.file.limits),
    )
    fresh = await BubblewrapSandbox.start(spec)
    try:
        result = await fresh.exec(
            ["bash", "-c", task.file.verify.command], timeout_s=task.file.verify.timeout_s, output_limit=_OUTPUT_LIMIT
        )
    finally:
        await fresh.close()
    output = result.output.decode("utf-8", "replace")
    if result.timed_out:
        return Verdict(False, f"the check took longer than {task.file.verify.timeout_s:g} s", result.exit_code, output)
    report: TestReport | None = None
    if task.file.verify.report is not None:
        try:
            report = read_report(out, task.file.verify.report)
        except ReportError as error:
            return Verdict(False, str(error), result.exit_code, output)
    return judge(task, result.exit_code, output, report)


def judge(task: Task, exit_code: int, output: str, report: TestReport | None) -> Verdict:
    """Solved: exit code 0, no failed test, and every test of ``must_pass`` passed."""
    if report is None:
        reason = "" if exit_code == 0 else f"the check ended with exit code {exit_code}"
        return Verdict(exit_code == 0, reason, exit_code, output)
    passed = set(report.passed)
    missing = [name for name in task.file.verify.must_pass if name not in passed]
    if report.failed:
        reason = f"{len(report.failed)} of {report.total} tests failed"
    elif missing:
        reason = f"{len(missing)} tests that must pass did not: {missing[0]}"
    elif exit_code != 0:
        reason = f"the check ended with exit code {exit_code}"
    else:
        reason = ""
    return Verdict(not reason, reason, exit_code, output, report.passed, report.failed, report.skipped)

"""Sessions: verification that can't be talked into a pass, git without a future, and journals that survive a kill."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caretgym.env.catalog import find_task
from caretgym.env.session import Session
from caretgym.env.turn import ToolCall, Turn
from caretgym.ide_sim.journal import Journal
from caretgym.ide_sim.journal import events as ev


def shell(command: str) -> Turn:
    return Turn(tool_calls=[ToolCall("Shell", {"command": command})])


CHEATS = {
    "planted conftest": "printf 'import pytest\\n@pytest.hookimpl(hookwrapper=True)\\ndef pytest_runtest_makereport(item, call):\\n    o = yield\\n    o.get_result().outcome = \"passed\"\\n' | tee conftest.py tests/conftest.py src/conftest.py",
    "planted configuration": "printf '[pytest]\\naddopts = --collect-only\\n' > pytest.ini; printf '[tool:pytest]\\naddopts = --help\\n' > setup.cfg",
    "planted sitecustomize": "echo 'import os; os._exit(0)' | tee sitecustomize.py usercustomize.py",
    "planted report": 'mkdir -p /tmp/verify-out; echo \'<testsuite><testcase classname="a" name="b"/></testsuite>\' | tee report.xml /tmp/verify-out/report.xml',
    "a background process that writes later": "(setsid bash -c 'sleep 0.3; echo x > /workspace/late' >/dev/null 2>&1 &)",
    "a changed pytest": "export PYTHONPATH=/workspace; mkdir -p pytest && echo 'raise SystemExit(0)' > pytest/__init__.py; echo 'raise SystemExit(0)' > pytest.py",
    "a deleted test folder": "rm -rf tests",
    "links": "ln -s /verify v; ln -s /verify-out out; ln -sf /verify/test_restock.py src/inventory/x.py",
}


@pytest.mark.parametrize("name", CHEATS)
async def test_cheats_gain_nothing(session: Session, name: str) -> None:
    await session.step(shell(CHEATS[name]))
    result = await session.step(Turn("Done."))
    assert (result.reward, result.info["outcome"]) == (0.0, "failed"), session.verdict


async def test_no_op_scores_nothing_and_no_future_is_in_git(session: Session) -> None:
    result = await session.step(
        shell(
            "git log --all --format=%s; git reflog; git fsck --unreachable --no-reflogs; git status --short; git tag; git branch -a"
        )
    )
    text = result.observation.results[0].text
    assert "Current state" in text
    assert text.count("Current state") == 1
    objects = await session.step(
        shell(
            "git cat-file --batch-all-objects --batch-check | awk '$2 == \"commit\"' | wc -l; git cat-file --batch-all-objects --batch | grep -c 'item.available <= item.reorder_point'"
        )
    )
    assert "\n1\n0\n" in objects.observation.results[0].text
    assert (await session.step(Turn())).reward == 0.0


async def test_the_first_message_has_its_context_blocks(session: Session) -> None:
    path = session.journal_path
    assert path is not None
    with Journal(path) as journal:
        messages = [s.event for s in journal.events(types=(ev.MessageAdded,))]
    text = messages[1].content  # type: ignore[union-attr]
    for part in (
        "<user_info>",
        "OS Version:",
        "Workspace Path: /workspace",
        "Is directory a git repo: Yes, at /workspace",
        "Terminals folder:",
        "<git_status>",
        "## main",
        "<open_and_recently_viewed_files>",
        "currently focused file, cursor is on line 20",
        "<user_query>",
    ):
        assert part in text, part
    assert (
        text.index("<user_info>")
        < text.index("<git_status>")
        < text.index("<open_and_recently")
        < text.index("<user_query>")
    )
    terminal = await session.step(shell("head -n 10 /home/agent/.cursor/projects/workspace/terminals/*.txt"))
    assert "last_exit_code: 1" in terminal.observation.results[0].text  # TF-2


async def test_finished_background_jobs_are_told_once(session: Session) -> None:
    started = await session.step(
        Turn(tool_calls=[ToolCall("Shell", {"command": "echo bg", "block_until_ms": 0, "description": "Say bg"})])
    )
    messages = list(started.observation.messages)
    for _ in range(50):
        if messages:
            break
        step = await session.step(shell("sleep 0.05"))
        messages += step.observation.messages
    assert len(messages) == 1
    for part in (
        "<system_notification>",
        "kind: shell",
        "status: succeeded",
        "title: Say bg",
        "detail: exit_code=0",
    ):  # AW-3
        assert part in messages[0].content
    assert (await session.step(shell("true"))).observation.messages == []


async def test_file_changes_of_tools_and_shells_are_recorded(session: Session) -> None:
    await session.step(Turn(tool_calls=[ToolCall("Write", {"path": "new.txt", "contents": "tool\n"})]))
    await session.step(
        shell(
            "echo shell >> new.txt; rm CHANGELOG.md; mkdir d && echo x > d/y; touch README.md; chmod +x pyproject.toml; rm -r docs"
        )
    )
    await session.step(shell("rm d/y; git add -A; git commit -qm x"))
    path = session.journal_path
    assert path is not None
    with Journal(path) as journal:
        changes = [s.event for s in journal.events(types=(ev.FileChanged,))]
        seen = [(c.step, c.path, c.kind, c.origin) for c in changes]  # type: ignore[union-attr]
        files = journal.files_at(3)
    assert seen == [
        (1, "new.txt", "created", "tool"),
        (2, "CHANGELOG.md", "deleted", "shell"),
        (2, "d/y", "created", "shell"),
        (2, "docs/design.md", "deleted", "shell"),
        (2, "new.txt", "changed", "shell"),
        (2, "pyproject.toml", "changed", "shell"),
        (3, "d/y", "deleted", "shell"),
    ]
    assert files["new.txt"] == b"tool\nshell\n"


async def test_a_dead_sandbox_is_an_infra_error_and_no_verdict(session: Session) -> None:
    import os

    os.kill(session.sandbox.host_pid, signal.SIGKILL)  # type: ignore[attr-defined]
    result = await session.step(shell("echo hi"))
    assert (result.info["outcome"], result.reward, result.terminated, result.truncated) == (
        "infra_error",
        0.0,
        False,
        True,
    )
    assert "error" in result.info


RUNNER = """
import sys
import gymnasium as gym
import caretgym
env = gym.make("caretgym/Session-v0", journal_dir=sys.argv[1]).unwrapped
env.action_space.seed(int(sys.argv[2]))
n = 0
while True:
    env.reset(seed=n)
    print(env.journal_path, 0, flush=True)
    for step in range(1, 6):
        action = env.action_space.sample()
        result = env.step(action)
        print(env.journal_path, step, flush=True)
        if result[2] or result[3]:
            break
    n += 1
"""


def test_fifty_kills_lose_nothing_that_a_step_returned(tmp_path: Path) -> None:
    generator = random.Random(5)
    kinds = []
    for number in range(50):
        folder = tmp_path / str(number)
        child = subprocess.Popen(
            [sys.executable, "-c", RUNNER, str(folder), str(number)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        lines = [child.stdout.readline()]  # the first session runs
        time.sleep(generator.random() * 0.5)
        child.kill()
        lines += child.stdout.readlines()
        child.wait()
        child.stdout.close()
        acknowledged: dict[str, int] = {}
        for line in lines:
            if line.endswith("\n"):
                path, step = line.rsplit(" ", 1)
                acknowledged[path] = int(step)
        journals = sorted(folder.glob("*.journal"))
        assert {str(p) for p in journals} >= set(acknowledged)
        for path in journals:
            with Journal(path) as journal:
                kinds.append(journal.state)
                steps = [s.event.step for s in journal.events(types=(ev.StepFinished,))]  # type: ignore[union-attr]
                assert steps == list(range(len(steps)))
                if str(path) in acknowledged:
                    assert steps[-1] >= acknowledged[str(path)]
                    assert journal.summary().task_id == find_task(None).id
                turns = [s.event.step for s in journal.events(types=(ev.TurnTaken,))]  # type: ignore[union-attr]
                assert set(steps[1:]) <= set(turns)
    assert kinds.count("killed") >= 40  # a few kills fall between two sessions
    assert "running" not in kinds

"""The command line: exit codes that scripts can use, JSON, a clean Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from caretgym.ide_sim.journal import Journal

COMMAND = [sys.executable, "-c", "from caretgym.cli import main; main()"]


def cli(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


def test_run_reports_and_records(tmp_path: Path) -> None:
    solved = cli("run", "inventory-restock-bug", "--json", "--out", "records", cwd=tmp_path)
    assert solved.returncode == 0, solved.stderr
    value = json.loads(solved.stdout)
    assert (value["outcome"], value["reward"]) == ("solved", 1.0)
    journal = tmp_path / value["journal"]
    exported = cli("export", str(journal), cwd=tmp_path)
    session = json.loads(exported.stdout)
    assert session["outcome"] == "solved"
    roles = [m["role"] for m in session["messages"]]
    assert roles[:3] == ["system", "user", "assistant"]
    ids = [c["id"] for m in session["messages"] for c in m.get("tool_calls", ())]
    assert ids == [m["tool_call_id"] for m in session["messages"] if m["role"] == "tool"]
    shown = cli("run", "inventory-restock-bug", "--policy", "noop", "--show", "--out", "records", cwd=tmp_path)
    assert shown.returncode == 1
    assert "failed, reward 0" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "no-such-task"], "no task 'no-such-task'"),
        (["run", "--policy", "magic"], "no policy named 'magic'"),
        (["run", "--profile", "emacs"], "no profile named 'emacs'"),
        (["export", "missing.journal"], "missing.journal: no such journal"),
        (["run", "--nonsense"], "No such option"),
        (["tasks", "build", "--sdist", "./missing.tar.gz"], "no such file"),
    ],
)
def test_wrong_use_is_exit_code_2_with_the_cause(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = cli(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in " ".join((result.stderr + result.stdout).split())
    assert "Traceback" not in result.stderr


def test_doctor_and_list(tmp_path: Path) -> None:
    found = {f["name"]: f for f in json.loads(cli("doctor", "--json", cwd=tmp_path).stdout)}
    assert found["sandbox"]["state"] == "ok"
    assert {"ripgrep", "git", "docker", "gpu", "server ty", "server clangd"} <= set(found)
    assert (found["server ty"]["state"], found["server clangd"]["state"]) == ("ok", "ok")
    assert all(f["remedy"] for f in found.values() if f["state"] == "missing" and f["name"] != "gpu")
    assert len(json.loads(cli("tasks", "list", "--json", cwd=tmp_path).stdout)) >= 8


def test_ctrl_c_leaves_a_whole_record_and_nothing_else(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*COMMAND, "run", "inventory-restock-bug", "--policy", "random:100000", "--out", "records"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("records/*.journal")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert child.returncode in (1, 130)  # 1: the random session happened to end just then
    assert b"Traceback" not in said
    (journal,) = tmp_path.glob("records/*.journal")
    with Journal(journal) as record:
        assert record.state == "ended"
    assert not list(Path(tempfile.gettempdir()).glob(f"caretgym-*-{child.pid}-*"))
    assert not os.path.exists(f"/proc/{child.pid}")

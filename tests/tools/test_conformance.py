"""One case per fact about the emulated harness. Every fact of the families here has a case or is listed in DEVIATIONS.md."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import caretgym.tools
from caretgym.ide_sim.terminal.files import JobFile
from caretgym.tools import get_profile
from tests.conftest import Bench

FACTS = [
    "SH-1",
    "SH-2",
    "SH-3",
    "SH-4",
    "SH-5",
    "SH-6",
    "SH-7",
    "SH-8",
    "SH-9",
    "SH-10",
    "SH-11",
    "SH-12",
    "SH-13",
    "SH-14",
    "SH-15",
    "AW-1",
    "AW-2",
    "AW-4",
    "RD-1",
    "RD-2",
    "RD-3",
    "RD-4",
    "RD-5",
    "RD-6",
    "RD-7",
    "ED-1",
    "ED-2",
    "ED-3",
    "ED-4",
    "ED-5",
    "ED-6",
    "ED-7",
    "ED-8",
    "ED-9",
    "GR-1",
    "GR-2",
    "GR-3",
    "GR-4",
    "GL-1",
    "LS-1",
    "LS-2",
    "TD-1",
    "TD-2",
    "TD-3",
    "NB-1",
    "DL-1",
    "ER-1",
    "ER-2",
    "ER-3",
    "ER-4",
    "ER-5",
    "TF-1",
    "TF-2",
    "TF-3",
    "TF-4",
    "IG-1",
    "IG-2",
    "IG-3",
    "IG-4",
    "GEN-1",
]
ELSEWHERE = {
    "SH-3": "test_isolation.py (environment)",
    "TF-2": "test_session.py (a user's terminal)",
    "TF-4": "test_session.py (head)",
}

Case = Callable[[Bench], Awaitable[None]]
CASES: dict[str, list[Case]] = {}


def fact(*ids: str) -> Callable[[Case], Case]:
    def add(case: Case) -> Case:
        for name in ids:
            CASES.setdefault(name, []).append(case)
        return case

    return add


# -- shell ------------------------------------------------------------------------------------------------------------
@fact("SH-1")
async def shell_parameters(bench: Bench) -> None:
    new = get_profile().tools["Shell"].parameters
    assert list(new["properties"]) == [
        "command",
        "description",
        "working_directory",
        "block_until_ms",
        "required_permissions",
        "notify_on_output",
    ]
    assert new["required"] == ["command"]
    assert new["properties"]["block_until_ms"]["default"] == 30000
    assert new["properties"]["notify_on_output"]["required"] == ["pattern", "reason"]
    old = get_profile("cursor-2.0").tools["run_terminal_cmd"].parameters
    assert old["required"] == ["command", "is_background"]


@fact("SH-2")
async def shell_state_survives(bench: Bench) -> None:
    assert (await bench.shell("pwd")).data["output"] == "/workspace\n"
    await bench.shell(
        "cd src; export A='x y'; B=2; f() { echo f-$1; }; alias g='echo alias'; set -o pipefail; shopt -s nullglob; umask 077"
    )
    after = await bench.shell('pwd; echo "$A" $B; f 1; g 2; set -o | grep pipefail; shopt nullglob; umask')
    assert after.data["output"].split("\n")[:4] == ["/workspace/src", "x y 2", "f-1", "alias 2"]
    assert "pipefail       \ton" in after.data["output"]
    assert "nullglob       \ton" in after.data["output"]
    assert "0077" in after.data["output"]
    assert (await bench.shell("pwd", working_directory="/tmp")).data["output"] == "/tmp\n"
    await bench.shell("exit 0")
    assert (await bench.shell("f 3")).data["output"] == "f-3\n"


@fact("SH-4", "SH-7")
async def expiry_sends_to_the_background(bench: Bench) -> None:
    result = await bench.shell("echo early; sleep 0.6; echo late > done.txt", block_until_ms=150, description="A wait")
    job = result.data["shell_id"]
    folder = bench.ide.terminals.folder
    assert result.text.startswith(
        f"The command did not complete in 150ms and was sent to the background.\nShell ID: {job}\nPID: {result.data['pid']}\n"
        f"The output is being written to {folder}/{job}.txt. Don't mention Shell ID to the user.\n\n"
        "Output collected before backgrounding:\n```\nearly\n```"
    )
    await bench.call("AwaitShell", None, shell_id=str(job), block_until_ms=5000)
    assert bench.read("done.txt") == b"late\n"
    silent = await bench.shell("sleep 30", block_until_ms=50)
    assert silent.text.endswith("No output was collected before backgrounding.")


@fact("SH-5")
async def normal_result(bench: Bench) -> None:
    result = await bench.shell("echo out; echo err >&2; exit 3")
    assert result.ok
    assert result.text == (
        "Exit code: 3\n\nCommand output:\n\n```\nout\nerr\n```\n\nCommand completed in 100 ms.\n\n"
        "Shell state (cwd, env vars) persists for subsequent calls. Current directory: /workspace"
    )
    fenced = await bench.shell("echo '```'")
    assert "````\n```\n````" in fenced.text


@fact("SH-6")
async def long_output(bench: Bench) -> None:
    result = await bench.shell("seq 1 9000")
    shown = result.data["output"]
    assert "Command output (truncated to 20000 characters):" in result.text
    head, tail = shown.split("\n\n... (output truncated) ...\n\n")
    assert (len(head), len(tail)) == (10000, 10000)
    assert head.startswith("1\n2\n")
    assert tail.endswith("9000\n")
    spilling = bench.profile.with_limits("Shell", spill=20000)
    from caretgym.tools import call_tool

    spilled = await call_tool(spilling, bench.ide, "Shell", {"command": "seq 1 9000"}, "call_x")
    match = re.fullmatch(
        r"Exit code: 0\n\nCommand output has been written to: (\S+) \(42\.9 KB, 9000 lines\)", spilled.text
    )
    assert match, spilled.text
    assert (await bench.shell(f"wc -l < {match[1]}")).data["output"] == "9000\n"


@fact("SH-8")
async def background_at_once(bench: Bench) -> None:
    result = await bench.shell("sleep 20", block_until_ms=0)
    job = result.data["shell_id"]
    assert 100000 <= job < 1000000
    assert result.text == (
        f"Background command started successfully.\nShell ID: {job}\nPID: {result.data['pid']}\nCommand: sleep 20\n"
        f"Output will be written to {bench.ide.terminals.folder}/{job}.txt. Don't mention Shell ID to the user."
    )


@fact("SH-9")
async def after_a_kill_a_new_shell(bench: Bench) -> None:
    await bench.shell("cd src; X=1")
    result = await bench.shell("kill -9 $$")
    assert (result.ok, result.error_class) == (False, "Timeout")
    assert result.text.endswith("The next command gets a new shell, which starts at the project root.")
    timed = await bench.ide.terminals.run("cd src; sleep 30", kill_after_ms=200)
    assert (timed.status, timed.new_shell) == ("timed_out", True)
    assert (await bench.shell("pwd")).data["output"] == "/workspace\n"


@fact("SH-12")
async def old_profile_text(bench: Bench) -> None:
    result = await bench.call("run_terminal_cmd", "cursor-2.0", command="cd src && echo hi", is_background=False)
    assert result.text.startswith("hi\n\nCommand completed.\n\n")
    assert result.text.endswith(
        "On the next terminal tool call, the directory of the shell will already be /workspace/src."
    )
    started = await bench.call("run_terminal_cmd", "cursor-2.0", command="sleep 20", is_background=True)
    assert started.text.startswith("Background command started successfully.")


@fact("SH-14")
async def shell_record(bench: Bench) -> None:
    data = (await bench.shell("echo hi")).data
    assert data["type"] == "finished"
    for key in ("command", "exit_code", "signal", "output", "duration_ms", "shell_id", "pid", "cwd"):
        assert key in data


@fact("AW-1", "AW-2")
async def waiting(bench: Bench) -> None:
    job = (await bench.shell("echo ready; sleep 0.7; echo bye; exit 4", block_until_ms=0)).data["shell_id"]
    path = f"{bench.ide.terminals.folder}/{job}.txt"
    seen = await bench.call("AwaitShell", None, shell_id=str(job), block_until_ms=8000, pattern="^rea.y$")
    assert seen.text == f"Task still running after 250ms...\noutput_file_path: {path}\noutput_length: 6"
    ended = await bench.call("AwaitShell", None, shell_id=str(job))
    assert ended.text == f"Task completed in 250ms with exit code: 4.\noutput_file_path: {path}\noutput_length: 10"
    assert (await bench.call("AwaitShell", None, block_until_ms=5)).text == "Slept briefly."
    assert (await bench.call("AwaitShell", None, shell_id="7")).text == "Error awaiting task: No shell found for id 7"
    assert "Subagents are not awaited" in (await bench.call("AwaitShell", None, shell_id="agent-1")).text
    assert not (await bench.call("AwaitShell", None, block_until_ms=0)).ok
    assert "not a regular expression" in (await bench.call("AwaitShell", None, shell_id=str(job), pattern="(")).text


@fact("TF-1", "TF-3")
async def terminal_files(bench: Bench) -> None:
    job = (await bench.shell("echo hi; exit 2", block_until_ms=0, description="Say hi")).data["shell_id"]
    await bench.call("AwaitShell", None, shell_id=str(job))
    text = (bench.host / "terminals" / f"{job}.txt").read_text()
    assert bench.ide.terminals.folder == "/home/agent/.cursor/projects/workspace/terminals"
    assert re.fullmatch(
        r"---\npid: \d+\ncwd: /workspace\ncommand: echo hi; exit 2\ntitle: Say hi\nstatus: failed   \n"
        r"started_at: 2026-01-05T09:\d\d:\d\d\.\d{3}Z\nrunning_for_ms: \d+ *\n---\nhi\n\n---\nexit_code: 2\nelapsed_ms: \d+\n"
        r"ended_at: 2026-01-05T\S+Z\n---\n", text,
    ), text  # fmt: skip
    assert JobFile.__doc__


# -- read, edit -------------------------------------------------------------------------------------------------------
@fact("RD-1", "RD-2", "RD-3")
async def reading(bench: Bench) -> None:
    bench.write("f", "".join(f"l{n}\n" for n in range(1, 11)))
    whole = await bench.call("Read", None, path="f")
    assert whole.text.split("\n")[0] == "     1|l1"
    assert whole.text.split("\n")[-1] == "    10|l10"
    part = await bench.call("Read", None, path="/workspace/f", offset=2, limit=2)
    assert part.text == "... 1 line not shown ...\n     2|l2\n     3|l3\n... 7 lines not shown ..."
    assert (await bench.call("Read", None, path="f", offset=-1)).text == "... 9 lines not shown ...\n    10|l10"
    assert (await bench.call("Read", None, path="f", offset=0, limit=1)).text.startswith("     1|l1")
    bench.write("empty", "")
    assert (await bench.call("Read", None, path="empty")).text == "File is empty."
    assert (await bench.call("read_file", "cursor-2.0", target_file="f", offset=10)).text.endswith("    10|l10")


@fact("RD-4")
async def too_long(bench: Bench) -> None:
    bench.write("long", "x" * 100_001)
    result = await bench.call("Read", None, path="long")
    assert result.text.startswith(
        "Error: File content (100002 characters) exceeds maximum allowed characters (100000 characters)."
    )
    assert "offset and limit" in result.text


@fact("RD-5")
async def read_errors(bench: Bench) -> None:
    assert (await bench.call("Read", None, path="no")).text == "Error: File not found"
    assert (await bench.call("Read", None, path="README.md", limit=0)).text == "Error: Limit must be >= 1."
    assert (
        "beyond the end of the file, which has 3 lines"
        in (await bench.call("Read", None, path="README.md", offset=9)).text
    )
    bench.write("a.zip", b"PK")
    assert (await bench.call("Read", None, path="a.zip")).text == "Error: Cannot read binary files of type zip"
    bench.write("nul.txt", b"a\0b")
    assert "Cannot read binary files" in (await bench.call("Read", None, path="nul.txt")).text
    await bench.shell("mkfifo pipe; ln -s loop loop")
    for path in ("pipe", "loop", "src"):
        assert not (await bench.call("Read", None, path=path)).ok


@fact("RD-6")
async def pictures_and_notebooks(bench: Bench) -> None:
    bench.write("p.png", b"\x89PNG\r\n\x1a\n")
    assert (await bench.call("Read", None, path="p.png")).text == "Read image file: p.png"
    await bench.call(
        "EditNotebook",
        None,
        target_notebook="n.ipynb",
        cell_idx=0,
        is_new_cell=True,
        cell_language="python",
        old_string="",
        new_string="print(1)",
    )
    assert "print(1)" in (await bench.call("Read", None, path="n.ipynb")).text


@fact("RD-7")
async def crlf_is_hidden(bench: Bench) -> None:
    bench.write("f", b"a\r\nb\r\n")
    assert (await bench.call("Read", None, path="f")).text == "     1|a\n     2|b"


@fact("ED-1")
async def writing(bench: Bench) -> None:
    result = await bench.call("Write", None, path="new/dir/f.txt", contents="hé\n")
    assert result.text == "Wrote contents to new/dir/f.txt"
    assert bench.read("new/dir/f.txt") == "hé\n".encode()
    assert (await bench.call("write", "cursor-2.0", file_path="f", contents="x")).text == "Wrote contents to f"


@fact("ED-2", "ED-3")
async def replacing(bench: Bench) -> None:
    bench.write("f", "one\ntwo\none\n")
    assert (
        await bench.call("StrReplace", None, path="f", old_string="two", new_string="2")
    ).text == "The file f has been updated."
    assert not (await bench.call("StrReplace", None, path="f", old_string="x", new_string="x")).ok
    assert (await bench.call("StrReplace", None, path="f", old_string="nope", new_string="x")).text == (
        "Error: The string to replace was not found in the file (even after relaxing whitespace)."
    )
    assert (await bench.call("StrReplace", None, path="f", old_string="one", new_string="1", replace_all=True)).data[
        "replacements"
    ] == 2
    bench.write("g", "def f():   \n    pass\n")
    relaxed = await bench.call(
        "StrReplace", None, path="g", old_string="def f():\n    pass\n", new_string="def g():\n    pass\n"
    )
    assert relaxed.data["relaxed"]
    assert bench.read("g") == b"def g():\n    pass\n"
    old = await bench.call("search_replace", "cursor-2.0", file_path="g", old_string="def  g", new_string="x")
    assert old.text == "Error calling tool: The string to replace was not found in the file."


@fact("ED-5", "IG-3", "IG-4")
async def blocked_files(bench: Bench) -> None:
    result = await bench.call("Write", None, path=".env.local", contents="A=1")
    assert result.text == "Error: Editing this file is blocked by globalignore"
    assert (
        await bench.call("write", "cursor-2.0", file_path=".env", contents="")
    ).text == "Error calling tool: Editing this file is blocked by globalignore"
    bench.write(".cursorignore", "secret/\n*.KEY\n")
    bench.write("secret/a", "x")
    bench.write("b.key", "x")
    for path in ("secret/a", "b.key"):
        for tool, extra in (("Delete", {}), ("StrReplace", {"old_string": "x", "new_string": "y"})):
            assert (
                await bench.call(tool, None, path=path, **extra)
            ).text == "Error: Editing this file is blocked by /workspace"
    bench.write(".cursorignore", "!.env.local\n")
    assert (await bench.call("Write", None, path=".env.local", contents="A=1")).ok


@fact("ED-8")
async def edit_record(bench: Bench) -> None:
    data = (
        await bench.call(
            "StrReplace", None, path="src/main.py", old_string="return 1", new_string="x = 2\n    return x"
        )
    ).data
    assert (data["lines_added"], data["lines_removed"]) == (2, 1)
    assert "-    return 1\n+    x = 2\n" in data["diff"]
    assert data["before"] != data["after"]
    await bench.shell("chmod 444 README.md")
    denied = await bench.call("Write", None, path="README.md", contents="x")
    assert not denied.ok or Path("/proc/self").stat().st_uid == 0  # root writes everywhere


@fact("DL-1")
async def deleting(bench: Bench) -> None:
    data = (await bench.call("Delete", None, path="README.md")).data
    assert (data["file_size"], data["prev_content"]) == (20, "# Title\n\nSome text.\n")
    assert (await bench.call("Delete", None, path="README.md")).text == "Error: File not found"
    assert "directory" in (await bench.call("Delete", None, path="src")).text


@fact("NB-1")
async def notebooks(bench: Bench) -> None:
    async def edit(idx: int, new: bool, old: str, text: str, language: str = "python") -> bool:
        result = await bench.call(
            "EditNotebook",
            None,
            target_notebook="n.ipynb",
            cell_idx=idx,
            is_new_cell=new,
            cell_language=language,
            old_string=old,
            new_string=text,
        )
        return result.ok

    assert not await edit(1, True, "", "x")
    assert await edit(0, True, "", "a = 1\nb = 1\n")
    assert await edit(1, True, "", "# Title", "markdown")
    assert not await edit(0, False, " = 1", "x")
    assert not await edit(5, False, "a", "x")
    before = bench.read("n.ipynb")
    assert await edit(0, False, "a = 1", "a = 2")
    after = bench.read("n.ipynb")
    assert after == before.replace(b"a = 1", b"a = 2")
    assert list(get_profile().tools["EditNotebook"].parameters["properties"]) == [
        "target_notebook",
        "cell_idx",
        "is_new_cell",
        "cell_language",
        "old_string",
        "new_string",
    ]


# -- search -----------------------------------------------------------------------------------------------------------
@fact("GR-1")
async def grep_parameters(bench: Bench) -> None:
    bench.write("a.py", "one\nTWO\nthree\nfour\n")
    bench.write("b.md", "two\n")
    assert (await bench.call("Grep", None, pattern="two", path="a.py", **{"-i": True, "-A": 1, "-n": True})).text.count(
        "\n"
    ) == 5
    context = await bench.call("Grep", None, pattern="three", **{"-B": 1, "-C": 1})
    assert "2-TWO\n3:three\n4-four" in context.text
    only = await bench.call("Grep", None, pattern="two", glob="*.md", output_mode="files_with_matches")
    assert only.data["files"][0]["path"] == "b.md"
    assert (await bench.call("Grep", None, pattern="t", type="py", output_mode="count")).data["files"][0]["count"] == 1
    assert (await bench.call("Grep", None, pattern="one.TWO", multiline=True)).ok
    assert not (await bench.call("Grep", None, pattern="(")).ok
    assert not (await bench.call("Grep", None, pattern="x", type="klingon")).ok


@fact("GR-2")
async def grep_ignores_and_caps(bench: Bench) -> None:
    bench.write(".gitignore", "build/\n")
    bench.write(".cursorignore", "private.txt\n")
    for path in ("build/x.txt", "private.txt", "sub/private.txt", "seen.txt"):
        bench.write(path, "needle\nneedle\nneedle\n")
    found = await bench.call("Grep", None, pattern="needle")
    assert [f["path"] for f in found.data["files"]] == ["seen.txt"]
    capped = await bench.call("Grep", None, pattern="needle", head_limit=2)
    assert "Found at least 2 matching lines" in capped.text


@fact("GR-3")
async def grep_text(bench: Bench) -> None:
    bench.write("a.txt", "x1\nno\nno\nno\nx2\n")
    bench.write("b.txt", "x3\n")
    result = await bench.call("Grep", None, pattern="x[0-9]", **{"-A": 1})
    assert result.text == (
        '<workspace_result workspace_path="/workspace">\nFound 3 matching lines\n'
        "a.txt\n1:x1\n2-no\n--\n5:x2\n\nb.txt\n1:x3\n</workspace_result>"
    )
    assert (await bench.call("Grep", None, pattern="zzz")).text == "No matches found"
    one = await bench.call("Grep", None, pattern="x3", output_mode="files_with_matches")
    assert "\nFound 1 file\nb.txt\n" in one.text


@fact("GL-1")
async def globbing(bench: Bench) -> None:
    bench.write("new.py", "")
    result = await bench.call("Glob", None, glob_pattern="*.py")
    assert result.text.startswith("Result of search in '/workspace' (total 3 files):\n- /workspace/new.py\n")
    one = await bench.call("Glob", None, glob_pattern="main.*", target_directory="src")
    assert one.text == "Result of search in '/workspace/src' (total 1 file):\n- /workspace/src/main.py"


@fact("LS-1")
async def listing(bench: Bench) -> None:
    bench.write(".hidden", "")
    for n in range(40):
        bench.write(f"big/deep/{n:03}.{'js' if n % 4 else 'ts'}", "")
    small = bench.profile.with_limits("LS", characters=150)
    from caretgym.tools import call_tool

    result = await call_tool(
        small, bench.ide, "LS", {"target_directory": "/workspace", "ignore_globs": ["main.py"]}, "c"
    )
    lines = result.text.split("\n")
    assert lines[0] == "- /workspace/"
    assert "  - big/" in lines
    assert any("[40 files in subtree: 30 *.js, 10 *.ts]" in line for line in lines)
    assert "hidden" not in result.text
    assert "main.py" not in result.text
    assert "    - util.py" in lines


@fact("TD-1", "TD-2", "TD-3")
async def todos(bench: Bench) -> None:
    first = await bench.call(
        "TodoWrite", None, todos=[{"id": "a", "content": "A", "status": "pending"}, {"id": "b", "content": "B"}]
    )
    assert first.text.startswith("Successfully updated TODOs.")
    assert "No TODOs are marked in-progress" in first.text
    assert first.text.endswith(
        "Here are the latest contents of your todo list:\n- **PENDING**: A (id: a)\n- **PENDING**: B (id: b)"
    )
    second = await bench.call("TodoWrite", None, todos={"id": "a", "status": "in_progress"}, merge="true")
    assert "- **IN_PROGRESS**: A (id: a)" in second.text
    assert not (await bench.call("TodoWrite", None, todos=[{"id": "z"}])).ok
    assert not (await bench.call("TodoWrite", None, todos=[{"id": "z"}], merge=False)).ok
    assert not (
        await bench.call(
            "todo_write", "cursor-2.0", todos=[{"id": "a", "content": "A", "status": "pending"}], merge=False
        )
    ).ok
    many = [{"id": str(n), "content": "x", "status": "completed"} for n in range(21)]
    assert "<system_reminder>" in (await bench.call("TodoWrite", None, todos=many, merge=False)).text


# -- errors -----------------------------------------------------------------------------------------------------------
@fact("ER-1", "ER-3", "ER-4")
async def argument_errors(bench: Bench) -> None:
    from caretgym.tools import call_tool

    broken = await call_tool(bench.profile, bench.ide, "Read", '{"path": "a', "c")
    assert broken.text.startswith("Error: Tool call arguments were not valid JSON (")
    assert "Re-issue" in broken.text
    missing = await bench.call("Read", None)
    assert missing.text == "Error: Invalid arguments:\npath: is required"
    assert (missing.error_class, broken.error_class) == ("InvalidArguments", "InvalidArguments")
    lenient = await bench.call(
        "StrReplace", None, path="README.md", old_string="Some", new_string="More", replace_all="true"
    )
    assert lenient.ok
    assert (await bench.call("Read", None, path="README.md", offset="1", limit=2.0)).ok
    assert (await bench.call("LS", None, target_directory=".", ignore_globs="*.md")).ok
    old = await bench.call("read_file", "cursor-2.0")
    assert old.text.startswith("Error calling tool: ")
    unknown = await bench.call("Read", None, path="README.md", colour="red")
    assert unknown.text.endswith("Note: Read has no argument colour; ignored.")


@fact("ER-5")
async def general_cap(bench: Bench) -> None:
    result = await bench.call("Grep", None, pattern="x")
    assert len(result.text) <= bench.profile.result_cap
    bench.write("wide", ("x" * 990 + "\n") * 400)
    capped = await bench.call("Grep", None, pattern="x", path="wide")
    assert len(capped.text) <= 100_000
    assert "characters not shown" in capped.text


@fact("IG-1", "IG-2")
async def ignore_rules(bench: Bench) -> None:
    rules = bench.ide.workspace.ignore
    for path in ("package-lock.json", ".env.test", "a/node_modules/b.js", "x.PDF", ".venv/x", "a.lock", "img.png"):
        match = rules.match(path)
        assert match is not None, path
        assert match.kind == "default"
    assert rules.match("src/main.py") is None
    bench.write(".gitignore", "*.log\n!keep.log\n")
    bench.write("sub/.gitignore", "!*.log\n")
    assert rules.match("a.log") is not None
    assert rules.match("keep.log") is None
    assert rules.match("sub/a.log") is None


@fact("GEN-1")
async def profiles(bench: Bench) -> None:
    assert list(get_profile("cursor-2026").tools) == [
        "Shell",
        "AwaitShell",
        "Glob",
        "Grep",
        "Read",
        "Write",
        "StrReplace",
        "Delete",
        "EditNotebook",
        "TodoWrite",
        "ReadLints",
    ]
    assert list(get_profile("cursor-2.0").tools) == [
        "run_terminal_cmd", "glob_file_search", "grep", "list_dir", "read_file", "write", "search_replace", "delete_file",
        "edit_notebook", "todo_write", "read_lints",
    ]  # fmt: skip
    assert "LS" in get_profile("cursor-2026", flags=("ls",)).tools


DEVIATIONS = (Path(caretgym.tools.__file__).parent / "DEVIATIONS.md").read_text()


@pytest.mark.parametrize("name", FACTS)
async def test_fact(bench: Bench, name: str) -> None:
    cases = CASES.get(name, [])
    for case in cases:
        await case(bench)
    declared = re.search(rf"^\|[^|]*\b{name}\b[^|]*\|", DEVIATIONS, re.MULTILINE)
    assert cases or declared or name in ELSEWHERE, f"{name} has neither a case nor an entry in DEVIATIONS.md"


@pytest.mark.parametrize("name", ["cursor-2026", "cursor-2.0"])
def test_every_text_names_its_fact(name: str) -> None:
    profile = get_profile(name)
    for spec in profile.tools.values():
        for text in [*spec.texts.values(), *profile.common.values()]:
            assert re.fullmatch(r"[A-Z]+-\d+", text.fact)

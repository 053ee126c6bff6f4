"""What is fast, each beside its limit in the same run."""

import asyncio
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import gymnasium as gym
from rich.console import Console
from rich.table import Table

import caretgym  # noqa: F401
from caretgym.ide_sim.ide import IDE
from caretgym.ide_sim.journal import JournalWriter
from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.sandbox import runtime
from caretgym.ide_sim.sandbox.base import SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox, bwrap_path
from caretgym.ide_sim.sandbox.mounts import RIPGREP, mount_options
from caretgym.ide_sim.terminal.terminals import PROJECT_FOLDER
from caretgym.tools import call_tool, get_profile

ROWS: list[tuple[str, float, str, float]] = []
FILES = 600


def p50(times: list[float]) -> float:
    return statistics.median(times) * 1000


def timed(work: Callable[[], object], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return p50(times)


async def timed_async(work: Callable[[], Awaitable[object]], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        await work()
        times.append(time.perf_counter() - start)
    return p50(times)


def make_repository(folder: Path) -> Path:
    """A task over a repository of some hundred files."""
    repo = folder / "repos" / "big"
    for n in range(FILES):
        path = repo / "src" / f"pkg{n % 20}" / f"module{n}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"def function_{n}_{k}(x):\n    return x + {k}\n\n\n" for k in range(30)))
    task = folder / "tasks" / "big"
    (task / "verify").mkdir(parents=True)
    (task / "task.toml").write_text(
        'schema = 1\nid = "big"\ntitle = "t"\nprompt = "p"\nrepo = "../../repos/big"\n[verify]\ncommand = "true"\n'
    )
    return task


def bench_reset(task: Path, base: Path) -> None:
    spec = SandboxSpec((base,), binds={f"{PROJECT_FOLDER}/{n}": base for n in ("terminals", "agent-tools")})
    _, shared = runtime.python_prefix()
    bare = [
        bwrap_path(), "--unshare-all", "--uid", "0", "--gid", "0", "--cap-add", "ALL", "--as-pid-1",
        *(("--setenv", "LD_LIBRARY_PATH", "/opt/python/lib") if shared else ()),
        *mount_options(spec, None), "--", "/bin/true",
    ]  # fmt: skip
    plain = gym.make("caretgym/Session-v0", task=str(task), record=False).unwrapped
    recorded = gym.make("caretgym/Session-v0", task=str(task), journal_dir=task.parent / "journals").unwrapped
    times: dict[str, list[float]] = {"limit": [], "plain": [], "recorded": []}
    for n in range(41):
        start = time.perf_counter()
        subprocess.run(bare, check=True)
        times["limit"].append(time.perf_counter() - start)
        for name, env in (("plain", plain), ("recorded", recorded)):
            start = time.perf_counter()
            env.reset(seed=n)
            times[name].append(time.perf_counter() - start)
            env.close()
    limit = p50(times["limit"][1:])
    for name, what in (("plain", "not recorded"), ("recorded", "recorded")):
        ROWS.append(
            (f"reset ({FILES} files), {what}, p50", p50(times[name][1:]), "bare bwrap … true, same mounts", limit)
        )


async def bench_tools(base: Path) -> None:
    with tempfile.TemporaryDirectory() as host:
        for name in ("terminals", "agent-tools"):
            (Path(host) / name).mkdir()
        binds = {f"{PROJECT_FOLDER}/{name}": Path(host) / name for name in ("terminals", "agent-tools")}
        sandbox = await BubblewrapSandbox.start(SandboxSpec((base,), binds=binds))
        ide = IDE(sandbox, base, Path(host))
        profile = get_profile()

        async def tool(name: str, **arguments: object) -> None:
            result = await call_tool(profile, ide, name, arguments, "c")
            ide.sync()
            assert result.ok, result.text

        await tool("Shell", command="true")
        shell = await timed_async(lambda: tool("Shell", command="true"), 300)
        fresh = timed(lambda: subprocess.run(["bash", "-c", "true"], check=True), 300)
        ROWS.append(("Shell `true`", shell, "subprocess.run bash -c true", fresh))

        path = "src/pkg3/module3.py"
        read = await timed_async(lambda: tool("Read", path=path), 300)
        ROWS.append(("Read, 120 lines", read, "open().read()", timed(lambda: (base / path).read_text(), 300)))

        rg = str(runtime.ripgrep())
        grep_flags = ["-n", "function_77_", "./"]
        glob_flags = ["--files", "-g", "**/module7*.py"]
        for what, name, arguments, flags in (
            ("Grep", "Grep", {"pattern": "function_77_"}, grep_flags),
            ("Glob", "Glob", {"glob_pattern": "**/module7*.py"}, glob_flags),
        ):
            ours = await timed_async(lambda name=name, arguments=arguments: tool(name, **arguments), 60)
            inside = await timed_async(lambda flags=flags: sandbox.exec([RIPGREP, *flags]), 60)
            outside = timed(
                lambda flags=flags: subprocess.run([rg, *flags], cwd=base, capture_output=True, check=True), 60
            )
            ROWS.append((f"{what} over {FILES} files", ours, "bare rg in the same sandbox (overlay)", inside))
            ROWS.append((f"{what} over {FILES} files", ours, "bare rg on the host's own files", outside))

        number = 0

        async def replace() -> None:
            nonlocal number
            number += 1
            await tool(
                "StrReplace",
                path=path,
                old_string=f"return x + {28 if number == 1 else number + 998}\n",
                new_string=f"return x + {number + 999}\n",
            )

        edit = await timed_async(replace, 200)
        scratch = Path(host) / "f.py"
        text = (base / path).read_text()
        ROWS.append(
            (
                "StrReplace",
                edit,
                "write and rename a file",
                timed(lambda: (scratch.write_text(text), scratch.rename(Path(host) / "g.py")), 200),
            )
        )
        await ide.close()
        await sandbox.close()


def bench_journal() -> None:
    count = 50_000
    with tempfile.TemporaryDirectory() as folder:
        writer = JournalWriter.create(Path(folder) / "a.journal")
        start = time.perf_counter()
        for n in range(count):
            writer.append(ev.Note(text=f"event number {n}"))
        writer.close()
        ours = count / (time.perf_counter() - start)
        connection = sqlite3.connect(Path(folder) / "b.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, type TEXT, step INTEGER, t INTEGER, v INTEGER, data BLOB)"
        )
        start = time.perf_counter()
        for at in range(0, count, 500):
            rows = [
                (n, "note", None, 0, 0, b'{"type":"note","text":"event number %d"}' % n) for n in range(at, at + 500)
            ]
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
            connection.execute("COMMIT")
        bare = count / (time.perf_counter() - start)
        connection.close()
    ROWS.append(("journal, events/s", ours, "bare SQLite, 500 a transaction", bare))


def bench_memory(task: Path) -> None:
    code = f"""
import gymnasium as gym, caretgym, os
from pathlib import Path

def pss(pid):
    lines = Path(f"/proc/{{pid}}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))

def family(pid):
    out = [pid]
    for task in Path(f"/proc/{{pid}}/task").iterdir():
        for child in (task / "children").read_text().split():
            out += family(int(child))
    return out

def total():
    kib = 0
    for pid in family(os.getpid()):
        try:
            kib += pss(pid)
        except (OSError, StopIteration):
            continue
    return pss(os.getpid()) / 1024, kib / 1024

turn = {{"text": "", "tool_calls": [{{"name": "Shell", "arguments": {{"command": "seq 1 1000"}}}}, {{"name": "Grep", "arguments": {{"pattern": "function_7"}}}}]}}
envs = []
def more():
    env = gym.make("caretgym/Session-v0", task={str(task)!r}, record=False).unwrapped
    env.reset(seed=0)
    env.step(turn)
    envs.append(env)
more()
first = total()
for _ in range(16):
    more()
last = total()
print((last[0] - first[0]) / 16, (last[1] - first[1]) / 16, first[1])
for env in envs:
    env.close()
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    here, everything, first = map(float, said)
    ROWS.append(
        ("memory of one more session, all its processes, MiB", everything, "the first, everything imported, MiB", first)
    )
    ROWS.append(("memory of one more session in this process, MiB", here, "the first, everything imported, MiB", first))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        task = make_repository(folder)
        base = folder / "repos" / "big"
        bench_reset(task, base)
        asyncio.run(bench_tools(base))
        bench_journal()
        bench_memory(task)
    table = Table("what", "ours", "beside", "limit", "ratio")
    for what, ours, beside, limit in ROWS:
        unit = "" if "events" in what or "MiB" in what else " ms"
        digits = 0 if "events" in what else 2
        table.add_row(what, f"{ours:,.{digits}f}{unit}", beside, f"{limit:,.{digits}f}{unit}", f"{ours / limit:.2f}")
    Console(width=140).print(table)


if __name__ == "__main__":
    main()

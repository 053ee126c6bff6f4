"""What the agent's shell can't do: read the host, reach the network, touch host processes, write elsewhere, stay behind."""

import asyncio
import os
import signal
import socket
import threading
from pathlib import Path

import pytest

from caretgym.env.catalog import find_task
from caretgym.env.freeze import freeze_upper
from caretgym.env.session import Session
from caretgym.env.turn import ToolCall, Turn
from caretgym.ide_sim.sandbox.base import SandboxDied, SandboxSpec, SandboxUnavailable
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from tests.conftest import Bench, sandbox_traces, start_bench, stop_bench


async def test_the_users_home_and_the_hosts_files_are_not_there(bench: Bench) -> None:
    home = Path.home()
    secret = Path(bench.host) / "secret.txt"
    secret.write_text("s3cret")
    for path in (
        home,
        secret,
        bench.base,
        Path("/root/.ssh"),
        Path("/var/log"),
        Path("/etc/shadow"),
        Path("/sys"),
        Path("/home"),
    ):
        result = await bench.shell(f"ls -A '{path}' 2>&1 | head; cat '{path}' 2>&1")
        assert "s3cret" not in result.text
        if path != Path("/home"):
            assert "No such file" in result.text or "is empty" in result.text, (path, result.text)
    listing = await bench.shell(
        "ls /home /root 2>&1; ls -A /home/agent; find / -name secret.txt 2>/dev/null; find / -name task.toml 2>/dev/null"
    )
    assert "secret" not in listing.text
    assert "task.toml" not in listing.text


async def test_the_hosts_environment_is_not_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARETGYM_TEST_SECRET", "hunter2")
    result = await bench.shell(
        "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '"
    )
    assert "hunter2" not in result.text
    assert "HOME=/home/agent" in result.text
    for name in ("TERM=dumb", "NO_COLOR=1", "FORCE_COLOR=0", "CURSOR_AGENT=1", "TZ=UTC", "LANG=C.UTF-8"):  # SH-3
        assert name in result.text
    fixed = await bench.shell("hostname; id -un; id -u; pwd; date +%Z")
    assert fixed.data["output"].split() == ["caretgym", "agent", "1000", "/workspace", "UTC"]


async def test_the_network_is_not_reached(bench: Bench) -> None:
    reached = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        stop = threading.Event()

        def accept() -> None:
            while not stop.is_set():
                try:
                    server.accept()[0].close()
                    reached.set()
                except TimeoutError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            result = await bench.shell(
                f'(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>&1; python3 -c "import socket; '
                f"socket.create_connection(('127.0.0.1', {port}), 1)\" 2>&1 | tail -1; cat /proc/net/dev | wc -l; ls /sys/class/net 2>&1"
            )
        finally:
            stop.set()
            thread.join()
    assert not reached.is_set()
    assert "refused" in result.text.lower() or "unreachable" in result.text.lower()


async def test_unix_sockets_of_the_host_are_not_reached(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "s"
    abstract = "\0caretgym-test-abstract"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as hidden:
        listener.bind(str(path))
        listener.listen()
        hidden.bind(abstract)
        hidden.listen()
        script = "import socket,sys\nfor a in (sys.argv[1], '\\0caretgym-test-abstract'):\n  s=socket.socket(socket.AF_UNIX)\n  print(s.connect_ex(a))"
        bench.write("probe.py", script)
        result = await bench.shell(f"python3 probe.py {path}")
    codes = result.data["output"].split()
    assert len(codes) == 2
    assert "0" not in codes


async def test_host_processes_are_not_seen_or_signalled(bench: Bench) -> None:
    me = os.getpid()
    result = await bench.shell(
        f"ls /proc | grep -c '^[0-9]*$'; kill -0 {me} 2>&1; kill -9 -1; kill -9 1 2>&1; cat /proc/1/environ 2>&1; ls /proc/1/fd 2>&1"
    )
    assert int(result.data["output"].split()[0]) < 12
    again = await bench.shell("echo alive")
    assert again.ok
    assert "alive" in again.text


async def test_nothing_outside_of_workspace_and_tmp_is_writable(bench: Bench) -> None:
    script = "for d in / /etc /usr /usr/lib /opt /opt/venv /home/agent /run /dev /proc /sys /var /run/caretgym; do (echo x > $d/planted) 2>/dev/null && echo WROTE $d; done; true"
    result = await bench.shell(script)
    assert "WROTE" not in result.text
    assert (await bench.shell("echo x > /tmp/ok && echo y > /workspace/ok && cat /tmp/ok ok")).data[
        "output"
    ] == "x\ny\n"
    assert not (bench.base / "ok").exists()


async def test_rights_can_not_be_had(bench: Bench) -> None:
    for command in (
        "unshare -Ur true",
        "mount -t tmpfs x /tmp",
        "chroot / true",
        "sudo -n true",
        "nsenter -t 1 -m true",
        "su -c true",
    ):
        result = await bench.shell(f"{command} </dev/null && echo GOT-IT")
        assert "GOT-IT" not in result.text, command
    caps = await bench.shell("grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs|Seccomp:' /proc/self/status")
    assert "CapEff:\t0000000000000000" in caps.text
    assert "NoNewPrivs:\t1" in caps.text
    assert "Seccomp:\t2" in caps.text


async def test_verifier_and_solution_are_not_there(session: Session) -> None:
    task = find_task(None)
    assert task.verify_folder is not None
    command = "find / -name 'test_restock*' -not -path '/proc/*' 2>/dev/null; ls /verify /verify-out 2>&1; git log --all --oneline | wc -l; git stash list; git fsck --lost-found 2>&1 | grep -c dangling"
    result = await session.step(Turn(tool_calls=[ToolCall("Shell", {"command": command})]))
    text = result.observation.results[0].text
    assert "test_restock.py" not in text
    assert text.count("No such file") == 2
    assert "\n1\n0\n" in text
    read = await session.step(
        Turn(tool_calls=[ToolCall("Read", {"path": str(task.verify_folder / "test_restock.py")})])
    )
    assert not read.observation.results[0].ok


async def test_links_do_not_lead_the_tools_out(bench: Bench) -> None:
    await bench.shell("ln -s /etc/passwd out; ln -s / root; ln -s /workspace/src/main.py inside")
    host_passwd = Path("/etc/passwd").read_text().splitlines()[0]
    for path in (
        "out",
        "root/etc/passwd",
        "../../etc/passwd",
        "/workspace/../etc/hostname",
        "/etc/shadow",
        "/proc/self/environ",
    ):
        result = await bench.call("Read", None, path=path)
        if result.ok:
            assert "caretgym" in result.text or "agent" in result.text, path  # the sandbox's own /etc
            assert str(Path.home()) + ":" not in result.text or host_passwd not in result.text
    assert (await bench.call("Read", None, path="inside")).ok
    for path in ("out", "/etc/x", "root/tmp/x", "/usr/x"):
        result = await bench.call("Write", None, path=path, contents="x")
        assert not result.ok, path
    assert Path("/etc/passwd").read_text().splitlines()[0] == host_passwd


HOSTILE = {
    "fork bomb": ":(){ :|:& };:",
    "yes": "yes",
    "1 GiB of output": "head -c 1G /dev/zero | tr '\\0' x",
    "kill -9 -1": "kill -9 -1",
    "closes its terminal": "exec 0<&- 1>&- 2>&-",
    "closes all it has": 'for f in /proc/self/fd/*; do eval "exec ${f##*/}>&-"; done 2>/dev/null',
    "stops itself": "kill -STOP $$",
    "stops the terminal": "python3 -c 'import os,termios; termios.tcflow(os.open(\"/dev/tty\", os.O_RDWR), termios.TCOOFF)'",
    "fills the disk": "dd if=/dev/zero of=a bs=1M count=60; dd if=/dev/zero of=b bs=1M count=60; rm -f a b",
    "fills /tmp": "dd if=/dev/zero of=/tmp/a bs=1M count=100; rm -f /tmp/a",
    "eats memory": "python3 -c 'x = bytearray(2 << 30)'",
    "ends its shell": "exit 7",
    "replaces its shell": "exec true",
    "deletes everything": "rm -rf /workspace/* /tmp/* 2>/dev/null",
    "daemon": "(setsid nohup sleep 1000 >/dev/null 2>&1 &)",
    "deletes its directory": "mkdir x && cd x && rmdir ../x",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_commands_end_as_clean_results_with_nothing_left(base: Path, tmp_path: Path, name: str) -> None:
    before = sandbox_traces()
    bench = await start_bench(base, tmp_path / "host")
    try:
        result = await bench.ide.terminals.run(HOSTILE[name], kill_after_ms=15000, block_until_ms=25000)
        assert result.status in ("exited", "output_limit", "shell_died", "timed_out")
        await asyncio.sleep(1.2 if name == "fork bomb" else 0)
        after = await bench.shell("cd /; echo still $((40 + 2))")
        if name == "fork bomb" and not after.ok:  # the end of the bomb is told with the next command at the latest
            after = await bench.shell("echo still $((40 + 2))")
        assert "still 42" in after.text, after.text
    finally:
        await stop_bench(bench)
    assert sandbox_traces() == before


async def test_a_full_quota_says_so_and_keeps_the_old_file(bench: Bench) -> None:
    result = await bench.shell("for n in 1 2 3; do head -c 40M /dev/zero > fill$n; done")
    assert "No space left on device" in result.text
    written = await bench.call("Write", None, path="README.md", contents="x" * (8 << 20))
    assert not written.ok
    assert "No space left" in written.text
    assert bench.read("README.md").startswith(b"# Title")


async def test_a_sandbox_that_dies_says_so(base: Path) -> None:
    sandbox = await BubblewrapSandbox.start(SandboxSpec((base,)))
    os.kill(sandbox.host_pid, signal.SIGKILL)
    for _ in range(200):
        if not sandbox.alive:
            break
        await asyncio.sleep(0.01)
    with pytest.raises(SandboxDied):
        await sandbox.exec(["true"])
    assert not sandbox.alive
    await sandbox.close()


async def test_what_can_not_start_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match=r"(?s)can't start.*missing"):
        await BubblewrapSandbox.start(SandboxSpec((tmp_path / "missing",)))


async def test_without_extended_attributes_in_memory_the_changes_go_to_a_folder(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels before 6.6: the upper layer is a folder of the host's, which is gone afterwards."""
    monkeypatch.setattr("caretgym.ide_sim.sandbox.bubblewrap._tmpfs_keeps_xattrs", lambda: False)
    bench = await start_bench(base, tmp_path / "host")
    try:
        await bench.shell("rm -r src; mkdir src; echo new > src/main.py; rm README.md")
        assert bench.read("src/main.py") == b"new\n"
        assert (await bench.shell("ls; ls src")).data["output"] == "src\nmain.py\n"
        assert (base / "README.md").exists()
        frozen = tmp_path / "frozen"
        await bench.ide.sandbox.kill_all()
        freeze_upper(bench.ide.sandbox.upper_fd, frozen)
    finally:
        await stop_bench(bench)
    again = await BubblewrapSandbox.start(SandboxSpec((base, frozen)))
    try:
        result = await again.exec(["bash", "-c", "ls; cat src/*"])
    finally:
        await again.close()
    assert result.output == b"src\nnew\n"

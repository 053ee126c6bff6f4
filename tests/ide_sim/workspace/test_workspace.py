"""The workspace: nothing leads out of it, a write is whole or not at all, odd files never hang."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from caretgym.ide_sim.workspace import (
    FileChange,
    InvalidPath,
    IsDirectory,
    NoSpace,
    NotFound,
    NotRegular,
    OutsideWorkspace,
    PermissionDenied,
    TooLarge,
    Workspace,
    WorkspaceError,
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a = 1\n")
    (tmp_path / "secret").write_text("outside")
    return root


@pytest.fixture
def workspace(tree: Path) -> Iterator[Workspace]:
    made = Workspace(tree)
    yield made
    made.close()


BAD = {
    "..": OutsideWorkspace,
    "../secret": OutsideWorkspace,
    "src/../../secret": OutsideWorkspace,
    "/etc/passwd": OutsideWorkspace,
    "/workspace2/x": OutsideWorkspace,
    "a\0b": InvalidPath,
    "x" * 256: InvalidPath,
    "/".join(["d" * 200] * 30): InvalidPath,
    "\ud800": InvalidPath,
    "no/such": NotFound,
    "src": IsDirectory,
    "src/a.py/x": NotFound,
    "": IsDirectory,
}


@pytest.mark.parametrize("path", BAD)
def test_bad_paths_are_typed_errors(workspace: Workspace, path: str) -> None:
    with pytest.raises(BAD[path]) as caught:
        workspace.read_bytes(path)
    assert "/tmp" not in str(caught.value)


def test_links_inside_are_followed_and_others_refused(workspace: Workspace, tree: Path, tmp_path: Path) -> None:
    (tree / "relative").symlink_to("src/a.py")
    (tree / "absolute").symlink_to("/workspace/src/a.py")
    (tree / "folder").symlink_to("/workspace/src")
    for path in ("relative", "absolute", "folder/a.py"):
        assert workspace.read_bytes(path) == b"a = 1\n"
    (tree / "out").symlink_to(tmp_path / "secret")
    (tree / "up").symlink_to("..")
    (tree / "root").symlink_to("/")
    (tree / "loop").symlink_to("loop")
    for path in ("out", "up/secret", "root/etc/passwd", "loop"):
        with pytest.raises(WorkspaceError):
            workspace.read_bytes(path)
        with pytest.raises(WorkspaceError):
            workspace.write_bytes(path, b"x")
    assert (tmp_path / "secret").read_text() == "outside"
    workspace.write_bytes("relative", b"through the link")
    assert (tree / "src" / "a.py").read_bytes() == b"through the link"
    assert (tree / "relative").is_symlink()


def test_a_link_swapped_in_mid_access_never_leads_out(workspace: Workspace, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("outside")
    (tree / "real").mkdir()
    (tree / "real" / "a.py").write_text("inside")
    (tree / "swap").symlink_to("real")
    stop = threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while not stop.is_set():
            for target in (tmp_path / "other", Path("real")):
                (tree / "next").symlink_to(target)
                os.replace(tree / "next", tree / "swap")
                swaps += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        seen = set()
        for _ in range(2000):
            try:
                seen.add(workspace.read_bytes("swap/a.py"))
                workspace.write_bytes("swap/b.py", b"x")
            except WorkspaceError:
                continue
    finally:
        stop.set()
        thread.join()
    assert swaps > 100
    assert seen == {b"inside"}
    assert sorted(os.listdir(tmp_path / "other")) == ["a.py"]


def test_odd_files_are_refused_and_never_hang(workspace: Workspace, tree: Path) -> None:
    os.mkfifo(tree / "fifo")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tree / "sock"))
        for path in ("fifo", "sock"):
            with pytest.raises(NotRegular):
                workspace.read_bytes(path)
            with pytest.raises(NotRegular):
                workspace.write_bytes(path, b"x")
            assert workspace.stat(path).kind == "other"


def test_names_that_are_not_utf8(workspace: Workspace, tree: Path) -> None:
    (tree / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    (entry,) = [e for e in workspace.scandir() if e.kind == "file"]
    assert workspace.read_bytes(entry.name) == b"x"
    with pytest.raises(NotFound, match=r"no\\xe9"):
        workspace.read_bytes(os.fsdecode(b"no\xe9"))


def test_writing_keeps_the_mode_and_makes_parents(workspace: Workspace, tree: Path) -> None:
    (tree / "run").write_text("#!/bin/sh\n")
    (tree / "run").chmod(0o750)
    workspace.write_bytes("run", b"new")
    assert (tree / "run").stat().st_mode & 0o777 == 0o750
    workspace.write_bytes("/workspace/x/y/z", b"1")
    assert (tree / "x" / "y" / "z").read_bytes() == b"1"
    assert not [p for p in tree.rglob("*") if "caretgym-tmp" in p.name]


def test_a_failed_write_leaves_the_old_file(tree: Path) -> None:
    code = f"""
import resource, signal
from caretgym.ide_sim.workspace import NoSpace, Workspace
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    Workspace({str(tree)!r}).write_bytes("src/a.py", b"x" * 5000)
except NoSpace as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "no space left" in result.stdout
    assert [p.name for p in (tree / "src").iterdir()] == ["a.py"]
    assert (tree / "src" / "a.py").read_text() == "a = 1\n"
    assert NoSpace.__doc__


def test_read_only_and_limits(tree: Path) -> None:
    workspace = Workspace(tree, read_only=True)
    with pytest.raises(PermissionDenied, match="read-only"):
        workspace.write_bytes("x", b"")
    with pytest.raises(PermissionDenied):
        workspace.delete("src/a.py")
    with pytest.raises(TooLarge, match="has 6 bytes, at most 3"):
        workspace.read_bytes("src/a.py", limit=3)
    workspace.close()


def test_changes_are_published_in_order(workspace: Workspace) -> None:
    seen: list[FileChange] = []
    stop = workspace.subscribe(seen.append)
    workspace.write_bytes("n", b"1")
    workspace.write_bytes("n", b"2", origin="user")
    workspace.delete("n")
    stop()
    workspace.write_bytes("n", b"3")
    assert [(c.kind, c.origin, c.before, c.after) for c in seen] == [
        ("created", "tool", None, b"1"), ("changed", "user", b"1", b"2"), ("deleted", "tool", b"2", None),
    ]  # fmt: skip


def test_open_documents(workspace: Workspace, tree: Path) -> None:
    document = workspace.open_document("src/a.py")
    document.replace(0, 1, "b")
    assert workspace.is_dirty("src/a.py")
    assert workspace.read_document("/workspace/src/a.py").text == "b = 1\n"
    assert (tree / "src" / "a.py").read_text() == "a = 1\n"
    workspace.save("src/a.py")
    assert not workspace.is_dirty("src/a.py")
    assert (tree / "src" / "a.py").read_text() == "b = 1\n"
    (tree / "src" / "a.py").write_text("from outside\n")
    workspace.reload("src/a.py")
    assert document.text == "from outside\n"
    workspace.delete("src/a.py")
    assert not workspace.documents


def test_walk_leaves_out_hidden_and_ignored(workspace: Workspace, tree: Path) -> None:
    for path in (".git/x", "node_modules/y.js", "src/.hidden", "src/b.log", "src/keep/c.py"):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text("")
    (tree / ".gitignore").write_text("*.log\n")
    assert [e.path for e in workspace.walk()] == ["src", "src/a.py", "src/keep", "src/keep/c.py"]
    everything = [e.path for e in workspace.walk(hidden=True, ignored=True)]
    assert {".git/x", "node_modules/y.js", "src/.hidden", "src/b.log"} <= set(everything)
    assert everything == sorted(everything, key=lambda p: p.split("/"))

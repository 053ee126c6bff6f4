"""The journal: nothing that was flushed is lost, and other files are refused by name."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from caretgym.ide_sim.journal import Journal, JournalFormatError, JournalVersionError, JournalWriter, UnknownEvent
from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.export import chat_messages
from caretgym.ide_sim.lsp.records import Lint, LintReport

EVERY_KIND: list[ev.Event] = [
    ev.SessionStarted(
        session_id="s", task_id="t", profile="p", seed=1, versions={"a": "1"}, base_tree="k", started_at_ms=5
    ),
    ev.MessageAdded(step=0, role="user", content="héllo 界 🙂"),
    ev.TurnTaken(
        step=1, turn={"text": "x", "tool_calls": [{"name": "Shell", "arguments": {"command": "ls"}, "id": ""}]}
    ),
    ev.ToolStarted(step=1, call_id="c1", name="Shell", tool="Shell", arguments='{"broken'),
    ev.ToolFinished(step=1, call_id="c1", name="Shell", ok=False, text="no\0", data={"n": 2**60}, error_class="E"),
    ev.FileChanged(step=1, path="a", kind="created", origin="tool", after="0" * 64, after_size=3),
    ev.TerminalOpened(shell_id=7, pid=3, cwd="/workspace"),
    ev.TerminalChunk(shell_id=7, offset=0, data=bytes(range(256)), dropped=9),
    ev.LspMessage(step=1, server="ty", direction="sent", serial=1, size=2, body=b"{}"),
    ev.LintsReported(
        step=1,
        report=LintReport(
            path="a", server="ty", state="fresh", items=(Lint(0, 0, 0, 1, 1, "no", "ty", "x"),), serial=1
        ),
    ),
    ev.LanguageAnswered(step=1, question={"what": "hover"}, answer={"text": "int"}),
    ev.BufferChanged(step=1, path="a", version=2, text="0" * 64),
    ev.EditorChanged(step=1, state={"tabs": ["a"]}),
    ev.TodosChanged(step=1, todos=[{"id": "1"}]),
    ev.RewardGiven(step=1, name="verifier", value=1.0),
    ev.StepFinished(step=1, observation={"messages": []}, reward=1.0, terminated=True, truncated=False),
    ev.OutcomeReached(step=1, status="solved", reward=1.0),
    ev.InfraError(step=1, where="sandbox", message="gone"),
    ev.Note(text="n"),
    ev.SessionEnded(how="solved"),
]


def test_every_kind_of_event_comes_back(tmp_path: Path) -> None:
    assert {type(e) for e in EVERY_KIND} == set(ev.Event.__args__)
    writer = JournalWriter.create(tmp_path / "a.journal")
    for event in EVERY_KIND:
        writer.append(event, virtual_ms=42)
    writer.close()
    with Journal(writer.path) as journal:
        stored = list(journal.events())
        assert [s.event for s in stored] == EVERY_KIND
        assert [s.seq for s in stored] == list(range(1, len(EVERY_KIND) + 1))
        assert journal.state == "ended"
        summary = journal.summary()
        assert (summary.outcome, summary.tools, summary.errors, summary.steps) == ("solved", {"Shell": 1}, 1, 1)
        assert journal.terminal_bytes(7) == bytes(range(256))
        messages = chat_messages(journal)
        assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"] == "c1"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.journal"]


def test_blobs_are_kept_once_and_files_can_be_rebuilt(tmp_path: Path) -> None:
    writer = JournalWriter.create(tmp_path / "a.journal")
    big = b"line\n" * 100_000
    names = [writer.put_blob(data) for data in (b"", b"x", big, big)]
    assert names[2] == names[3]
    for step, (path, after) in enumerate([("a", names[1]), ("b", names[2]), ("a", None)], 1):
        writer.append(ev.FileChanged(step=step, path=path, kind="changed", origin="tool", after=after))
    writer.close()
    with Journal(writer.path) as journal:
        assert journal.blob(names[0]) == b""
        assert journal.files_at(2) == {"a": b"x", "b": big}
        assert journal.files_at(3)["a"] is None
        with pytest.raises(KeyError):
            journal.blob("f" * 64)
    assert writer.path.stat().st_size < len(big) // 4


def test_lone_surrogates_are_kept_visible(tmp_path: Path) -> None:
    writer = JournalWriter.create(tmp_path / "a.journal")
    writer.append(ev.Note(text="a\udc80b"))
    writer.close()
    with Journal(writer.path) as journal:
        (stored,) = journal.events()
        assert stored.event == ev.Note(text="a\\udc80b")


def test_a_reader_follows_a_live_writer(tmp_path: Path) -> None:
    writer = JournalWriter.create(tmp_path / "a.journal")
    writer.append(ev.Note(text="0"))
    writer.flush()
    seen: list[str] = []

    def read() -> None:
        with Journal(writer.path) as journal:
            for stored in journal.follow(poll_s=0.005):
                if isinstance(stored.event, ev.Note):
                    seen.append(stored.event.text)

    thread = threading.Thread(target=read)
    thread.start()
    for _ in range(3):  # looking does not disturb the writer's lock
        with Journal(writer.path) as journal:
            assert journal.state == "running"
    for n in range(1, 20):
        writer.append(ev.Note(text=str(n)))
        writer.flush()
    writer.append(ev.SessionEnded(how="done"))
    writer.close()
    thread.join(10)
    with Journal(writer.path) as journal:
        assert len(list(journal.events())) == 21
    assert seen == [str(n) for n in range(20)]


WRITER = """
import sys
from pathlib import Path
from caretgym.ide_sim.journal import JournalWriter
from caretgym.ide_sim.journal import events as ev
writer = JournalWriter.create(Path(sys.argv[1]))
writer.append(ev.SessionStarted(session_id="s", task_id="t", profile="p", seed=0))
n = 0
while True:
    for _ in range(3):
        writer.append(ev.Note(text=str(n)))
        writer.put_blob(str(n).encode() * 100)
        n += 1
    writer.flush()
    sys.stdout.write(f"{n}\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("seed", range(10))
def test_a_killed_writer_loses_nothing_that_was_flushed(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "a.journal"
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    acknowledged = 0
    for _ in range(random.Random(seed).randrange(1, 60)):
        acknowledged = int(child.stdout.readline())
    with Journal(path) as journal:
        assert journal.state == "running"
    child.send_signal(signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in child.stdout if line.endswith("\n"))])
    child.wait()
    child.stdout.close()
    with Journal(path) as journal:
        notes = [s.event.text for s in journal.events() if isinstance(s.event, ev.Note)]
        assert notes == [str(n) for n in range(len(notes))]
        assert len(notes) >= acknowledged
        assert journal.state == "killed"
        assert journal.summary().task_id == "t"


def test_other_files_are_refused_with_their_name(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello world " * 100)
    (tmp_path / "empty").touch()
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE x (y)")
    other.close()
    for name in ("text", "empty", "other.db", "."):
        with pytest.raises(JournalFormatError, match=r"not a"):
            Journal(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="missing"):
        Journal(tmp_path / "missing")


def test_versions(tmp_path: Path) -> None:
    writer = JournalWriter.create(tmp_path / "a.journal")
    writer.append(ev.Note(text="x"))
    writer.close()
    raw = sqlite3.connect(writer.path)
    raw.execute("INSERT INTO events VALUES (2, 'from_the_future', NULL, 0, 0, ?)", (b'{"type":"from_the_future"}',))
    raw.execute("UPDATE meta SET value = '9' WHERE key = 'minor'")
    raw.commit()
    with Journal(writer.path) as journal:
        assert list(journal.events())[1].event == UnknownEvent("from_the_future", b'{"type":"from_the_future"}')
    raw.execute("UPDATE meta SET value = '2' WHERE key = 'major'")
    raw.commit()
    raw.close()
    with pytest.raises(JournalVersionError, match=r"format 2\.9.*reads 1\.x.*newer caretgym"):
        Journal(writer.path)


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        JournalWriter.create(path)
    assert path.read_text() == "mine"
    assert os.listdir(tmp_path) == ["a.journal"]

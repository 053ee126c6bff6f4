"""``Journal``: reads a session's record, also while it is being written."""

import fcntl
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import msgspec
import zstandard

from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.schema import JournalFormatError, check, lock_path

State = Literal["ended", "running", "killed"]
_decoder: msgspec.json.Decoder[ev.Event] = msgspec.json.Decoder(ev.Event)


class Summary(msgspec.Struct, frozen=True):
    """A session at a glance. ``state``: ended by itself, running now, or its writer was killed."""

    session_id: str
    task_id: str
    profile: str
    seed: int
    state: State
    how: str
    steps: int
    events: int
    tokens: int
    tools: dict[str, int]
    errors: int
    reward: float
    outcome: str | None


class Journal:
    """A journal opened for reading.

    Raises:
        FileNotFoundError: there is none.
        JournalFormatError: it is not a journal.
        JournalVersionError: it has a format of another major version.

    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise FileNotFoundError(f"{self.path}: no such journal")
        if not self.path.is_file():
            raise JournalFormatError(f"{self.path}: not a file")
        self._connection = self._connect()
        try:
            check(self._connection, self.path)
        except BaseException:
            self._connection.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        name = quote(str(self.path.absolute()))
        # opened for writing, so that SQLite tidies up behind a killed writer; nothing of ours is ever changed
        options = "mode=rw"
        if not (os.access(self.path.parent, os.W_OK) and os.access(self.path, os.W_OK)):
            options = "mode=ro"
            wal = self.path.with_name(self.path.name + "-wal")
            if not wal.exists() or wal.stat().st_size == 0:
                options += "&immutable=1"  # SQLite can't make its shared-memory file here, and needs none
        try:
            connection = sqlite3.connect(
                f"file:{name}?{options}", uri=True, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA query_only=1")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            raise JournalFormatError(f"{self.path}: not a caretgym journal ({error})") from error
        return connection

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- events -------------------------------------------------------------------------------------------------------
    def events(self, *, after: int = 0, types: Collection[type[msgspec.Struct]] | None = None) -> Iterator[ev.Stored]:
        """Events in order.

        Args:
            after: Only those with a larger number.
            types: Only of these classes.

        """
        query = "SELECT seq, type, time_ms, virtual_ms, data FROM events WHERE seq > ?"
        values: list[int | str] = [after]
        if types is not None:
            tags = [str(kind.__struct_config__.tag) for kind in types]
            query += f" AND type IN ({','.join('?' * len(tags))})"
            values += tags
        for seq, kind, time_ms, virtual_ms, data in self._connection.execute(query + " ORDER BY seq", values):
            event: ev.Event | ev.UnknownEvent = (
                _decoder.decode(data) if kind in ev.KNOWN else ev.UnknownEvent(kind, bytes(data))
            )
            yield ev.Stored(seq, time_ms, virtual_ms, event)

    def follow(self, *, after: int = 0, poll_s: float = 0.1) -> Iterator[ev.Stored]:
        """Events in order, waiting for more until the session has ended or its writer is gone."""
        while True:
            state = self.state
            for stored in self.events(after=after):
                after = stored.seq
                yield stored
            if state != "running":
                return
            time.sleep(poll_s)

    @property
    def state(self) -> State:
        """How the session stands."""
        row = self._connection.execute("SELECT 1 FROM events WHERE type = 'session_ended' LIMIT 1").fetchone()
        if row is not None:
            return "ended"
        return "running" if self._writer_lives() else "killed"

    def _writer_lives(self) -> bool:
        try:
            fd = os.open(lock_path(self.path), os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except PermissionError:
            fd = os.open(lock_path(self.path), os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            os.close(fd)
        return False

    # -- contents -----------------------------------------------------------------------------------------------------
    def blob(self, name: str) -> bytes:
        """Contents by their hash. KeyError: the journal does not have them."""
        row = self._connection.execute("SELECT size, packed, data FROM blobs WHERE hash = ?", (name,)).fetchone()
        if row is None:
            raise KeyError(f"no contents {name} in {self.path}")
        size, packed, data = row
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=size) if packed else bytes(data)

    def files_at(self, step: int) -> dict[str, bytes | None]:
        """Files that differ from the base tree after a step, by path; None: deleted, or too large to have been kept."""
        out: dict[str, bytes | None] = {}
        for stored in self.events(types=(ev.FileChanged,)):
            event = stored.event
            if isinstance(event, ev.FileChanged) and event.step <= step:
                out[event.path] = None if event.after is None else self.blob(event.after)
        return out

    def terminal_bytes(self, shell_id: int) -> bytes:
        """What is kept of a shell's raw output."""
        return b"".join(
            stored.event.data
            for stored in self.events(types=(ev.TerminalChunk,))
            if isinstance(stored.event, ev.TerminalChunk) and stored.event.shell_id == shell_id
        )

    def summary(self) -> Summary:
        """The session at a glance. JournalFormatError: it has not even begun."""
        started: ev.SessionStarted | None = None
        how, outcome, reward, steps, count, tokens, errors = "", None, 0.0, 0, 0, 0, 0
        tools: Counter[str] = Counter()
        for stored in self.events():
            count += 1
            match stored.event:
                case ev.SessionStarted() as event:
                    started = event
                case ev.TurnTaken(step=step, turn=turn):
                    steps = step
                    tokens += int((turn.get("usage") or {}).get("completion_tokens", 0))
                case ev.ToolFinished() as event:
                    tools[event.name] += 1
                    errors += not event.ok
                case ev.OutcomeReached() as event:
                    outcome = event.status
                case ev.StepFinished(reward=given):
                    reward += given
                case ev.SessionEnded() as event:
                    how = event.how
        if started is None:
            raise JournalFormatError(f"{self.path}: the journal has no session in it")
        return Summary(
            started.session_id, started.task_id, started.profile, started.seed, self.state, how, steps, count, tokens,
            dict(sorted(tools.items())), errors, reward, outcome,
        )  # fmt: skip

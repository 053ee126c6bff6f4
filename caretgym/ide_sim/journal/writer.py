"""``JournalWriter``: appends events to a session's journal."""

import fcntl
import hashlib
import os
import sqlite3
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from caretgym._version import __version__
from caretgym.ide_sim.journal.events import Event
from caretgym.ide_sim.journal.schema import APPLICATION_ID, MAJOR, MINOR, TABLES, lock_path

_PACK_FROM = 256
_BUFFERED = 500


class JournalWriter:
    """Make one with :meth:`create`. Events are buffered until :meth:`flush`, which makes them last."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int) -> None:
        self.path = path
        self._connection, self._lock = connection, lock
        self._encoder = msgspec.json.Encoder()
        self._packer = zstandard.ZstdCompressor(level=3)
        self._rows: list[tuple[int, str, int | None, int, int, bytes]] = []
        self._blobs: list[tuple[str, int, int, bytes]] = []
        self._known: set[str] = set()
        self._seq = 0
        self.closed = False

    @classmethod
    def create(cls, path: Path) -> "JournalWriter":
        """Begin a new journal.

        Raises:
            FileExistsError: there is a file of that name.

        """
        aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
        try:
            aside.write_bytes(_empty_journal())
            os.link(aside, path)  # whole from the first moment that it has its name; never over another file
        finally:
            aside.unlink(missing_ok=True)
        lock = os.open(lock_path(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # of this open file, so readers in this process see it too
        # one writer, used from one thread at a time: the event loop's
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous=NORMAL")
        return cls(path, connection, lock)

    def append(self, event: Event, *, virtual_ms: int = 0) -> int:
        """Add an event; returns its number. It lasts after the next :meth:`flush`."""
        self._seq += 1
        kind = str(type(event).__struct_config__.tag)
        self._rows.append(
            (
                self._seq,
                kind,
                getattr(event, "step", None),
                time.time_ns() // 1_000_000,
                virtual_ms,
                self._encode(event),
            )
        )
        if len(self._rows) >= _BUFFERED:
            self.flush()
        return self._seq

    def _encode(self, event: Event) -> bytes:
        try:
            return self._encoder.encode(event)
        except UnicodeEncodeError:  # half a surrogate pair somewhere in it
            return self._encoder.encode(_without_surrogates(msgspec.to_builtins(event)))

    def put_blob(self, data: bytes) -> str:
        """Keep contents, each only once; returns their SHA-256."""
        name = hashlib.sha256(data).hexdigest()
        if name not in self._known:
            self._known.add(name)
            stored, packed = data, 0
            if len(data) >= _PACK_FROM:
                smaller = self._packer.compress(data)
                if len(smaller) < len(data):
                    stored, packed = smaller, 1
            self._blobs.append((name, len(data), packed, stored))
        return name

    def flush(self) -> None:
        """Write everything; when this returns, it survives a kill of the process."""
        if not self._rows and not self._blobs:
            return
        rows, self._rows = self._rows, []
        blobs, self._blobs = self._blobs, []
        self._connection.execute("BEGIN")
        try:
            self._connection.executemany("INSERT OR IGNORE INTO blobs VALUES (?, ?, ?, ?)", blobs)
            self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.execute("ROLLBACK")
            self._rows, self._blobs = rows + self._rows, blobs + self._blobs
            raise

    def close(self) -> None:
        """Flush and close. May be called more than once."""
        if self.closed:
            return
        self.closed = True
        try:
            self.flush()
        finally:
            self._connection.close()
            lock_path(self.path).unlink(missing_ok=True)
            os.close(self._lock)


@cache
def _empty_journal() -> bytes:
    """The bytes of a journal without events: SQLite takes milliseconds to make one, and they are always the same."""
    with tempfile.TemporaryDirectory(prefix="caretgym-journal-") as folder:
        path = Path(folder) / "empty"
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=OFF")
            connection.executescript(f"BEGIN;{TABLES}")
            values = {"major": str(MAJOR), "minor": str(MINOR), "writer": __version__}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())
            connection.execute("COMMIT")
        finally:
            connection.close()
        return path.read_bytes()


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(v) for v in value]
    return value

"""The journal's tables and version."""

import sqlite3
from pathlib import Path

APPLICATION_ID = 0x63617267  # "carg"
MAJOR, MINOR = 1, 1
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, type TEXT NOT NULL, step INTEGER, time_ms INTEGER NOT NULL, virtual_ms INTEGER NOT NULL,
  data BLOB NOT NULL
);
CREATE TABLE blobs (hash TEXT PRIMARY KEY, size INTEGER NOT NULL, packed INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
"""


class JournalFormatError(ValueError):
    """The file is not a journal, or is damaged; the message says how."""


class JournalVersionError(JournalFormatError):
    """The journal was written in a format that this version does not read; the message says what to install."""


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that an open file is a journal of a known version."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise JournalFormatError(f"{path}: not a caretgym journal (the file has another application id)")
        values = dict(connection.execute("SELECT key, value FROM meta"))
        major, minor = int(values["major"]), int(values["minor"])
    except sqlite3.DatabaseError as error:
        raise JournalFormatError(f"{path}: not a caretgym journal ({error})") from error
    except KeyError as error:
        raise JournalFormatError(f"{path}: the journal has no version") from error
    if major != MAJOR:
        remedy = "install a newer caretgym" if major > MAJOR else "read it with the caretgym version that wrote it"
        raise JournalVersionError(
            f"{path}: journal format {major}.{minor}, this version reads {MAJOR}.x; {remedy} "
            f"(it was written by caretgym {values.get('writer', 'unknown')})"
        )


def lock_path(path: Path) -> Path:
    """The file whose lock a live writer holds."""
    return path.with_name(path.name + "-writer")

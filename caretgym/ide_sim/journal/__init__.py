"""The append-only record of a session; see the README beside this file."""

from caretgym.ide_sim.journal.events import Event, Stored, UnknownEvent
from caretgym.ide_sim.journal.reader import Journal, Summary
from caretgym.ide_sim.journal.schema import JournalFormatError, JournalVersionError
from caretgym.ide_sim.journal.writer import JournalWriter

__all__ = [
    "Event",
    "Journal",
    "JournalFormatError",
    "JournalVersionError",
    "JournalWriter",
    "Stored",
    "Summary",
    "UnknownEvent",
]

"""Recorded turns again: from a journal, or from a JSONL file with one turn a line."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from caretgym.env.turn import Turn, turn_from_action
from caretgym.ide_sim.journal import Journal, JournalFormatError
from caretgym.ide_sim.journal import events as ev
from caretgym.policy.base import PolicyContext, PolicyError


class ReplayPolicy:
    """Plays turns in order; when there are no more it ends the session."""

    needs_reference = False

    def __init__(self, turns: list[Turn]) -> None:
        self._all = turns
        self._turns: Iterator[Turn] = iter(())

    @classmethod
    def from_file(cls, path: Path) -> "ReplayPolicy":
        """Read a journal or a JSONL file. PolicyError: it is neither."""
        try:
            with path.open("rb") as file:
                is_database = file.read(16).startswith(b"SQLite format 3")
        except OSError as error:
            raise PolicyError(f"{path}: can't be read ({error.strerror})") from error
        try:
            return cls(_from_journal(path) if is_database else _from_lines(path))
        except (JournalFormatError, msgspec.MsgspecError, TypeError, UnicodeDecodeError) as error:
            raise PolicyError(f"{path}: {error}") from error

    async def start(self, context: PolicyContext) -> None:
        """From the first turn."""
        self._turns = iter(self._all)

    async def act(self, observation: Mapping[str, Any]) -> Turn:
        """The next recorded turn."""
        return next(self._turns, Turn("(the recording ends here)"))

    async def close(self) -> None:
        """Nothing to close."""


def _from_journal(path: Path) -> list[Turn]:
    with Journal(path) as journal:
        return [
            msgspec.convert(stored.event.turn, Turn)
            for stored in journal.events(types=(ev.TurnTaken,))
            if isinstance(stored.event, ev.TurnTaken)
        ]


def _from_lines(path: Path) -> list[Turn]:
    turns = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                turns.append(turn_from_action(msgspec.json.decode(line)))
            except (msgspec.MsgspecError, TypeError, ValueError) as error:
                raise TypeError(f"line {number}: {error}") from error
    return turns

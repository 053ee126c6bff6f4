"""Shells as an agent's tool sees them; see the README beside this file."""

from caretgym.ide_sim.terminal.results import (
    CommandError,
    CommandResult,
    FinishedJob,
    Output,
    UnknownShell,
    WaitResult,
)
from caretgym.ide_sim.terminal.terminals import Terminals

__all__ = ["CommandError", "CommandResult", "FinishedJob", "Output", "Terminals", "UnknownShell", "WaitResult"]

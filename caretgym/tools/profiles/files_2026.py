"""Rows of the file tools, the to-do list and notebooks: profile cursor-2026."""

from caretgym.tools.profile import ToolSpec

ROWS: tuple[ToolSpec, ...] = ()

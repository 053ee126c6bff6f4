"""Rows of the file tools, the to-do list and notebooks: profile cursor-2.0."""

from caretgym.tools.profile import ToolSpec

ROWS: tuple[ToolSpec, ...] = ()

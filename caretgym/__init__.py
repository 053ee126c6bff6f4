"""caretgym: coding agents in a simulated AI editor, as a Gymnasium environment."""

from caretgym._version import __version__

__all__ = ["__version__"]

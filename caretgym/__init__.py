"""caretgym: a Gymnasium environment in which coding agents work as they would inside an AI editor."""

from gymnasium.envs.registration import register as _register

from caretgym._version import __version__

__all__ = ["__version__"]

_register(id="caretgym/Session-v0", entry_point="caretgym.env.session_env:SessionEnv")

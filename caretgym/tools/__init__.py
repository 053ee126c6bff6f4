"""What an agent may call: one module per tool, on top of the simulated IDE."""

from caretgym.tools.base import CallContext, CallResult, Data, Failure, Tool, ToolOutcome
from caretgym.tools.profile import PROFILES, Profile, Text, ToolSpec, get_profile
from caretgym.tools.registry import call_tool

__all__ = [
    "PROFILES",
    "CallContext",
    "CallResult",
    "Data",
    "Failure",
    "Profile",
    "Text",
    "Tool",
    "ToolOutcome",
    "ToolSpec",
    "call_tool",
    "get_profile",
]

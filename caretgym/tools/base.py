"""The contract between a tool and whoever calls it: typed call in, typed outcome out, text only at the edge.

A tool knows nothing of profiles' names or wording. It takes canonical arguments (the G3 names), acts on the simulated
IDE and returns data. A `Profile` (profile.py) renames arguments and renders the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

import msgspec

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

ErrorClass = Literal["InvalidArguments", "UnknownTool", "ToolError", "UnexpectedEnvironment", "Timeout", "UserAborted"]
"""What a failed call is counted as (ER-4, plus UnknownTool and ToolError for the rest)."""


def snake_case(name: str) -> str:
    """``TextFile`` -> ``text_file``: the tag under which a variant is recorded."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Data(msgspec.Struct, frozen=True, tag_field="type", tag=snake_case):
    """One variant of what a tool can return. Its tag is the class name in snake_case, under the key ``type``."""


class Failure(Data, frozen=True):
    """A variant that means the call did not do what was asked."""

    error_class: ClassVar[ErrorClass] = "ToolError"


class ToolOutcome(msgspec.Struct, frozen=True):
    """What a tool did. ``ok`` is false for a `Failure`, and where a tool says so of other data."""

    ok: bool
    data: Data


def success(data: Data) -> ToolOutcome:
    """Make the outcome of a call that did what was asked."""
    return ToolOutcome(True, data)


def failed(data: Failure) -> ToolOutcome:
    """Make the outcome of a call that did not do what was asked."""
    return ToolOutcome(False, data)


@dataclass(frozen=True)
class CallContext:
    """What a tool may know of the call besides its arguments."""

    id: str
    """The call's id, unique in the session."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """The profile's limits for this tool; each tool's docstring names the keys that it reads."""
    global_ignore: tuple[str, ...] = ()
    """gitignore patterns the profile's editor refuses to touch, as if in the user's global list (ED-5, IG-1)."""


A = TypeVar("A", bound=msgspec.Struct)


class Tool(Generic[A]):
    """One tool. A subclass sets the class variables and ``run``; it keeps no state between calls.

    Workspace errors may be left to propagate: `call_tool` turns each into the matching `Failure` (failures.py).
    Any other exception is a fault of this package and isn't turned into a result.
    """

    name: ClassVar[str]
    """Canonical (G3) name."""
    readonly: ClassVar[bool] = False
    """Whether the tool leaves the workspace and its processes as they are."""
    Args: type[A]
    """Struct of the canonical arguments. Optional ones have defaults."""

    def edits(self, args: A) -> str | None:
        """The file that a call edits, by the path in its arguments; None: it edits none."""
        return None

    async def run(self, ide: IDE, args: A, call: CallContext) -> ToolOutcome:
        """Do it."""
        raise NotImplementedError


class CallResult(msgspec.Struct, frozen=True):
    """What became of one call: text for the model, data for everyone else."""

    id: str
    name: str
    """The name that the model used."""
    ok: bool
    text: str
    data: dict[str, Any]
    """The outcome's data as plain values, tagged by ``type``."""
    error_class: ErrorClass | None
    tool: str
    """Canonical name; empty when there is no such tool."""
    ignored_arguments: tuple[str, ...] = ()
    """Arguments that the tool doesn't have; they had no effect, and the text says so."""

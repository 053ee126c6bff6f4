"""`call_tool`: from a name and arguments as the model wrote them to a result that it can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from caretgym.ide_sim.workspace.errors import WorkspaceError
from caretgym.tools.arguments import read_arguments
from caretgym.tools.base import CallContext, CallResult, ErrorClass, Failure, ToolOutcome, failed
from caretgym.tools.edit_lints import lints_before, new_lints
from caretgym.tools.failures import UnknownTool, from_workspace_error
from caretgym.tools.profile import Profile, ToolSpec

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE


async def call_tool(
    profile: Profile, ide: IDE, name: str, arguments: Mapping[str, Any] | str, call_id: str
) -> CallResult:
    """Run one call to its end.

    ``arguments`` is an object, or the raw text where the model's JSON could not be parsed. Everything that the agent
    can cause is a result. An ``InfrastructureError`` propagates: the environment failed. So does any other exception, which is
    a fault of this package.
    """
    spec = profile.tools.get(name)
    if spec is None:
        return _result(profile, None, name, call_id, failed(UnknownTool(_printable(name), tuple(profile.tools))), ())
    read = read_arguments(spec, arguments)
    if isinstance(read.args, Failure):
        return _result(profile, spec, name, call_id, failed(read.args), read.ignored)
    context = CallContext(call_id, spec.limits, profile.global_ignore)
    note = ""
    try:
        edits = spec.tool.edits(read.args) if profile.edit_lints else None
        before = await lints_before(ide, edits) if edits is not None else []
        outcome = await spec.tool.run(ide, read.args, context)
        if edits is not None and outcome.ok:
            note = await new_lints(ide, edits, before)
    except WorkspaceError as error:
        outcome = from_workspace_error(error)
    return _result(profile, spec, name, call_id, outcome, read.ignored, note)


def _result(
    profile: Profile,
    spec: ToolSpec | None,
    name: str,
    call_id: str,
    outcome: ToolOutcome,
    ignored: tuple[str, ...],
    note: str = "",
) -> CallResult:
    text = cap_text(profile.render(spec, outcome) + note, profile.result_cap)
    if ignored:
        text += f"\n\nNote: {name} has no argument {', '.join(ignored)}; ignored."
    error_class: ErrorClass | None = None
    if not outcome.ok:
        error_class = outcome.data.error_class if isinstance(outcome.data, Failure) else "ToolError"
    return CallResult(
        id=call_id,
        name=_printable(name),
        ok=outcome.ok,
        text=text,
        data=msgspec.to_builtins(outcome.data),
        error_class=error_class,
        tool=spec.tool.name if spec else "",
        ignored_arguments=ignored,
    )


def cap_text(text: str, limit: int) -> str:
    """Cut a text to ``limit`` characters, at a line end where one is near, and say how much is gone (ER-5)."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(_cap_note(len(text), limit)))
    line_end = text.rfind("\n", room - room // 10, room)
    kept = text[: line_end if line_end >= 0 else room]
    return kept + _cap_note(len(text) - len(kept), limit)


def _cap_note(omitted: int, limit: int) -> str:
    return f"\n\n... {omitted} characters not shown: a result has at most {limit} characters ..."


def _printable(name: str) -> str:
    """Replace what no text can hold (half surrogate pairs)."""
    return name.encode("utf-8", "replace").decode()

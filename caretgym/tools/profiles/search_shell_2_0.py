"""Rows of the search and shell tools: profile cursor-2.0 (G2)."""

from dataclasses import replace
from typing import Any

from caretgym.tools.profile import ToolSpec
from caretgym.tools.profiles import search_shell_2026 as new
from caretgym.tools.profiles import search_shell_texts as t
from caretgym.tools.schema import array, boolean, object_of, string

PREFIX = "Error calling tool: "
_WHY = string("One sentence on why this call helps.")


def _terminal(arguments: dict[str, Any]) -> dict[str, Any]:
    """G2 says ``is_background`` where G3 has ``block_until_ms`` 0 (SH-1)."""
    out = {"command": arguments["command"]}
    if arguments.get("explanation"):
        out["description"] = arguments["explanation"]
    if arguments.get("is_background"):
        out["block_until_ms"] = 0
    if "required_permissions" in arguments:
        out["required_permissions"] = arguments["required_permissions"]
    return out


SHELL = replace(
    new.SHELL, name="run_terminal_cmd", adapt=_terminal, texts=t.shell_texts(PREFIX, old=True),
    description="Run a bash command in the session's shell, which keeps its state. There is no input: pass flags that make "
    "programs go on without asking, and append | cat where a pager would open.",
    parameters=object_of(
        {
            "command": string("The command.", min_length=1),
            "is_background": boolean("Start it in the background."),
            "explanation": _WHY,
            "required_permissions": array(
                "Permissions beyond the sandbox; none are granted here.", string("", enum=("network", "git_write", "all"))
            ),
        },
        ["command", "is_background"],
    ),
)  # fmt: skip
GREP = replace(new.GREP, name="grep", texts=t.grep_texts(PREFIX))
GLOB = replace(new.GLOB, name="glob_file_search", texts=t.glob_texts(PREFIX))
LS_ROW = replace(
    new.LS_ROW, name="list_dir", flag=None,
    parameters=object_of(
        {
            "target_directory": string("The directory.", min_length=1),
            "ignore_globs": array("Patterns to leave out.", string("A glob.", min_length=1)),
        },
        ["target_directory"],
    ),
)  # fmt: skip

SHELL_ROWS: tuple[ToolSpec, ...] = (SHELL,)
SEARCH_ROWS: tuple[ToolSpec, ...] = (GLOB, GREP, LS_ROW)

"""Rows of the search and shell tools: profile cursor-2026 (G3)."""

from caretgym.tools.await_shell import AwaitShell
from caretgym.tools.glob import Glob
from caretgym.tools.grep import Grep
from caretgym.tools.ls import LS
from caretgym.tools.profile import ToolSpec
from caretgym.tools.profiles import search_shell_texts as t
from caretgym.tools.schema import array, boolean, integer, number, object_of, string
from caretgym.tools.shell import Shell

PREFIX = "Error: "
MODES = ("content", "files_with_matches", "count")

SHELL = ToolSpec(
    tool=Shell(), name="Shell", fact="SH-1", confidence="A", texts=t.shell_texts(PREFIX, old=False),
    limits={"inline": 20_000},
    description="Run a bash command in the session's shell. Directory, variables, functions and options stay for the next "
    "call. There is no input and no network. A command that takes longer than block_until_ms goes on in the background: "
    "wait for it with AwaitShell, or look into its terminal file.",
    parameters=object_of(
        {
            "command": string("The command.", min_length=1),
            "description": string("What it does, in five to ten words."),
            "working_directory": string("Where to run it; default: where the shell is."),
            "block_until_ms": number(
                "How long to wait in milliseconds before it goes on in the background; 0: at once.", minimum=0, default=30000
            ),
            "required_permissions": array(
                "Permissions beyond the sandbox; none are granted here.", string("", enum=("full_network", "all"))
            ),
            "notify_on_output": object_of(
                {
                    "pattern": string("Regular expression on the output."),
                    "reason": string("Why, in at most five words."),
                    "debounce_ms": number("Least time between notifications.", minimum=0),
                    "notification_limit": number("Most notifications.", minimum=1),
                },
                ["pattern", "reason"],
                "Tell when the output of a background command matches.",
            ),
        },
        ["command"],
    ),
)  # fmt: skip
AWAIT = ToolSpec(
    tool=AwaitShell(), name="AwaitShell", fact="AW-1", confidence="B", texts=t.AWAIT_TEXTS,
    description="Wait for a background command to end, or for a pattern in its output. Without shell_id: just wait.",
    parameters=object_of(
        {
            "shell_id": string("The background command's id."),
            "block_until_ms": number("How long to wait at most; 0: only look.", minimum=0, default=30000),
            "pattern": string("Regular expression; ^ and $ match at every line."),
        },
        [],
    ),
)  # fmt: skip
GREP = ToolSpec(
    tool=Grep(), name="Grep", fact="GR-1", confidence="A", texts=t.grep_texts(PREFIX), limits={"entries": 2000},
    renames={"-B": "before", "-A": "after", "-C": "around", "-i": "ignore_case"},
    adapt=lambda a: {k: v for k, v in a.items() if k != "-n"},
    description="Search file contents with ripgrep; the pattern is a regular expression. Ignored files are left out.",
    parameters=object_of(
        {
            "pattern": string("Regular expression (ripgrep's syntax)."),
            "path": string("File or directory; default: the workspace."),
            "glob": string("Only files whose name matches."),
            "type": string("Only files of this ripgrep type, such as py or ts."),
            "output_mode": string("What to show.", enum=MODES, default="content"),
            "-B": integer("Lines before each match.", minimum=0),
            "-A": integer("Lines after each match.", minimum=0),
            "-C": integer("Lines around each match.", minimum=0),
            "-n": boolean("Accepted; lines are always numbered."),
            "-i": boolean("Ignore case."),
            "multiline": boolean("Let matches span lines."),
            "head_limit": integer("Most entries to show.", minimum=1),
            "offset": integer("Entries to skip.", minimum=0),
        },
        ["pattern"],
    ),
)  # fmt: skip
GLOB = ToolSpec(
    tool=Glob(), name="Glob", fact="GL-1", confidence="A", texts=t.glob_texts(PREFIX), limits={"files": 1000},
    description="Find files by a glob pattern, newest first. A pattern that does not begin with **/ is taken as if it did.",
    parameters=object_of(
        {
            "glob_pattern": string("The pattern.", min_length=1),
            "target_directory": string("Where to look; default: the workspace."),
        },
        ["glob_pattern"],
    ),
)  # fmt: skip
LS_ROW = ToolSpec(
    tool=LS(), name="LS", fact="LS-1", confidence="B", texts=t.LS_TEXTS, limits={"characters": 10_000}, flag="ls",
    description="Show a directory as a tree. Large subtrees are counted instead of listed; names with a dot are hidden.",
    parameters=object_of(
        {
            "target_directory": string("The directory.", min_length=1),
            "ignore_globs": array("Patterns to leave out.", string("A glob.", min_length=1)),
        },
        ["target_directory"],
    ),
)  # fmt: skip

SHELL_ROWS: tuple[ToolSpec, ...] = (SHELL, AWAIT)
SEARCH_ROWS: tuple[ToolSpec, ...] = (GLOB, GREP, LS_ROW)

"""Profile ``cursor-2.0``: generation G2 in its Composer flavour (GEN-1; disagreement 8: search_replace and write)."""

from collections.abc import Collection

from caretgym.tools.profile import Profile, ToolSpec, build_profile
from caretgym.tools.profiles.common import common_texts
from caretgym.tools.profiles.files_2_0 import ROWS as FILES
from caretgym.tools.profiles.language_rows import language_rows, lints_row
from caretgym.tools.profiles.search_shell_2_0 import SEARCH_ROWS, SHELL_ROWS

ROWS: tuple[ToolSpec, ...] = (
    *SHELL_ROWS,
    *SEARCH_ROWS,
    *FILES,
    lints_row("read_lints"),
    *language_rows("Error calling tool: "),
)

# ED-5, disagreement 15: many reports of 2025 show `.env*` blocked by the global list.
GLOBAL_IGNORE = (".env*",)


def build(flags: Collection[str] = ()) -> Profile:
    """Build the profile with the rows that ``flags`` switch on."""
    return build_profile("cursor-2.0", ROWS, common_texts("Error calling tool: "), flags, global_ignore=GLOBAL_IGNORE)

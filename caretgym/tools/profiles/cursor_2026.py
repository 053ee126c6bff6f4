"""Profile ``cursor-2026``: generation G3, the tool list of June 2026 as far as the tools exist (GEN-1, GEN-2)."""

from collections.abc import Collection

from caretgym.tools.profile import Profile, ToolSpec, build_profile
from caretgym.tools.profiles.common import common_texts
from caretgym.tools.profiles.files_2026 import ROWS as FILES
from caretgym.tools.profiles.language_rows import language_rows, lints_row
from caretgym.tools.profiles.search_shell_2026 import SEARCH_ROWS, SHELL_ROWS

ROWS: tuple[ToolSpec, ...] = (*SHELL_ROWS, *SEARCH_ROWS, *FILES, lints_row("ReadLints"), *language_rows("Error: "))

# Disagreement 15: by the documentation the user's global list is empty; reports of 2025 show `.env*` blocked by it,
# for creating too (ED-5). We follow the reports.
GLOBAL_IGNORE = (".env*",)


def build(flags: Collection[str] = ()) -> Profile:
    """Build the profile with the rows that ``flags`` switch on (``ls``: list 2026-06 has no LS, others do)."""
    return build_profile("cursor-2026", ROWS, common_texts("Error: "), flags, global_ignore=GLOBAL_IGNORE)

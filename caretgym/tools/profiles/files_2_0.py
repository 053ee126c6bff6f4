"""Rows of the file tools, the to-do list and notebooks: profile cursor-2.0 (G2, Composer flavour)."""

from dataclasses import replace

from caretgym.tools.profile import ToolSpec
from caretgym.tools.profiles import file_texts as t
from caretgym.tools.profiles import files_2026 as new
from caretgym.tools.schema import boolean, integer, object_of, string

PREFIX = "Error calling tool: "
NOT_FOUND = "The string to replace was not found in the file."
_PATH = "The file, absolute or relative to the workspace."
_WHY = string("One sentence on why this call helps.")

READ = replace(
    new.READ, name="read_file", renames={"target_file": "path"}, texts=t.read_texts(PREFIX),
    parameters=object_of(
        {
            "target_file": string(_PATH, min_length=1),
            "offset": integer("First line, from 1; a negative number counts from the end."),
            "limit": integer("How many lines."),
        },
        ["target_file"],
    ),
)  # fmt: skip
WRITE = replace(
    new.WRITE, name="write", renames={"file_path": "path"}, texts=t.write_texts(PREFIX),
    description="Write a whole file, replacing what is there. Read an existing file first, and prefer search_replace.",
    parameters=object_of(
        {"file_path": string(_PATH, min_length=1), "contents": string("The complete new text.")}, ["file_path", "contents"]
    ),
)  # fmt: skip
SEARCH_REPLACE = replace(
    new.STR_REPLACE, name="search_replace", renames={"file_path": "path"}, limits={"relax": 0},
    texts=t.replace_texts(PREFIX, NOT_FOUND),
    parameters=object_of(
        {
            "file_path": string(_PATH, min_length=1),
            "old_string": string("The text to replace."),
            "new_string": string("The text to put there; must differ."),
            "replace_all": boolean("Replace every occurrence.", default=False),
        },
        ["file_path", "old_string", "new_string"],
    ),
)  # fmt: skip
DELETE = replace(
    new.DELETE, name="delete_file", renames={"target_file": "path"}, adapt=lambda a: {"path": a["path"]},
    parameters=object_of({"target_file": string(_PATH, min_length=1), "explanation": _WHY}, ["target_file"]),
)  # fmt: skip
NOTEBOOK = replace(new.NOTEBOOK, name="edit_notebook", texts=t.notebook_texts(PREFIX, NOT_FOUND))

ROWS: tuple[ToolSpec, ...] = (
    READ, WRITE, SEARCH_REPLACE, DELETE, NOTEBOOK, new.todo_row("todo_write", 2, ("id", "content", "status")),
)  # fmt: skip

"""Rows of the file tools, the to-do list and notebooks: profile cursor-2026 (G3)."""

from caretgym.tools.delete import Delete
from caretgym.tools.edit_notebook import LANGUAGES, EditNotebook
from caretgym.tools.profile import ToolSpec
from caretgym.tools.profiles import file_texts as t
from caretgym.tools.read import Read
from caretgym.tools.schema import array, boolean, integer, object_of, string
from caretgym.tools.str_replace import StrReplace
from caretgym.tools.todo_write import TodoWrite
from caretgym.tools.write import Write

PREFIX = "Error: "
NOT_FOUND = "The string to replace was not found in the file (even after relaxing whitespace)."
STATUSES = ("pending", "in_progress", "completed", "cancelled")
_PATH = "The file, absolute or relative to the workspace."

READ = ToolSpec(
    tool=Read(), name="Read", fact="RD-1", confidence="A", texts=t.read_texts(PREFIX),
    limits={"characters": 100_000, "cell_output": 2000},
    description="Read a file. Each line comes as its number, right-aligned to six columns, a bar, and the text. "
    "For a long file give offset and limit. Pictures are named, notebooks come cell by cell.",
    parameters=object_of(
        {
            "path": string(_PATH, min_length=1),
            "offset": integer("First line, from 1; a negative number counts from the end."),
            "limit": integer("How many lines."),
        },
        ["path"],
    ),
)  # fmt: skip
WRITE = ToolSpec(
    tool=Write(), name="Write", fact="ED-1", confidence="A", texts=t.write_texts(PREFIX),
    description="Write a whole file, replacing what is there. Read an existing file first, and prefer StrReplace for changes.",
    parameters=object_of(
        {"path": string(_PATH, min_length=1), "contents": string("The complete new text.")}, ["path", "contents"]
    ),
)  # fmt: skip
STR_REPLACE = ToolSpec(
    tool=StrReplace(), name="StrReplace", fact="ED-2", confidence="A", texts=t.replace_texts(PREFIX, NOT_FOUND),
    description="Replace a text in a file, exactly as it stands there, without line numbers. It has to occur once, so give "
    "lines around it until it does, or set replace_all.",
    parameters=object_of(
        {
            "path": string(_PATH, min_length=1),
            "old_string": string("The text to replace."),
            "new_string": string("The text to put there; must differ."),
            "replace_all": boolean("Replace every occurrence.", default=False),
        },
        ["path", "old_string", "new_string"],
    ),
)  # fmt: skip
DELETE = ToolSpec(
    tool=Delete(), name="Delete", fact="DL-1", confidence="A", texts=t.DELETE_TEXTS,
    description="Delete one file. A file that is not there is an error and changes nothing.",
    parameters=object_of({"path": string(_PATH, min_length=1)}, ["path"]),
)  # fmt: skip
NOTEBOOK = ToolSpec(
    tool=EditNotebook(), name="EditNotebook", fact="NB-1", confidence="A", texts=t.notebook_texts(PREFIX, NOT_FOUND),
    description="Change one cell of a Jupyter notebook: replace a text that occurs once in it, or add a new cell. "
    "Cells can't be deleted. A new notebook begins with a new cell 0.",
    parameters=object_of(
        {
            "target_notebook": string("The notebook's path.", min_length=1),
            "cell_idx": integer("The cell, from 0."),
            "is_new_cell": boolean("Add a cell at this index instead of editing the one there."),
            "cell_language": string("The cell's language.", enum=LANGUAGES),
            "old_string": string("The text to replace; empty for a new cell."),
            "new_string": string("The text to put there, or the new cell's source."),
        },
        ["target_notebook", "cell_idx", "is_new_cell", "cell_language", "old_string", "new_string"],
    ),
)  # fmt: skip


def todo_row(name: str, min_items: int, required: tuple[str, ...]) -> ToolSpec:
    """The row of TodoWrite (TD-1; disagreement 5: how many items at least, and what each needs)."""
    item = object_of(
        {
            "id": string("Unique name of the entry."),
            "content": string("What is to be done."),
            "status": string("State of the entry.", enum=STATUSES),
        },
        list(required),
    )
    return ToolSpec(
        tool=TodoWrite(), name=name, fact="TD-1", confidence="A", texts=t.TODO_TEXTS, defaults={"merge": True},
        description="Keep a to-do list for work of several steps. merge=true updates entries by id and adds new ones; "
        "merge=false replaces the list.",
        parameters=object_of(
            {
                "todos": array("The entries.", item, min_items=min_items),
                "merge": boolean("Update the list instead of replacing it."),
            },
            ["todos", "merge"],
        ),
    )  # fmt: skip


ROWS: tuple[ToolSpec, ...] = (READ, WRITE, STR_REPLACE, DELETE, NOTEBOOK, todo_row("TodoWrite", 1, ("id",)))

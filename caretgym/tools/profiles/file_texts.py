"""Texts of the file tools, the to-do list and notebooks; what differs between profiles is a parameter."""

from caretgym.ide_sim.todos import TodoItem
from caretgym.tools import delete, edit_notebook, read, str_replace, todo_write, write
from caretgym.tools.profile import Text, Texts

_REMIND_FINISHED = 20


def numbered(data: read.TextRead) -> str:
    """Lines as ``     1|text`` with notes about what is not shown (RD-2, RD-3)."""
    out = []
    if data.first > 1:
        out.append(_not_shown(data.first - 1))
    out += [f"{number:>6}|{line}" for number, line in enumerate(data.lines, data.first)]
    if data.last < data.total:
        out.append(_not_shown(data.total - data.last))
    return "\n".join(out)


def _not_shown(count: int) -> str:
    return f"... {count} {'line' if count == 1 else 'lines'} not shown ..."


def read_texts(prefix: str) -> Texts:
    """Texts of Read."""
    return {
        read.TextRead: Text(numbered, "RD-2", "A"),
        read.EmptyFile: Text("File is empty.", "RD-3", "A"),
        read.NotebookRead: Text("{text}", "RD-6", "C"),
        read.ImageRead: Text("Read image file: {path}", "RD-6", "C"),
        read.TooManyCharacters: Text(
            prefix + "File content ({characters} characters) exceeds maximum allowed characters ({limit} characters).\n"
            "Use offset and limit to read a part of it, or search it with the grep tool.", "RD-4", "B",
        ),
        read.BadOffset: Text(prefix + "{message}", "RD-5", "B"),
        read.PastEnd: Text(prefix + "Offset {offset} is beyond the end of the file, which has {total} lines.", "RD-5", "own"),
        read.BinaryFile: Text(prefix + "Cannot read binary files of type {extension}", "RD-5", "B"),
    }  # fmt: skip


def write_texts(prefix: str) -> Texts:
    """Texts of Write."""
    return {
        write.Written: Text("Wrote contents to {path}", "ED-1", "B"),
        write.NotEncodable: Text(prefix + "{reason}", "ED-8", "own"),
    }


def replace_texts(prefix: str, not_found: str) -> Texts:
    """Texts of StrReplace."""
    return {
        str_replace.Replaced: Text("The file {path} has been updated.", "ED-3", "B"),
        str_replace.SameStrings: Text(
            prefix + "old_string and new_string are equal: there is nothing to do.", "ED-2", "own"
        ),
        str_replace.EmptyOldString: Text(
            prefix + "old_string is empty. To create or fill a file, write it as a whole.", "ED-2", "own"
        ),
        str_replace.StringNotFound: Text(prefix + not_found, "ED-3", "B"),
        str_replace.NotUnique: Text(lambda d: prefix + not_unique(d), "ED-4", "D"),
        write.NotEncodable: Text(prefix + "{reason}", "ED-8", "own"),
        read.BinaryFile: Text(prefix + "Cannot edit binary files of type {extension}", "RD-5", "own"),
    }


def not_unique(data: str_replace.NotUnique) -> str:
    """ED-4, with the lines where the occurrences begin."""
    lines = ", ".join(map(str, data.lines)) + (", …" if data.count > len(data.lines) else "")
    return (
        f"The string to replace was found multiple times in the file ({data.count}, starting at lines {lines}). "
        "Use replace_all to replace all occurrences, or include more context to only edit one occurrence."
    )


def notebook_texts(prefix: str, not_found: str) -> Texts:
    """Texts of EditNotebook."""
    return {
        **replace_texts(prefix, not_found),
        edit_notebook.NotebookEdited: Text("The notebook {path} has been updated.", "NB-1", "own"),
        edit_notebook.NotebookProblem: Text(prefix + "The notebook {path} can't be edited: {reason}.", "NB-1", "own"),
    }


DELETE_TEXTS: Texts = {delete.Deleted: Text("Deleted {path}", "DL-1", "own")}


def todo_text(data: todo_write.TodosUpdated) -> str:
    """TD-3."""
    text = "Successfully updated TODOs. Make sure to follow and update your TODO list as you make progress."
    if data.idle:
        text += " No TODOs are marked in-progress, mark one before you start to work on it."
    lines = "\n".join(_todo_line(item) for item in data.todos)
    text += f"\n\nHere are the latest contents of your todo list:\n{lines}"
    if data.finished > _REMIND_FINISHED:
        text += (
            f"\n\n<system_reminder>\n{data.finished} entries of the to-do list are finished. "
            "Replace the list (merge=false) to keep it short.\n</system_reminder>"
        )
    return text


def _todo_line(item: TodoItem) -> str:
    return f"- **{item.status.upper()}**: {item.content} (id: {item.id})"


TODO_TEXTS: Texts = {todo_write.TodosUpdated: Text(todo_text, "TD-3", "B")}

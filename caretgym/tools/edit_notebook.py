"""EditNotebook: change one cell's source, or add a cell (NB-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from caretgym.ide_sim.document import BinaryFileError, Document
from caretgym.ide_sim.workspace import NotFound
from caretgym.tools.access import Edited, blocked, edited
from caretgym.tools.base import CallContext, ErrorClass, Failure, Tool, ToolOutcome, failed, success
from caretgym.tools.notebook import Notebook, NotebookError, Splice, new_notebook
from caretgym.tools.read import BinaryFile
from caretgym.tools.str_replace import NotUnique, StringNotFound

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

LANGUAGES = ("python", "markdown", "javascript", "typescript", "r", "sql", "shell", "raw", "other")


class EditNotebookArgs(msgspec.Struct, frozen=True):
    """``cell_idx`` counts from 0; the order of the arguments is the emulated tool's."""

    target_notebook: str
    cell_idx: int
    is_new_cell: bool
    cell_language: str
    old_string: str
    new_string: str


class NotebookEdited(Edited, frozen=True):
    """See :class:`Edited`."""


class NotebookProblem(Failure, frozen=True):
    """It is no notebook, or has no such cell."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    path: str
    reason: str


class EditNotebook(Tool[EditNotebookArgs]):
    """Changes only the bytes of the one cell; a notebook is created by a new cell 0. Cells can't be deleted."""

    name = "EditNotebook"
    Args = EditNotebookArgs

    async def run(self, ide: IDE, args: EditNotebookArgs, call: CallContext) -> ToolOutcome:
        """Edit, or refuse and leave the file alone."""
        path = args.target_notebook
        stop = blocked(ide, path, call)
        if stop is not None:
            return stop
        if not path.endswith(".ipynb"):
            return failed(NotebookProblem(path, "only .ipynb files can be edited with this tool"))
        try:
            document = ide.workspace.read_document(path)
        except NotFound:
            if args.is_new_cell and args.cell_idx == 0:
                text = new_notebook(args.new_string, args.cell_language)
                ide.workspace.write_document(path, Document(text))
                return success(NotebookEdited(**msgspec.structs.asdict(edited(ide, path, None, text))))
            raise
        except BinaryFileError:
            return failed(BinaryFile(path, "ipynb"))
        try:
            notebook = Notebook(document.text)
            splice = self._splice(notebook, args)
        except NotebookError as error:
            return failed(NotebookProblem(path, str(error)))
        if isinstance(splice, ToolOutcome):
            return splice
        before = document.text
        after = before[: splice.start] + splice.text + before[splice.end :]
        ide.workspace.write_document(path, Document(after, document.encoding))
        return success(NotebookEdited(**msgspec.structs.asdict(edited(ide, path, before, after, replacements=1))))

    @staticmethod
    def _splice(notebook: Notebook, args: EditNotebookArgs) -> Splice | ToolOutcome:
        if args.is_new_cell:
            return notebook.insert_cell(args.cell_idx, args.new_string, args.cell_language)
        source = notebook.source(args.cell_idx)
        count = source.count(args.old_string) if args.old_string else int(not source)
        if count == 0:
            return failed(StringNotFound(args.target_notebook))
        if count > 1:
            starts, at = [], source.find(args.old_string)
            while at >= 0:
                starts.append(source.count("\n", 0, at) + 1)
                at = source.find(args.old_string, at + 1)
            return failed(NotUnique(args.target_notebook, count, tuple(starts)))
        changed = source.replace(args.old_string, args.new_string, 1) if args.old_string else args.new_string
        return notebook.replace_source(args.cell_idx, changed)

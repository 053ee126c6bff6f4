"""Read: a text file's lines with their numbers, a notebook's cells, a picture's name (RD-1…6)."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, ClassVar

import msgspec

from caretgym.ide_sim.document import BinaryFileError, Document
from caretgym.tools.base import CallContext, Data, ErrorClass, Failure, Tool, ToolOutcome, failed, success
from caretgym.tools.notebook import Notebook, NotebookError, joined

if TYPE_CHECKING:
    from caretgym.ide_sim.ide import IDE

BINARY_EXTENSIONS = frozenset(
    ["zip", "tar", "gz", "exe", "dll", "so", "dylib", "bin", "mp4", "webm", "mov", "avi", "mkv", "wmv", "flv", "m4v"]
)
IMAGE_EXTENSIONS = frozenset(("jpeg", "jpg", "png", "gif", "webp"))
_CRLF_SHARE = 0.05
_MAX_BYTES = 64 << 20


class ReadArgs(msgspec.Struct, frozen=True):
    """``offset``: first line from 1, negative from the end; ``limit``: number of lines."""

    path: str
    offset: int | None = None
    limit: int | None = None


class TextRead(Data, frozen=True):
    """Lines ``first`` to ``last`` (from 1) of a file of ``total`` lines, without their ends."""

    path: str
    lines: tuple[str, ...]
    first: int
    last: int
    total: int
    file_size: int


class EmptyFile(Data, frozen=True):
    """The file has no characters (RD-3)."""

    path: str


class NotebookRead(Data, frozen=True):
    """A notebook's cells as text (RD-6)."""

    path: str
    text: str


class ImageRead(Data, frozen=True):
    """A picture; its bytes do not travel in a text observation (RD-6)."""

    path: str
    file_size: int


class TooManyCharacters(Failure, frozen=True):
    """The selected text is too long (RD-4)."""

    path: str
    characters: int
    limit: int


class BadOffset(Failure, frozen=True):
    """A message about ``offset`` or ``limit`` (RD-5)."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    message: str


class PastEnd(Failure, frozen=True):
    """The offset lies behind the last line (RD-5)."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    offset: int
    total: int


class BinaryFile(Failure, frozen=True):
    """Not a text file (RD-5)."""

    path: str
    extension: str


class Read(Tool[ReadArgs]):
    """Reads an open document as it is in the editor, else the file. Limit ``characters``: the longest text (RD-4)."""

    name = "Read"
    readonly = True
    Args = ReadArgs

    async def run(self, ide: IDE, args: ReadArgs, call: CallContext) -> ToolOutcome:
        """Read the file or the slice."""
        if args.limit is not None and args.limit < 1:
            return failed(BadOffset("Limit must be >= 1."))
        workspace, path = ide.read_roots(args.path)
        extension = posixpath.splitext(path)[1][1:].lower()
        status = workspace.stat(path)
        if status.kind == "file" and extension in IMAGE_EXTENSIONS:
            return success(ImageRead(args.path, status.size))
        if extension in BINARY_EXTENSIONS:
            return failed(BinaryFile(args.path, extension))
        try:
            document = workspace.read_document(path, limit=_MAX_BYTES)
        except BinaryFileError:
            return failed(BinaryFile(args.path, extension or "binary"))
        if workspace is ide.workspace:
            ide.editor.viewed(workspace.relative(path))
        if not document.text:
            return success(EmptyFile(args.path))
        if extension == "ipynb" and args.offset is None and args.limit is None:
            outcome = _notebook(args.path, document.text, call.limits.get("cell_output", 2000))
            if outcome is not None:
                return outcome
        return _slice(args, document, status.size, call.limits.get("characters", 100_000))


def _slice(args: ReadArgs, document: Document, size: int, limit: int) -> ToolOutcome:
    lines = document.lines
    total = len(lines)
    offset = 1 if args.offset in (None, 0) else int(args.offset or 1)
    first = offset if offset > 0 else max(1, total + offset + 1)
    if first > total:
        return failed(PastEnd(offset, total))
    last = total if args.limit is None else min(total, first + args.limit - 1)
    chosen = lines[first - 1 : last]
    shown = tuple(_shown_lines(chosen, document))
    characters = sum(map(len, shown)) + len(shown)
    if characters > limit:
        return failed(TooManyCharacters(args.path, characters, limit))
    return success(TextRead(args.path, shown, first, last, total, size))


def _shown_lines(lines: list[str], document: Document) -> list[str]:
    r"""Lines without their ends. In a file with few CRLF the odd ``\r`` is shown, else it is the file's way (RD-7)."""
    pairs = document.text.count("\r\n")
    ends = document.text.count("\n") + document.text.count("\r") - pairs
    hide = pairs >= _CRLF_SHARE * max(ends, 1)
    out = []
    for line in lines:
        if line.endswith("\r\n"):
            out.append(line[:-2] if hide else line[:-1])
        else:
            out.append(line.removesuffix("\n").removesuffix("\r"))
    return out


def _notebook(path: str, text: str, output_limit: int) -> ToolOutcome | None:
    try:
        notebook = Notebook(text)
    except NotebookError:
        return None  # shown as the text it is
    parts = []
    for index, cell in enumerate(notebook.cells):
        kind = cell.get("cell_type", "code")
        language = notebook.language or "python" if kind == "code" else kind
        parts.append(f"<cell {index} type={kind} language={language}>\n{notebook.source(index)}\n</cell {index}>")
        output = _outputs(cell)
        if output:
            cut = output if len(output) <= output_limit else f"{output[:output_limit]}... ({len(output)} characters)"
            parts.append(f"<output {index}>\n{cut}\n</output {index}>")
    return success(NotebookRead(path, "\n".join(parts) or "The notebook has no cells."))


def _outputs(cell: dict[str, object]) -> str:
    out = []
    outputs = cell.get("outputs")
    for item in outputs if isinstance(outputs, list) else ():
        if not isinstance(item, dict):
            continue
        data = item.get("data")
        if "text" in item:
            out.append(joined(item["text"]))
        elif isinstance(data, dict) and "text/plain" in data:
            out.append(joined(data["text/plain"]))
        elif "evalue" in item:
            out.append(f"{item.get('ename', 'Error')}: {item['evalue']}")
    return "\n".join(out)

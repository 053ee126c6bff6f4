"""Workspace edits that a server proposes (LSP 3.17, ``WorkspaceEdit``): read, checked, and applied all or none."""

import contextlib
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from caretgym.ide_sim.document import Document, Encoding, TextChange
from caretgym.ide_sim.document.lines import EditError, LineIndex, Position, Range
from caretgym.ide_sim.lsp.client import path_of, text_hash
from caretgym.ide_sim.lsp.dialect import Dialect, position_from_json
from caretgym.ide_sim.sandbox.base import WORKSPACE
from caretgym.ide_sim.workspace import Workspace, WorkspaceError
from caretgym.ide_sim.workspace.types import Origin

_LONE_CR = re.compile(r"\r(?!\n)")
TextOf = Callable[[str], str | None]
"""The text of a file of the workspace by its relative path; None: there is none."""


class InvalidEdit(ValueError):
    """A server proposed an edit that can't be applied as it stands; nothing was changed."""


class StaleEdit(InvalidEdit):
    """The files are not those that the edit was made for any more; nothing was changed."""


class Splice(msgspec.Struct, frozen=True, order=True):
    """``text`` in place of the characters ``start`` to ``end`` (code points) of the file's text."""

    start: int
    end: int
    text: str


class FileStep(msgspec.Struct, frozen=True):
    """One step: an edit of a file, or a file that comes, goes or moves.

    Attributes:
        kind: What is done.
        path: Relative to the workspace; ``to``: the new path of a ``rename``.
        splices: Of an ``edit``; they do not overlap, and all count in the text before it.
        content_hash: SHA-256 of that text as UTF-8.
        overwrite: Of ``create`` and ``rename``: whatever is there goes.
        ignore: ``create`` and ``rename``: do nothing if something is there; ``delete``: do nothing if nothing is.

    """

    kind: Literal["edit", "create", "rename", "delete"]
    path: str
    to: str = ""
    splices: tuple[Splice, ...] = ()
    content_hash: str = ""
    overwrite: bool = False
    ignore: bool = False


class ProposedEdit(msgspec.Struct, frozen=True):
    """Steps in order."""

    steps: tuple[FileStep, ...] = ()

    @property
    def paths(self) -> list[str]:
        """Files that it touches, sorted."""
        return sorted({p for step in self.steps for p in (step.path, step.to) if p})


def relative_path(uri: str) -> str | None:
    """The path in the workspace that a URI names; None: it is elsewhere."""
    path = path_of(uri)
    if not path.startswith(WORKSPACE + "/") or "/../" in path + "/" or "\0" in path:
        return None
    return path[len(WORKSPACE) + 1 :]


def read_workspace_edit(value: Any, dialect: Dialect, text_of: TextOf) -> ProposedEdit:
    """Read a ``WorkspaceEdit``.

    Raises:
        InvalidEdit: it reaches out of the workspace, its ranges are reversed, overlap, or are not in the text, or it
            wants what this client did not announce.

    """
    if not isinstance(value, dict):
        raise InvalidEdit(f"not a workspace edit: {str(value)[:100]}")
    changes = value.get("documentChanges")
    if changes is None:
        changes = [
            {"textDocument": {"uri": uri}, "edits": edits}
            for uri, edits in sorted((value.get("changes") or {}).items())
        ]
    steps: list[FileStep] = []
    texts: dict[str, str | None] = {}
    for change in changes:
        step = _step(change, dialect, lambda path: texts[path] if path in texts else text_of(path))
        if step is None:
            continue
        steps.append(step)
        if step.kind == "edit":
            texts[step.path] = spliced(texts.get(step.path, text_of(step.path)) or "", step.splices)
        elif step.kind == "rename":
            texts[step.to] = texts.get(step.path, text_of(step.path))
            texts[step.path] = None
        else:
            texts[step.path] = "" if step.kind == "create" else None
    return ProposedEdit(tuple(steps))


def _path(uri: Any) -> str:
    path = relative_path(str(uri))
    if path is None:
        raise InvalidEdit(f"it wants to change {uri}, which is outside of the workspace")
    return path


def _step(change: Any, dialect: Dialect, text_of: TextOf) -> FileStep | None:
    if not isinstance(change, dict):
        raise InvalidEdit(f"not a change: {str(change)[:100]}")
    kind = change.get("kind")
    options = change.get("options") or {}
    if kind in ("create", "delete"):
        return FileStep(
            kind, _path(change.get("uri")), overwrite=bool(options.get("overwrite")),
            ignore=bool(options.get("ignoreIfExists") or options.get("ignoreIfNotExists")),
        )  # fmt: skip
    if kind == "rename":
        return FileStep(
            "rename", _path(change.get("oldUri")), _path(change.get("newUri")),
            overwrite=bool(options.get("overwrite")), ignore=bool(options.get("ignoreIfExists")),
        )  # fmt: skip
    if kind is not None:
        raise InvalidEdit(f"it wants {kind!r}, which this client does not do")
    path = _path((change.get("textDocument") or {}).get("uri"))
    text = text_of(path)
    if text is None:
        raise InvalidEdit(f"it wants to change {path}, which is not a text file of the workspace")
    splices = read_edits(change.get("edits"), text, dialect, path)
    if not splices:
        return None
    return FileStep("edit", path, splices=splices, content_hash=text_hash(text))


def read_edits(edits: Any, text: str, dialect: Dialect, path: str) -> tuple[Splice, ...]:
    """Read ``TextEdit[]`` of one text. InvalidEdit: as :func:`read_workspace_edit`."""
    if dialect.newline_only and _LONE_CR.search(text):
        raise InvalidEdit(
            f"{path}: it has bare carriage returns, and this server does not count lines as the protocol does"
        )
    index = LineIndex(text)
    found = []
    for edit in edits if isinstance(edits, list) else []:
        place = edit.get("range") if isinstance(edit, dict) else None
        new = edit.get("newText") if isinstance(edit, dict) else None
        start = position_from_json(place.get("start")) if isinstance(place, dict) else None
        end = position_from_json(place.get("end")) if isinstance(place, dict) else None
        if start is None or end is None or not isinstance(new, str):
            raise InvalidEdit(f"{path}: not a text edit: {str(edit)[:100]}")
        try:
            # a position beyond a line's end means its end (LSP, "Position"), and one line too far the text's end
            ends = index.offset(start, dialect.unit, clamp=True), index.offset(end, dialect.unit, clamp=True)
        except EditError as error:
            raise InvalidEdit(f"{path}: {error}") from error
        if ends[0] > ends[1]:
            raise InvalidEdit(f"{path}: a range ends at {tuple(end)}, before its start {tuple(start)}")
        found.append(Splice(*ends, new))
    found.sort(key=lambda s: (s.start, s.end))  # stable: insertions at one place keep their order (LSP, "TextEdit[]")
    for before, after in itertools.pairwise(found):
        if before.end > after.start:
            raise InvalidEdit(f"{path}: two of its edits overlap")
    return tuple(found)


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """The text after the splices."""
    for splice in reversed(splices):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text


def changes_of(text: str, splices: Sequence[Splice]) -> list[TextChange]:
    """The same as changes of a document, each to be applied to the result of the one before."""
    index = LineIndex(text)

    def position(offset: int) -> Position:
        return index.position(offset, "utf-16")

    return [TextChange(Range(position(s.start), position(s.end)), s.text) for s in reversed(splices)]


def apply_edit(workspace: Workspace, edit: ProposedEdit, *, origin: Origin = "user") -> list[str]:
    """Apply all steps; returns the paths that changed.

    Open documents take the change as one undoable step and are saved; the others are written.

    Raises:
        StaleEdit: a file is not the one that the edit was made for.
        InvalidEdit: a file that should come is there already, or one that should go is not.
        WorkspaceError: the tree refuses; what had been done is taken back.

    """
    before = {path: _bytes(workspace, path) for path in edit.paths}
    plan, documents = _plan(workspace, edit)
    done: list[str] = []
    try:
        for path, data in plan.items():
            if data == before[path]:
                continue
            done.append(path)
            if data is None:
                workspace.delete(path, origin=origin)
            elif path in workspace.documents and path in documents:
                document = workspace.documents[path]
                document.apply(changes_of(document.text, documents[path]))
                workspace.save(path, origin=origin)
            else:
                workspace.write_bytes(path, data, origin=origin)
                workspace.reload(path)
    except WorkspaceError:
        for path in reversed(done):
            with contextlib.suppress(WorkspaceError):  # the first error is the one to tell
                old = before[path]
                if old is not None:
                    workspace.write_bytes(path, old, origin=origin)
                    if path not in workspace.documents or not workspace.documents[path].undo():
                        workspace.reload(path)
                elif workspace.exists(path):
                    workspace.delete(path, origin=origin)
        raise
    return done


def _bytes(workspace: Workspace, path: str) -> bytes | None:
    return workspace.read_bytes(path) if workspace.exists(path) else None


def _plan(workspace: Workspace, edit: ProposedEdit) -> tuple[dict[str, bytes | None], dict[str, tuple[Splice, ...]]]:
    """What each file is to hold in the end, and the splices of files that are only edited."""
    now: dict[str, Document | None] = {}
    splices: dict[str, tuple[Splice, ...]] = {}

    def current(path: str) -> Document | None:
        if path not in now:
            now[path] = None
            if workspace.exists(path):
                found = workspace.read_document(path)
                now[path] = Document.from_text(found.text, found.encoding)
        return now[path]

    for step in edit.steps:
        document = current(step.path)
        if step.kind == "edit":
            if document is None or text_hash(document.text) != step.content_hash:
                raise StaleEdit(f"{step.path} has changed since the edit was proposed; ask again")
            splices[step.path] = step.splices if step.path not in splices else ()
            now[step.path] = Document.from_text(spliced(document.text, step.splices), document.encoding)
        elif step.kind == "create":
            if document is not None and step.ignore and not step.overwrite:
                continue
            if document is not None and not step.overwrite:
                raise InvalidEdit(f"it wants to create {step.path}, which is there already")
            now[step.path] = Document.from_text("", Encoding.UTF8)
        elif step.kind == "delete":
            if document is None and not step.ignore:
                raise InvalidEdit(f"it wants to delete {step.path}, which is not there")
            now[step.path] = None
        else:
            target = current(step.to)
            if document is None:
                raise InvalidEdit(f"it wants to rename {step.path}, which is not there")
            if target is not None and step.ignore and not step.overwrite:
                continue
            if target is not None and not step.overwrite:
                raise InvalidEdit(f"it wants to rename {step.path} to {step.to}, which is there already")
            now[step.to], now[step.path] = document, None
    plan = {path: None if document is None else document.to_bytes() for path, document in now.items()}
    return plan, {path: found for path, found in splices.items() if found}

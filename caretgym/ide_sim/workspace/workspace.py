"""``Workspace``: one confined tree, its open documents, and who wants to know of changes."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from caretgym.ide_sim.document import Document
from caretgym.ide_sim.workspace import files
from caretgym.ide_sim.workspace.errors import (
    InvalidPath,
    NotRegular,
    OutsideWorkspace,
    PermissionDenied,
    TooLarge,
    WorkspaceError,
    translate,
)
from caretgym.ide_sim.workspace.ignore import IgnoreRules
from caretgym.ide_sim.workspace.names import invalid_reason
from caretgym.ide_sim.workspace.tree import Tree
from caretgym.ide_sim.workspace.types import DirEntry, FileChange, FileStat, Origin, WalkEntry

READ_LIMIT = 64 << 20
"""Bytes of one file that are read at most where the caller names no limit."""
_IGNORE_FILES = (".gitignore", ".cursorignore")

Listener = Callable[[FileChange], None]


class Workspace:
    """A tree below a directory handle.

    Args:
        handle: A directory: a path, or a descriptor, which is duplicated.
        root: Where the agent sees the tree.
        read_only: Refuse all changes.

    """

    def __init__(
        self, handle: int | str | os.PathLike[str], *, root: str = "/workspace", read_only: bool = False
    ) -> None:
        self.root = root
        self.read_only = read_only
        self._tree = Tree(handle, root)
        self.ignore = IgnoreRules(self._ignore_text, root)
        self._listeners: list[Listener] = []
        self._documents: dict[str, Document] = {}
        self._saved: dict[str, int] = {}
        self.documents: Mapping[str, Document] = MappingProxyType(self._documents)

    def close(self) -> None:
        """Let the directory go."""
        self._tree.close()

    # -- names --------------------------------------------------------------------------------------------------------
    def relative(self, path: str) -> str:
        """A path as the agent names it, relative to the root. Text only: links are not looked at.

        Raises:
            InvalidPath: no file can have this path.
            OutsideWorkspace: it is not below the root.

        """
        reason = invalid_reason(path)
        if reason is not None:
            raise InvalidPath(path, reason)
        found = self._tree.relative(path)
        if found is None:
            raise OutsideWorkspace(path)
        return found

    def display(self, path: str) -> str:
        """The absolute path that the agent sees."""
        relative = self.relative(path)
        return f"{self.root.rstrip('/')}/{relative}" if relative else self.root

    @contextmanager
    def _named(self, path: str) -> Iterator[str]:
        relative = self.relative(path)
        try:
            yield relative
        except files.NotRegularFile as error:
            raise NotRegular(path) from error
        except files.FileTooLarge as error:
            raise TooLarge(path, error.size, READ_LIMIT) from error
        except OSError as error:
            raise translate(error, path) from error

    # -- files --------------------------------------------------------------------------------------------------------
    def stat(self, path: str) -> FileStat:
        """Status of what a path leads to."""
        with self._named(path) as name:
            return FileStat.of(self._tree.stat(name))

    def lstat(self, path: str) -> FileStat:
        """Status of the name itself."""
        with self._named(path) as name:
            return FileStat.of(self._tree.stat(name, follow=False))

    def exists(self, path: str) -> bool:
        """Whether there is anything."""
        try:
            self.lstat(path)
        except WorkspaceError:
            return False
        return True

    def read_bytes(self, path: str, *, limit: int | None = None) -> bytes:
        """The contents of a regular file. TooLarge: more than ``limit`` bytes (default 64 MiB)."""
        bound = READ_LIMIT if limit is None else limit
        with self._named(path) as name:
            try:
                return files.read(self._tree, name, bound)
            except files.FileTooLarge as error:
                raise TooLarge(path, error.size, bound) from error

    def write_bytes(self, path: str, data: bytes, *, origin: Origin = "tool") -> FileChange:
        """Create or replace a file, parents included, and publish the change."""
        self._refuse_read_only(path)
        with self._named(path) as name:
            before = self._content_before(name)
            files.write(self._tree, name, data)
        change = FileChange(name, "created" if before is None else "changed", origin, before, data)
        self.publish(change)
        return change

    def _content_before(self, name: str) -> bytes | None:
        try:
            return files.read(self._tree, name, READ_LIMIT)
        except FileNotFoundError:
            return None

    def delete(self, path: str, *, origin: Origin = "tool") -> bytes:
        """Remove a regular file or a link, close its document, publish; returns what it held."""
        self._refuse_read_only(path)
        with self._named(path) as name:
            before, link = files.delete(self._tree, name, READ_LIMIT)
        self._forget(name)
        self.publish(FileChange(name, "deleted", origin, None if link else before, None))
        return before

    def symlink(self, path: str, target: str) -> None:
        """Create a symbolic link, parents included; publishes nothing."""
        self._refuse_read_only(path)
        with self._named(path) as name:
            files.link(self._tree, name, target)

    def remove_empty(self, path: str) -> bool:
        """Remove a directory if it is there and empty; publishes nothing."""
        self._refuse_read_only(path)
        with self._named(path) as name:
            return files.remove_empty(self._tree, name)

    def _refuse_read_only(self, path: str) -> None:
        if self.read_only:
            raise PermissionDenied(path, read_only=True)

    def scandir(self, path: str = "") -> list[DirEntry]:
        """Entries of a directory by name."""
        with self._named(path) as name:
            return files.scan(self._tree, name)

    def open_fd(self, path: str, flags: int) -> int:
        """A descriptor, opened beneath the root; the caller closes it."""
        with self._named(path) as name:
            return self._tree.open(name, flags)

    def walk(self, path: str = "", *, hidden: bool = False, ignored: bool = False) -> Iterator[WalkEntry]:
        """Everything below a directory, depth first and by name, without following links.

        Args:
            hidden: Include names that begin with a dot.
            ignored: Include what the ignore rules exclude.

        """
        base = self.relative(path)
        for entry in self.scandir(path):
            if entry.name.startswith(".") and not hidden:
                continue
            inside = f"{base}/{entry.name}" if base else entry.name
            is_dir = entry.kind == "directory"
            if not ignored and self.ignore.match(inside, is_dir) is not None:
                continue
            yield WalkEntry(inside, entry.kind, entry.size, entry.mtime_ns)
            if is_dir:
                try:
                    yield from self.walk(f"{self.root.rstrip('/')}/{inside}", hidden=hidden, ignored=ignored)
                except WorkspaceError:
                    continue  # gone meanwhile, or closed to us: the entry itself was reported

    def _ignore_text(self, path: str) -> str | None:
        try:
            return self.read_bytes(path, limit=1 << 20).decode("utf-8", "replace")
        except WorkspaceError:
            return None

    # -- documents ----------------------------------------------------------------------------------------------------
    def open_document(self, path: str) -> Document:
        """Open a file in the editor (or return the document that is open)."""
        name = self.relative(path)
        if name not in self._documents:
            document = Document.from_bytes(self.read_bytes(path))
            self._documents[name] = document
            self._saved[name] = document.version
        return self._documents[name]

    def read_document(self, path: str, *, limit: int | None = None) -> Document:
        """The open document of a path, else what is on disk. BinaryFileError: not text."""
        name = self.relative(path)
        if name in self._documents:
            return self._documents[name]
        return Document.from_bytes(self.read_bytes(path, limit=limit))

    def write_document(self, path: str, document: Document, *, origin: Origin = "tool") -> FileChange:
        """Save a document and publish the change."""
        change = self.write_bytes(path, document.to_bytes(), origin=origin)
        name = self.relative(path)
        if self._documents.get(name) is document:
            self._saved[name] = document.version
        elif name in self._documents:
            self.reload(path)
        return change

    def is_dirty(self, path: str) -> bool:
        """Whether an open document has changes that are not on disk."""
        name = self.relative(path)
        document = self._documents.get(name)
        return document is not None and document.version != self._saved[name]

    def save(self, path: str, *, origin: Origin = "tool") -> None:
        """Write an open document to disk."""
        self.write_document(path, self._documents[self.relative(path)], origin=origin)

    def reload(self, path: str) -> None:
        """Take an open document's text from disk again; what is no text any more is closed."""
        name = self.relative(path)
        document = self._documents.get(name)
        if document is None:
            return
        try:
            fresh = Document.from_bytes(self.read_bytes(path))
        except (WorkspaceError, ValueError):
            self._forget(name)
            return
        document.encoding = fresh.encoding
        if fresh.text != document.text:
            document.set_text(fresh.text)
        self._saved[name] = document.version

    def close_document(self, path: str) -> None:
        """Close an open document; unsaved changes are lost."""
        self._forget(self.relative(path))

    def _forget(self, name: str) -> None:
        self._documents.pop(name, None)
        self._saved.pop(name, None)

    # -- changes ------------------------------------------------------------------------------------------------------
    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with every change; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, change: FileChange) -> None:
        """Tell all listeners, in the order in which they subscribed."""
        if change.path.rpartition("/")[2] in _IGNORE_FILES:
            self.ignore.reload()
        for listener in list(self._listeners):
            listener(change)

"""The simulated IDE of one session: workspace, terminals, editor state and to-do list in one sandbox."""

import os
from collections.abc import Callable
from pathlib import Path

from caretgym.ide_sim.changes import ChangeScanner
from caretgym.ide_sim.clock import Clock
from caretgym.ide_sim.editor import EditorState
from caretgym.ide_sim.lsp.features import LanguageFeatures
from caretgym.ide_sim.lsp.service import Language, LanguageConfig, LanguageService
from caretgym.ide_sim.sandbox.base import HOME, WORKSPACE, Sandbox
from caretgym.ide_sim.terminal.shell import TerminalObserver
from caretgym.ide_sim.terminal.terminals import Terminals
from caretgym.ide_sim.todos import TodoList
from caretgym.ide_sim.workspace import FileChange, OutsideWorkspace, Workspace

READABLE = ("/usr", "/opt", "/etc", "/tmp", HOME)  # noqa: S108 - the sandbox's own
"""Where an agent may read outside of the workspace, beside writing to ``/tmp`` by the shell."""


LanguageFactory = Callable[[Workspace], Language]


def no_servers(workspace: Workspace) -> Language:
    """For an IDE without language servers: it answers that there is none."""
    return LanguageService(workspace, Path("/nonexistent"), "", LanguageConfig(servers=[]))


class IDE:
    """Everything that an agent's tools act on.

    Args:
        sandbox: Running; the IDE borrows its handles and does not close it.
        base: The tree below the workspace's changes.
        host_folder: A folder of this host for terminal files (see :class:`Terminals`).
        seed: Of whatever is random (shell ids).
        observer: Is told of terminals.
        clock: Default: a new virtual clock.
        language: Makes the language features for the workspace; default: none.

    """

    def __init__(
        self,
        sandbox: Sandbox,
        base: Path,
        host_folder: Path,
        *,
        seed: int = 0,
        observer: TerminalObserver | None = None,
        clock: Clock | None = None,
        language: LanguageFactory = no_servers,
    ) -> None:
        self.sandbox = sandbox
        self.clock = clock or Clock()
        self.workspace = Workspace(sandbox.workspace_fd, root=WORKSPACE)
        self.outside = Workspace(sandbox.root_fd, root="/", read_only=True)
        self.editor = EditorState()
        self.todos = TodoList()
        self.terminals = Terminals(sandbox, self.clock, host_folder, seed=seed, observer=observer)
        self._scanner = ChangeScanner(sandbox.upper_fd, base, self.workspace)
        self.workspace.subscribe(self._changed)
        self.language = language(self.workspace)
        self.language.before_asking(self.sync)
        self.features = LanguageFeatures(self.language)

    def read_roots(self, path: str) -> tuple[Workspace, str]:
        """Where a path that an agent names is to be read, and its name there.

        Raises:
            OutsideWorkspace: an agent may not read there.

        """
        if not path.startswith("/"):
            return self.workspace, path
        normal = os.path.normpath(path)
        if normal == WORKSPACE or normal.startswith(WORKSPACE + "/"):
            return self.workspace, path
        if any(normal == root or normal.startswith(root + "/") for root in READABLE):
            return self.outside, normal
        raise OutsideWorkspace(path)

    def sync(self) -> list[FileChange]:
        """Publish what shells have changed since the last call."""
        changes = self._scanner.scan()
        for change in changes:
            self.workspace.publish(change)
        return changes

    def _changed(self, change: FileChange) -> None:
        if change.origin != "shell":
            self._scanner.note(change)
        elif change.path in self.workspace.documents and not self.workspace.is_dirty(change.path):
            if change.kind == "deleted":
                self.workspace.close_document(change.path)
            else:
                self.workspace.reload(change.path)
        if change.kind == "deleted":
            self.editor.removed(change.path)

    async def close(self) -> None:
        """Let go of language servers, terminals and handles."""
        await self.language.close()
        await self.terminals.close()
        self.workspace.close()
        self.outside.close()

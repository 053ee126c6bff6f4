"""A directory tree that nothing leaves; see the README beside this file."""

from caretgym.ide_sim.workspace.errors import (
    InvalidPath,
    IsDirectory,
    NoSpace,
    NotDirectory,
    NotFound,
    NotRegular,
    OutsideWorkspace,
    PermissionDenied,
    TooLarge,
    WorkspaceError,
)
from caretgym.ide_sim.workspace.ignore import DEFAULT_PATTERNS, IgnoreMatch, IgnoreRules
from caretgym.ide_sim.workspace.names import visible
from caretgym.ide_sim.workspace.types import DirEntry, FileChange, FileStat, WalkEntry
from caretgym.ide_sim.workspace.workspace import Workspace

__all__ = [
    "DEFAULT_PATTERNS", "DirEntry", "FileChange", "FileStat", "IgnoreMatch", "IgnoreRules", "InvalidPath", "IsDirectory",
    "NoSpace", "NotDirectory", "NotFound", "NotRegular", "OutsideWorkspace", "PermissionDenied", "TooLarge", "WalkEntry",
    "Workspace", "WorkspaceError",
    "visible",
]  # fmt: skip

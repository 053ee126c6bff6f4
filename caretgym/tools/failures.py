"""Failures that more than one tool reports, and how workspace errors become failures (DL-1, ED-8, RD-5)."""

from __future__ import annotations

from typing import ClassVar

from caretgym.ide_sim.workspace import errors
from caretgym.tools.base import ErrorClass, Failure, ToolOutcome, failed


class FileNotFound(Failure, frozen=True):
    """Nothing is at that path (wire: file_not_found)."""

    path: str


class NotAFile(Failure, frozen=True):
    """Something is there that isn't a regular file (wire: not_file). ``actual_type``: directory, symlink or other."""

    path: str
    actual_type: str


class InvalidPath(Failure, frozen=True):
    """The text can't name a file: NUL, too long, not encodable."""

    path: str
    reason: str


class OutsideWorkspace(Failure, frozen=True):
    """The path, or a link on the way, leads where the tool may not go."""

    path: str


class PermissionDenied(Failure, frozen=True):
    """The operating system or a read-only root refuses (wire: permission_denied)."""

    path: str
    is_readonly: bool


class NoSpace(Failure, frozen=True):
    """The disk or the quota is full; the file is as it was."""

    error_class: ClassVar[ErrorClass] = "UnexpectedEnvironment"
    path: str


class FileTooLarge(Failure, frozen=True):
    """More bytes than the tool takes in."""

    path: str


class FileOperationFailed(Failure, frozen=True):
    """Anything else that the file system answered; ``reason`` says what."""

    error_class: ClassVar[ErrorClass] = "UnexpectedEnvironment"
    path: str
    reason: str


class Blocked(Failure, frozen=True):
    """An ignore rule forbids it (ED-5, IG-4). ``source`` is a directory path or ``globalIgnore``."""

    path: str
    source: str


class InvalidArguments(Failure, frozen=True):
    """The arguments don't fit the schema (ER-1). ``problems`` are ``path: message`` lines."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    problems: tuple[str, ...]


class InvalidJson(Failure, frozen=True):
    """The argument text is no JSON object (ER-1)."""

    error_class: ClassVar[ErrorClass] = "InvalidArguments"
    reason: str


class UnknownTool(Failure, frozen=True):
    """No tool of that name is offered; ``available`` are the names that are."""

    error_class: ClassVar[ErrorClass] = "UnknownTool"
    name: str
    available: tuple[str, ...]


def from_workspace_error(error: errors.WorkspaceError) -> ToolOutcome:
    """Return the failure that a workspace error stands for."""
    path = error.path
    match error:
        case errors.NotFound():
            return failed(FileNotFound(path))
        case errors.IsDirectory():
            return failed(NotAFile(path, "directory"))
        case errors.NotRegular():
            return failed(NotAFile(path, "other"))
        case errors.InvalidPath():
            return failed(InvalidPath(path, error.detail))
        case errors.OutsideWorkspace():
            return failed(OutsideWorkspace(path))
        case errors.PermissionDenied():
            return failed(PermissionDenied(path, error.read_only))
        case errors.NoSpace():
            return failed(NoSpace(path))
        case errors.TooLarge():
            return failed(FileTooLarge(path))
        case _:
            return failed(FileOperationFailed(path, error.detail))

"""Texts for failures that any tool can return; the two profiles differ in the prefix (ER-3)."""

from caretgym.tools import failures as f
from caretgym.tools.profile import Text, Texts

# ED-5: the word at the end is the ignore source. Reports of 2025 spell the user's global list in lower case.
GLOBAL_SOURCE = "globalignore"


def blocked_source(source: str) -> str:
    """Return the ignore source as the texts spell it: a directory path, or the global list."""
    return GLOBAL_SOURCE if source.lower() == "globalignore" else source


def _problems(data: f.InvalidArguments) -> str:
    return "\n".join(data.problems)


def common_texts(prefix: str) -> Texts:
    """Build the table for a profile whose error texts begin with ``prefix``."""
    return {
        f.FileNotFound: Text(prefix + "File not found", "RD-5", "B"),
        f.NotAFile: Text(prefix + "Not a file ({actual_type}): {path}", "DL-1", "own"),
        f.InvalidPath: Text(prefix + "Invalid path: {reason}", "DL-1", "own"),
        f.OutsideWorkspace: Text(prefix + "Path is outside the workspace: {path}", "IG-3", "own"),
        f.PermissionDenied: Text(
            lambda d: prefix + "Permission denied" + (f": {d.path} is read-only" if d.is_readonly else ""), "RD-5", "B"
        ),
        f.NoSpace: Text(prefix + "No space left on device; {path} was not changed", "ED-8", "own"),
        f.FileTooLarge: Text(prefix + "File is too large for this tool: {path}", "RD-4", "own"),
        f.FileOperationFailed: Text(prefix + "{path}: {reason}", "ER-4", "own"),
        f.Blocked: Text(lambda d: f"{prefix}Editing this file is blocked by {blocked_source(d.source)}", "ED-5", "B"),
        f.InvalidArguments: Text(lambda d: f"{prefix}Invalid arguments:\n{_problems(d)}", "ER-1", "B"),
        f.InvalidJson: Text(
            prefix
            + "Tool call arguments were not valid JSON ({reason}). Re-issue the call with one valid JSON object.",
            "ER-1",
            "B",
        ),
        f.UnknownTool: Text(
            lambda d: f"{prefix}There is no tool named {d.name!r}. Available tools: {', '.join(d.available)}",
            "ER-4",
            "own",
        ),
    }

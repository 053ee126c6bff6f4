"""Texts of the search and shell tools."""

from caretgym.tools import await_shell, glob, grep, ls, shell
from caretgym.tools.profile import Text, Texts

_TOP_EXTENSIONS = 3
NEW_SHELL = "The next command gets a new shell, which starts at the project root."


def fenced(text: str) -> str:
    """The text in a fence that it can't close (SH-5)."""
    fence = "````" if "```" in text else "```"
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"


def _size(data: shell.Finished) -> str:
    return f"{data.output_bytes} bytes" if data.output_bytes < 1024 else f"{data.output_bytes / 1024:.1f} KB"


def finished_2026(data: shell.Finished) -> str:
    """SH-5, SH-6."""
    note = f"\n\n{data.note}" if data.note else ""
    if data.output_file:
        return (
            f"Exit code: {data.exit_code}\n\nCommand output has been written to: {data.output_file} "
            f"({_size(data)}, {data.output_lines} lines){note}"
        )
    cut = " (truncated to 20000 characters)" if data.truncated else ""
    return (
        f"Exit code: {data.exit_code}\n\nCommand output{cut}:\n\n{fenced(data.output)}\n\n"
        f"Command completed in {data.duration_ms} ms.{note}\n\n"
        f"Shell state (cwd, env vars) persists for subsequent calls. Current directory: {data.cwd}"
    )


def finished_2_0(data: shell.Finished) -> str:
    """SH-12."""
    note = f"\n{data.note}" if data.note else ""
    code = "" if data.exit_code == 0 else f"\nExit code: {data.exit_code}"
    return (
        f"{data.output.removesuffix(chr(10))}\n\nCommand completed.{code}{note}\n\nThe shell is kept and used again by the "
        f"next call.\nOn the next terminal tool call, the directory of the shell will already be {data.cwd}."
    ).lstrip("\n")


def backgrounded(data: shell.Backgrounded) -> str:
    """SH-7, SH-8."""
    if data.at_once:
        return (
            f"Background command started successfully.\nShell ID: {data.shell_id}\nPID: {data.pid}\n"
            f"Command: {data.command}\n"
            f"Output will be written to {data.output_file}. Don't mention Shell ID to the user."
        )
    collected = (
        f"Output collected before backgrounding:\n{fenced(data.collected)}"
        if data.collected
        else "No output was collected before backgrounding."
    )
    states = ""
    if data.awaiting_input:
        states += "\n\nThe command is reading from the terminal, where no input will come."
    if data.full_screen:
        states += "\n\nThe command shows a full-screen program, which can't be used here."
    return (
        f"The command did not complete in {data.waited_ms}ms and was sent to the background.\n"
        f"Shell ID: {data.shell_id}\nPID: {data.pid}\n"
        f"The output is being written to {data.output_file}. Don't mention Shell ID to the user.\n\n{collected}{states}"
    )


def killed(data: shell.Killed) -> str:
    """SH-9."""
    first = "Command timed out." if data.kind == "timed_out" else data.reason
    extra = f"\n{data.reason}" if data.kind == "timed_out" and data.reason != first else ""
    output = f"\n\nPartial output:\n{fenced(data.output)}" if data.output else ""
    return f"{first}{extra}{output}\n\n{NEW_SHELL}"


def shell_texts(prefix: str, *, old: bool) -> Texts:
    """Texts of Shell."""
    return {
        shell.Finished: Text(finished_2_0 if old else finished_2026, "SH-12" if old else "SH-5", "B" if old else "A"),
        shell.Backgrounded: Text(backgrounded, "SH-7", "B"),
        shell.Killed: Text(killed, "SH-9", "B"),
        shell.SpawnFailed: Text("Error: Command failed to spawn: {reason}\n\nCommand: {command}", "SH-9", "B"),
        shell.BadCommand: Text(prefix + "The command can't be run: {reason}", "SH-9", "own"),
    }


AWAIT_TEXTS: Texts = {
    await_shell.TaskCompleted: Text(
        "Task completed in {elapsed_ms}ms with exit code: {exit_code}.\noutput_file_path: {output_file}\n"
        "output_length: {output_length}", "AW-2", "B",
    ),
    await_shell.TaskRunning: Text(
        "Task still running after {elapsed_ms}ms...\noutput_file_path: {output_file}\noutput_length: {output_length}",
        "AW-2", "B",
    ),
    await_shell.Slept: Text("Slept briefly.", "AW-2", "B"),
    await_shell.NoSuchShell: Text("Error awaiting task: No shell found for id {shell_id}", "AW-2", "B"),
    await_shell.NotAShell: Text(
        "Error awaiting task: {shell_id} is not a shell's number. Subagents are not awaited: their end is told to you.",
        "AW-2", "own",
    ),
    await_shell.BadPattern: Text("Error awaiting task: the pattern is not a regular expression: {reason}", "AW-1", "own"),
    await_shell.AwaitNeedsShell: Text("Error awaiting task: a status check (block_until_ms 0) needs a shell_id", "AW-1", "own"),
}  # fmt: skip


def grep_text(data: grep.GrepResult) -> str:
    """GR-2, GR-3."""
    if not data.files:
        return "No matches found"
    at_least = "at least " if data.capped else ""
    if data.mode == "content":
        head = f"Found {at_least}{data.total} matching lines"
        body = "\n\n".join(_file_lines(item) for item in data.files)
    else:
        head = "Found 1 file" if data.total == 1 and not data.capped else f"Found {at_least}{data.total} files"
        body = "\n".join(f"{f.path}:{f.count}" if data.mode == "count" else f.path for f in data.files)
    return f'<workspace_result workspace_path="{data.root}">\n{head}\n{body}\n</workspace_result>'


def _file_lines(item: grep.FileMatches) -> str:
    out = [item.path]
    for index, line in enumerate(item.lines):
        if index in item.breaks:
            out.append("--")
        out.append(f"{line.number}{':' if line.match else '-'}{line.text}")
    return "\n".join(out)


def grep_texts(prefix: str) -> Texts:
    """Texts of Grep."""
    return {
        grep.GrepResult: Text(grep_text, "GR-3", "B"),
        grep.BadRegex: Text(prefix + "{reason}", "GR-1", "own"),
        grep.SearchError: Text(prefix + "The search failed: {reason}", "GR-1", "own"),
    }


def glob_text(data: glob.GlobResult) -> str:
    """GL-1."""
    lines = [f"Result of search in '{data.directory}' (total {data.total} {'file' if data.total == 1 else 'files'}):"]
    lines += [f"- {path}" for path in data.paths]
    if data.total > len(data.paths):
        lines.append(f"... {data.total - len(data.paths)} more files not shown ...")
    return "\n".join(lines)


def glob_texts(prefix: str) -> Texts:
    """Texts of Glob."""
    return {
        glob.GlobResult: Text(glob_text, "GL-1", "A"),
        grep.BadRegex: Text(prefix + "{reason}", "GL-1", "own"),
        grep.SearchError: Text(prefix + "The search failed: {reason}", "GL-1", "own"),
    }


def ls_text(data: ls.Listing) -> str:
    """LS-1."""
    lines = [f"- {data.path.rstrip('/')}/"]
    _node_lines(data.root, 1, lines)
    return "\n".join(lines)


def _node_lines(node: ls.Node, depth: int, lines: list[str]) -> None:
    for child in node.children or ():
        lines.append(f"{'  ' * depth}- {child.name}{'/' if child.is_dir else ''}")
        if child.is_dir and child.children is None:
            top = [f"{count} *{extension}" for extension, count in child.extensions[:_TOP_EXTENSIONS]]
            more = ", ..." if len(child.extensions) > _TOP_EXTENSIONS else ""
            detail = f": {', '.join(top)}{more}" if top else ""
            lines.append(f"{'  ' * (depth + 1)}[{child.files} files in subtree{detail}]")
        _node_lines(child, depth + 1, lines)


LS_TEXTS: Texts = {ls.Listing: Text(ls_text, "LS-1", "B")}

"""What the harness tells the model before and between its turns: the system message and the context blocks (CX-1…4).

The wording of the system message is ours; the names and the order of the blocks are the emulated editor's.
"""

from collections.abc import Iterable

from caretgym.env.prepare import Prepared
from caretgym.env.task import Task
from caretgym.ide_sim.ide import IDE
from caretgym.ide_sim.terminal.results import FinishedJob
from caretgym.ide_sim.workspace import WorkspaceError

OS_VERSION = "linux 6.8.0"
"""The same on every machine, so that transcripts do not depend on it."""
RECENT_SHOWN = 10

SYSTEM = """\
You are a coding agent inside a code editor. You work on the user's repository, which is open in the editor at \
/workspace, by calling tools; each call's result comes back to you before your next turn.

Working rules
- Find out before you change: read the files that matter, search for uses, look at the tests.
- Change as little as the request needs, in the style of the code around it. Leave unrelated code alone.
- Check your work the way the project does it (its tests, its scripts) before you say that you are done.
- Shell commands get no input: pass the flags that make a program go on without asking. There is no network.
- Independent calls may go out in one turn; calls that need each other's results may not.
- When the work is finished, answer the user in a few sentences and call no tool: that ends the session.\
"""


def first_messages(task: Task, prepared: Prepared, ide: IDE) -> list[tuple[str, str]]:
    """The system message and the user's message with its context, as (role, content)."""
    blocks = [user_info(prepared, ide)]
    if prepared.is_git:
        blocks.append(git_status(prepared))
    if task.file.editor.terminals:
        blocks.append(
            "<terminal_files_information>\n"
            f"The user has terminals open; their contents are in {ide.terminals.folder}, one file for each, with a "
            "header of about ten lines.\n</terminal_files_information>"
        )
    files = open_files(ide)
    if files:
        blocks.append(files)
    blocks.append(f"<user_query>\n{task.file.prompt.strip()}\n</user_query>")
    return [("system", SYSTEM), ("user", "\n\n".join(blocks))]


def user_info(prepared: Prepared, ide: IDE) -> str:
    """The block about the machine (CX-1)."""
    root = ide.workspace.root
    repo = f"Yes, at {root}" if prepared.is_git else "No"
    lines = [
        f"OS Version: {OS_VERSION}",
        "Shell: bash",
        f"Workspace Path: {root}",
        f"Is directory a git repo: {repo}",
        f"Today's date: {ide.clock.now().strftime('%A %b %-d, %Y')}",
        f"Terminals folder: {ide.terminals.folder}",
    ]
    return "<user_info>\n" + "\n\n".join(lines) + "\n</user_info>"


def git_status(prepared: Prepared) -> str:
    """The state of the repository when the session began (CX-2)."""
    return (
        "<git_status>\nThis is the git status when the session began; it is not updated later.\n\n"
        f"Git repo: /workspace\n\n{prepared.git_status}\n</git_status>"
    )


def _total_lines(ide: IDE, path: str) -> int | None:
    try:
        return len(ide.workspace.read_document(path).lines)
    except (WorkspaceError, ValueError):
        return None  # gone, or not a text file: it is not listed


def open_files(ide: IDE) -> str:
    """Open and recently viewed files (CX-4); empty when there are none."""
    editor = ide.editor
    opened, recent = [], []
    for path in editor.tabs:
        total = _total_lines(ide, path)
        if total is None:
            continue
        shown = ide.workspace.display(path)
        if path == editor.focused:
            line = editor.cursor_line(path)
            opened.append(f"- {shown} (currently focused file, cursor is on line {line}, total lines: {total})")
        else:
            opened.append(f"- {shown} (total lines: {total})")
    for path in editor.recent[:RECENT_SHOWN]:
        total = _total_lines(ide, path)
        if total is not None:
            recent.append(f"- {ide.workspace.display(path)} (total lines: {total})")
    if not opened and not recent:
        return ""
    parts = []
    if recent:
        parts.append("Recently viewed files, newest first:\n" + "\n".join(recent))
    if opened:
        parts.append("Files that are open in the editor:\n" + "\n".join(opened))
    inner = "\n\n".join(parts)
    return f"<open_and_recently_viewed_files>\n{inner}\n</open_and_recently_viewed_files>"


def finished_jobs(jobs: Iterable[FinishedJob]) -> str:
    """The notification about background jobs that ended (AW-3)."""
    tasks = [
        f"<task>\nkind: shell\nstatus: {job.status}\ntask_id: {job.shell_id}\ntitle: {job.title}\n"
        f"detail: exit_code={job.exit_code}\n</task>"
        for job in jobs
    ]
    return "<system_notification>\nBackground work has ended:\n" + "\n".join(tasks) + "\n</system_notification>"

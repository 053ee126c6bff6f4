"""What can happen in a session: one struct per kind of event. Steps count from 0 (the reset); blobs are SHA-256 in hex."""

from typing import Any

import msgspec

from caretgym.ide_sim.lsp.records import LintReport


class _Event(msgspec.Struct, frozen=True, tag_field="type", kw_only=True):
    """Base of all events."""


class SessionStarted(_Event, frozen=True, tag="session_started", kw_only=True):
    """The first event. ``started_at_ms``: real time, Unix milliseconds."""

    session_id: str
    task_id: str
    profile: str
    seed: int
    versions: dict[str, str] = {}
    base_tree: str = ""
    options: dict[str, Any] = {}
    started_at_ms: int = 0


class MessageAdded(_Event, frozen=True, tag="message_added", kw_only=True):
    """A message that the model was told (system, user)."""

    step: int
    role: str
    content: str


class TurnTaken(_Event, frozen=True, tag="turn_taken", kw_only=True):
    """The policy's turn as plain data: text, tool_calls, reasoning, usage, tokens."""

    step: int
    turn: dict[str, Any]


class ToolStarted(_Event, frozen=True, tag="tool_started", kw_only=True):
    """A call begins. ``name`` as the model wrote it, ``tool`` the canonical name (empty: no such tool)."""

    step: int
    call_id: str
    name: str
    tool: str
    arguments: dict[str, Any] | str


class ToolFinished(_Event, frozen=True, tag="tool_finished", kw_only=True):
    """A call has ended. ``duration_ms``: real milliseconds."""

    step: int
    call_id: str
    name: str
    ok: bool
    text: str
    data: dict[str, Any] = {}
    error_class: str | None = None
    duration_ms: float = 0.0


class FileChanged(_Event, frozen=True, tag="file_changed", kw_only=True):
    """A file changed. ``before``/``after`` are blobs; None: there is none, or it was too large to keep."""

    step: int
    path: str
    kind: str
    origin: str
    before: str | None = None
    after: str | None = None
    before_size: int | None = None
    after_size: int | None = None


class TerminalOpened(_Event, frozen=True, tag="terminal_opened", kw_only=True):
    """A shell was started."""

    shell_id: int
    pid: int
    cwd: str


class TerminalChunk(_Event, frozen=True, tag="terminal_chunk", kw_only=True):
    """Raw bytes of a terminal. ``offset`` counts all bytes before, dropped ones too; ``dropped`` follow these."""

    shell_id: int
    offset: int
    data: bytes
    dropped: int = 0


class LspMessage(_Event, frozen=True, tag="lsp_message", kw_only=True):
    """A message between us and a language server.

    ``direction``: sent, received, or cached (an earlier answer that was used again). ``serial`` counts from 1 in the
    session. Its JSON is ``body``, or the blob ``blob`` where it is long; neither: the session had recorded enough.
    """

    step: int
    server: str
    direction: str
    serial: int
    size: int
    body: bytes | None = None
    blob: str | None = None


class LintsReported(_Event, frozen=True, tag="lints_reported", kw_only=True):
    """What a language server said of a file when somebody asked."""

    step: int
    report: LintReport


class LanguageAnswered(_Event, frozen=True, tag="language_answered", kw_only=True):
    """A definition, a rename, …: the question, and the answer as plain data (``state`` and ``detail`` if there is none)."""

    step: int
    question: dict[str, Any]
    answer: Any = None


class BufferChanged(_Event, frozen=True, tag="buffer_changed", kw_only=True):
    """An open document's text differs from its file; ``text`` is a blob in UTF-8. None: it does so no more."""

    step: int
    path: str
    version: int
    text: str | None = None


class EditorChanged(_Event, frozen=True, tag="editor_changed", kw_only=True):
    """Tabs, focus, cursors, selections, visible lines, recently viewed files, edits."""

    step: int
    state: dict[str, Any]


class TodosChanged(_Event, frozen=True, tag="todos_changed", kw_only=True):
    """The whole to-do list after the change."""

    step: int
    todos: list[dict[str, Any]]


class RewardGiven(_Event, frozen=True, tag="reward_given", kw_only=True):
    """One named term of the reward."""

    step: int
    name: str
    value: float
    weight: float = 1.0


class StepFinished(_Event, frozen=True, tag="step_finished", kw_only=True):
    """What ``reset`` (step 0) or ``step`` returned."""

    step: int
    observation: dict[str, Any]
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any] = {}


class OutcomeReached(_Event, frozen=True, tag="outcome_reached", kw_only=True):
    """How the episode came out: solved, failed, truncated or infra_error."""

    step: int
    status: str
    reward: float
    details: dict[str, Any] = {}


class InfraError(_Event, frozen=True, tag="infra_error", kw_only=True):
    """The machine failed."""

    step: int
    where: str
    message: str


class Note(_Event, frozen=True, tag="note", kw_only=True):
    """Anything else worth keeping."""

    text: str


class SessionEnded(_Event, frozen=True, tag="session_ended", kw_only=True):
    """The last event."""

    how: str
    reason: str = ""


class UnknownEvent(msgspec.Struct, frozen=True):
    """An event that a newer version wrote: its type and its JSON."""

    type: str
    raw: bytes


Event = (
    SessionStarted | MessageAdded | TurnTaken | ToolStarted | ToolFinished | FileChanged | TerminalOpened | TerminalChunk
    | LspMessage | LintsReported | LanguageAnswered | BufferChanged | EditorChanged | TodosChanged | RewardGiven | StepFinished | OutcomeReached | InfraError | Note | SessionEnded
)  # fmt: skip
KNOWN: frozenset[str] = frozenset(str(kind.__struct_config__.tag) for kind in Event.__args__)


class Stored(msgspec.Struct, frozen=True):
    """An event with its place: ``seq`` from 1; real Unix milliseconds; milliseconds of the session's clock."""

    seq: int
    time_ms: int
    virtual_ms: int
    event: Event | UnknownEvent

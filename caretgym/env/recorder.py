"""What a session writes to its journal. All of its events are made here, so that their shape is decided in one place."""

from typing import Any

import msgspec

from caretgym.env.observation import Observation
from caretgym.env.rewards import RewardTerm
from caretgym.env.turn import ToolCall, Turn
from caretgym.ide_sim.clock import Clock
from caretgym.ide_sim.ide import IDE
from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.writer import JournalWriter
from caretgym.ide_sim.lsp.records import LintReport
from caretgym.ide_sim.workspace import FileChange
from caretgym.tools.base import CallResult

TERMINAL_BYTES = 1 << 20
"""Raw terminal bytes kept of one shell between two steps; what is beyond is counted, not kept."""


TRAFFIC_BYTES = 64 << 20
"""Language servers' messages kept of one session; of later ones only the size."""
_INLINE = 1024


class Recorder:
    """Turns what happens into events. Also the terminals' and the language servers' observer.

    Args:
        journal: Where to.
        clock: Gives each event its virtual time.

    """

    def __init__(self, journal: JournalWriter, clock: Clock) -> None:
        self._journal, self._clock = journal, clock
        self.step = 0
        self._offsets: dict[int, int] = {}
        self._pending: dict[int, list[bytes]] = {}
        self._kept: dict[int, int] = {}
        self._dropped: dict[int, int] = {}
        self._hashes: dict[str, str | None] = {}
        self._editor_version = -1
        self._todos: tuple[Any, ...] = ()
        self._buffers: dict[str, int] = {}
        self._messages = 0
        self._traffic = 0

    def _append(self, event: ev.Event) -> None:
        self._journal.append(event, virtual_ms=self._clock.elapsed_ms())

    # -- the terminals' observer --------------------------------------------------------------------------------------
    def opened(self, shell_id: int, pid: int, cwd: str) -> None:
        """See :class:`TerminalObserver`."""
        self._append(ev.TerminalOpened(shell_id=shell_id, pid=pid, cwd=cwd))

    def chunk(self, shell_id: int, data: bytes) -> None:
        """Keep raw bytes until :meth:`flush_terminals`: a chunk is a few bytes, an event should be more."""
        kept = self._kept.get(shell_id, 0)
        room = TERMINAL_BYTES - kept
        if room > 0:
            self._pending.setdefault(shell_id, []).append(data[:room])
            self._kept[shell_id] = kept + min(len(data), room)
        if len(data) > room:
            self._dropped[shell_id] = self._dropped.get(shell_id, 0) + len(data) - max(room, 0)

    def flush_terminals(self) -> None:
        """Write what shells have printed since the last call."""
        for shell_id in sorted({*self._pending, *self._dropped}):
            data = b"".join(self._pending.pop(shell_id, ()))
            dropped = self._dropped.pop(shell_id, 0)
            offset = self._offsets.get(shell_id, 0)
            self._append(ev.TerminalChunk(shell_id=shell_id, offset=offset, data=data, dropped=dropped))
            self._offsets[shell_id] = offset + len(data) + dropped
        self._kept.clear()

    # -- the language servers' observer -------------------------------------------------------------------------------
    def traffic(self, server: str, direction: str, body: bytes) -> int:
        """See :class:`LanguageObserver`."""
        self._messages += 1
        self._traffic += len(body)
        kept = self._traffic <= TRAFFIC_BYTES
        inline = kept and len(body) <= _INLINE
        self._append(
            ev.LspMessage(
                step=self.step, server=server, direction=direction, serial=self._messages, size=len(body),
                body=body if inline else None, blob=self._journal.put_blob(body) if kept and not inline else None,
            )
        )  # fmt: skip
        return self._messages

    def linted(self, report: LintReport) -> None:
        """See :class:`LanguageObserver`."""
        self._append(ev.LintsReported(step=self.step, report=report))

    def answered(self, question: dict[str, Any], answer: Any) -> None:
        """See :class:`LanguageObserver`."""
        self._append(ev.LanguageAnswered(step=self.step, question=question, answer=answer))

    # -- the session --------------------------------------------------------------------------------------------------
    def started(self, event: ev.SessionStarted) -> None:
        """The first event."""
        self._append(event)

    def file_changed(self, change: FileChange) -> None:
        """A file of the workspace changed; its contents are kept once by their hash."""
        before = self._hashes.get(change.path)
        if before is None and change.before is not None:
            before = self._journal.put_blob(change.before)
        after = None if change.after is None else self._journal.put_blob(change.after)
        self._hashes[change.path] = after
        self._append(
            ev.FileChanged(
                step=self.step, path=change.path, kind=change.kind, origin=change.origin,
                before=before, after=after,
                before_size=None if change.before is None else len(change.before),
                after_size=None if change.after is None else len(change.after),
            )
        )  # fmt: skip

    def turn(self, turn: Turn) -> None:
        """The policy's turn."""
        self._append(ev.TurnTaken(step=self.step, turn=msgspec.to_builtins(turn)))

    def call_started(self, call: ToolCall, call_id: str, tool: str) -> None:
        """A tool call begins."""
        self._append(
            ev.ToolStarted(step=self.step, call_id=call_id, name=call.name, tool=tool, arguments=call.arguments)
        )

    def call_finished(self, result: CallResult, real_ms: float) -> None:
        """A tool call has ended. The real duration is recorded here and nowhere else."""
        self.flush_terminals()
        self._append(
            ev.ToolFinished(
                step=self.step, call_id=result.id, name=result.name, ok=result.ok, text=result.text, data=result.data,
                error_class=result.error_class, duration_ms=real_ms,
            )
        )  # fmt: skip

    def ide_state(self, ide: IDE) -> None:
        """Editor state, unsaved buffers and to-do list, if they changed."""
        dirty = {p: d.version for p, d in ide.workspace.documents.items() if ide.workspace.is_dirty(p)}
        for path, version in dirty.items():
            if self._buffers.get(path) != version:
                text = ide.workspace.documents[path].text.encode("utf-8", "surrogatepass")
                blob = self._journal.put_blob(text)
                self._append(ev.BufferChanged(step=self.step, path=path, version=version, text=blob))
        for path in [p for p in self._buffers if p not in dirty]:
            self._append(ev.BufferChanged(step=self.step, path=path, version=self._buffers[path]))
        self._buffers = dirty
        if ide.editor.version != self._editor_version:
            self._editor_version = ide.editor.version
            self._append(ev.EditorChanged(step=self.step, state=ide.editor.to_dict()))
        if ide.todos.items != self._todos:
            self._todos = ide.todos.items
            self._append(ev.TodosChanged(step=self.step, todos=msgspec.to_builtins(list(self._todos))))

    def step_finished(
        self, observation: Observation, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]
    ) -> None:
        """What the step returned; durable against a kill of this process when this returns."""
        self.flush_terminals()
        for message in observation.messages:
            self._append(ev.MessageAdded(step=self.step, role=message.role, content=message.content))
        self._append(
            ev.StepFinished(
                step=self.step, observation=observation.to_dict(), reward=reward, terminated=terminated,
                truncated=truncated, info=info,
            )
        )  # fmt: skip
        self._journal.flush()

    def rewards(self, terms: list[RewardTerm]) -> None:
        """Terms of the reward."""
        for term in terms:
            self._append(ev.RewardGiven(step=self.step, name=term.name, value=term.value, weight=term.weight))

    def outcome(self, status: str, reward: float, details: dict[str, Any]) -> None:
        """How the episode came out."""
        self._append(ev.OutcomeReached(step=self.step, status=status, reward=reward, details=details))

    def infra_error(self, where: str, message: str) -> None:
        """The machine failed."""
        self._append(ev.InfraError(step=self.step, where=where, message=message))

    def ended(self, how: str, reason: str = "") -> None:
        """The session is over; closes the journal."""
        self.flush_terminals()
        self._append(ev.SessionEnded(how=how, reason=reason))
        self._journal.close()

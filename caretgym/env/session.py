"""One episode: an agent's session on a task, asynchronous."""

import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from caretgym._version import __version__
from caretgym.env.context import finished_jobs, first_messages
from caretgym.env.language import POOL, check_servers, languages, offered
from caretgym.env.limits import EpisodeLimits, episode_limits, sandbox_limits, turn_tokens
from caretgym.env.observation import Observation, ObservedMessage, ObservedResult
from caretgym.env.prepare import Prepared, prepare
from caretgym.env.programs import needed_programs
from caretgym.env.recorder import Recorder
from caretgym.env.rewards import DEFAULT_WEIGHTS, VERIFIER, LintDelta, RewardTerm, check_weights, total
from caretgym.env.task import Task
from caretgym.env.turn import ToolCall, Turn
from caretgym.env.verifier import Verdict, verify
from caretgym.ide_sim.clock import Clock
from caretgym.ide_sim.errors import InfrastructureError
from caretgym.ide_sim.ide import IDE
from caretgym.ide_sim.journal import events as ev
from caretgym.ide_sim.journal.writer import JournalWriter
from caretgym.ide_sim.sandbox.base import Sandbox, SandboxSpec
from caretgym.ide_sim.sandbox.bubblewrap import BubblewrapSandbox
from caretgym.ide_sim.sandbox.stale import remove_tree, scratch_folder
from caretgym.ide_sim.terminal.terminals import PROJECT_FOLDER
from caretgym.tools import CallResult, Profile, call_tool, get_profile

Outcome = Literal["solved", "failed", "truncated", "infra_error"]


class StepResult(msgspec.Struct, frozen=True):
    """What one step gives back, in Gymnasium's terms."""

    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class EpisodeOver(RuntimeError):
    """A step after the end of the episode."""


class Session:
    """One episode. Make one with :meth:`start`; always :meth:`close` it.

    Attributes:
        task: What it is about.
        profile: The tools' names and wording.
        outcome: None while it runs.
        verdict: The verifier's, once it has run.
        journal_path: The record; None if nothing is recorded.

    """

    def __init__(self, task: Task, prepared: Prepared, profile: Profile, limits: EpisodeLimits, seed: int) -> None:
        self.task, self.prepared, self.profile, self.limits, self.seed = task, prepared, profile, limits, seed
        self.outcome: Outcome | None = None
        self.verdict: Verdict | None = None
        self.journal_path: Path | None = None
        self.steps = 0
        self.tokens = 0
        self.invalid_calls = 0
        self._calls = 0
        self._sandbox: Sandbox | None = None
        self._ide: IDE | None = None
        self._recorder: Recorder | None = None
        self._scratch: Path | None = None
        self._closed = False
        self._servers: str | Path = POOL
        self._weights: dict[str, float] = dict(DEFAULT_WEIGHTS)
        self._lints: LintDelta | None = None
        self._terms: list[RewardTerm] = []

    @classmethod
    async def start(
        cls,
        task: Task,
        *,
        profile: Profile | str = "cursor-2026",
        seed: int = 0,
        journal_path: Path | None = None,
        prepared: Prepared | None = None,
        limits: EpisodeLimits | None = None,
        servers: str | Path = POOL,
        reward: Mapping[str, float] | None = None,
    ) -> tuple["Session", StepResult]:
        """Begin an episode.

        Args:
            task: The task.
            profile: Or its name.
            seed: Of whatever is random in the session.
            journal_path: Where to record; must not exist. None: nowhere.
            prepared: The task's base tree, if the caller has it.
            limits: Defaults under the task's own limits.
            servers: ``pool``: language servers, shared with other sessions. ``none``: no servers, and no tools for them.
                The path of a journal: what the servers said there.
            reward: Weights of the reward's terms (rewards.py); default: the verifier's word, weight 1.

        Returns:
            The session and its first observation (as the result of a step 0).

        Raises:
            TaskError: the task can't be prepared.
            ServerError: it asks for a language server, or a version of one, that is not installed.
            SandboxUnavailable: this host can't run the sandbox. Nothing is left behind.
            ValueError: ``servers`` or ``reward`` are not as described.

        """
        if isinstance(profile, str):
            profile = get_profile(profile)
        servers = check_servers(servers)
        weights = check_weights(DEFAULT_WEIGHTS if reward is None else reward)
        profile = offered(profile, servers)
        prepared = prepared or await prepare(task)
        session = cls(task, prepared, profile, episode_limits(task.file.limits, limits), seed)
        session._servers, session._weights = servers, weights
        try:
            await session._begin(journal_path)
        except BaseException:
            await session.close("failed to start")
            raise
        return session, session._first()

    async def _begin(self, journal_path: Path | None) -> None:
        self._scratch = scratch_folder("session")
        for name in ("terminals", "agent-tools"):
            (self._scratch / name).mkdir()
        spec = SandboxSpec(
            layers=(self.prepared.tree,),
            binds={f"{PROJECT_FOLDER}/{name}": self._scratch / name for name in ("terminals", "agent-tools")}
            | needed_programs(self.task),
            hidden=tuple(p for p in (self.task.verify_folder, self.task.solution_folder) if p is not None),
            site_packages=self.task.site_packages,
            env=self.task.file.env,
            limits=sandbox_limits(self.task.file.limits),
        )
        clock = Clock()
        writer = Recorder(JournalWriter.create(journal_path), clock) if journal_path is not None else None
        self._recorder = writer
        found = languages(self.task, self.prepared, self._servers, writer, self.task.site_packages)
        if journal_path is not None and self._recorder is not None:
            self.journal_path = journal_path
            self._recorder.started(
                ev.SessionStarted(
                    session_id=journal_path.stem, task_id=self.task.id, profile=self.profile.name, seed=self.seed,
                    versions={"caretgym": __version__, **{f"lsp:{k}": v for k, v in found.versions.items()}}, base_tree=self.prepared.key,
                    options={"servers": str(self._servers), "reward": self._weights},
                    started_at_ms=int(time.time() * 1000),
                )
            )  # fmt: skip
        self._sandbox = await BubblewrapSandbox.start(spec)
        ide = IDE(
            self._sandbox,
            self.prepared.tree,
            self._scratch,
            seed=self.seed,
            observer=self._recorder,
            clock=clock,
            language=found.factory,
        )
        self._ide = ide
        if self._recorder is not None:
            ide.workspace.subscribe(self._recorder.file_changed)
        self._open_editor(ide)
        self._lints = LintDelta(ide, self._weights)
        await self._lints.begin()

    def _open_editor(self, ide: IDE) -> None:
        part = self.task.file.editor
        for path in reversed(part.recent):
            ide.editor.viewed(path)
        for path in part.open:
            ide.editor.open(path)
        if part.focus is not None:
            ide.editor.open(part.focus, focus=True, cursor_line=part.cursor_line or 1)
        for number, terminal in enumerate(part.terminals, 1):
            ide.terminals.add_user_terminal(
                number, pid=1000 + number, cwd=terminal.cwd, last_command=terminal.last_command,
                last_exit_code=terminal.last_exit_code, output=terminal.output,
            )  # fmt: skip

    def _first(self) -> StepResult:
        messages = [ObservedMessage(*m) for m in first_messages(self.task, self.prepared, self.ide)]
        return self._return(Observation(messages), 0.0, terminated=False, truncated=False)

    @property
    def ide(self) -> IDE:
        """The simulated IDE."""
        if self._ide is None:
            raise EpisodeOver("the session is closed")
        return self._ide

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox."""
        if self._sandbox is None:
            raise EpisodeOver("the session is closed")
        return self._sandbox

    # -- stepping -----------------------------------------------------------------------------------------------------
    async def step(self, turn: Turn) -> StepResult:
        """Take one model turn.

        Raises:
            EpisodeOver: the episode has ended.

        """
        if self.outcome is not None or self._closed:
            raise EpisodeOver("the episode has ended; start a new one (reset) before the next step")
        self.steps += 1
        self.tokens += turn_tokens(turn)
        if self._recorder is not None:
            self._recorder.step = self.steps
            self._recorder.turn(turn)
        try:
            if turn.tool_calls:
                return await self._work(turn)
            return await self._finish()
        except InfrastructureError as error:
            return self._infra_error(error)

    async def _work(self, turn: Turn) -> StepResult:
        results = []
        for call in turn.tool_calls:
            result = await self._call(call)
            results.append(ObservedResult(result.id, result.name, result.ok, result.text))
        messages = []
        jobs = self.ide.terminals.take_finished()
        if jobs:
            messages.append(ObservedMessage("user", finished_jobs(jobs)))
        observation = Observation(messages, results)
        assert self._lints is not None
        reward = self._give(await self._lints.step())
        limit = self._limit_reached()
        if limit is not None:
            return self._end("truncated", reward, observation, {"limit": limit})
        return self._return(observation, reward, terminated=False, truncated=False)

    def _give(self, terms: list[RewardTerm]) -> float:
        """Record terms; returns their sum."""
        self._terms += terms
        if self._recorder is not None:
            self._recorder.rewards(terms)
        return total(terms)

    async def _call(self, call: ToolCall) -> CallResult:
        self._calls += 1
        call_id = call.id or f"call_{self._calls}"
        spec = self.profile.tools.get(call.name)
        if self._recorder is not None:
            self._recorder.call_started(call, call_id, spec.tool.name if spec is not None else "")
        started = time.perf_counter()
        result = await call_tool(self.profile, self.ide, call.name, call.arguments, call_id)
        self.ide.sync()
        if result.error_class in ("InvalidArguments", "UnknownTool"):
            self.invalid_calls += 1
        if self._recorder is not None:
            self._recorder.call_finished(result, (time.perf_counter() - started) * 1000)
            self._recorder.ide_state(self.ide)
        return result

    def _limit_reached(self) -> str | None:
        if self.steps >= self.limits.turns:
            return "turns"
        if self.tokens >= self.limits.tokens:
            return "tokens"
        if self.ide.clock.elapsed_ms() >= self.limits.seconds * 1000:
            return "seconds"
        return None

    async def _finish(self) -> StepResult:
        """The agent says that it is done: verify."""
        self.ide.sync()
        verdict = await verify(self.task, self.prepared, self.sandbox)
        self.verdict = verdict
        details: dict[str, Any] = {
            "passed": len(verdict.passed), "failed": len(verdict.failed), "skipped": len(verdict.skipped),
        }  # fmt: skip
        solved = verdict.solved
        weight = self._weights.get(VERIFIER, 0.0)
        reward = self._give([RewardTerm(VERIFIER, float(solved), weight)])
        return self._end("solved" if solved else "failed", reward, Observation(), {"tests": details})

    def _infra_error(self, error: InfrastructureError) -> StepResult:
        if self._recorder is not None:
            self._recorder.infra_error(type(error).__name__, str(error))
        return self._end("infra_error", 0.0, Observation(), {"error": str(error)})

    def _end(self, outcome: Outcome, reward: float, observation: Observation, extra: dict[str, Any]) -> StepResult:
        self.outcome = outcome
        if self._recorder is not None:
            details = dict(extra)
            if self.verdict is not None:
                details["verdict"] = msgspec.to_builtins(self.verdict)
            self._recorder.outcome(outcome, reward, details)
        terminated = outcome in ("solved", "failed")
        return self._return(observation, reward, terminated=terminated, truncated=not terminated, extra=extra)

    def _return(
        self,
        observation: Observation,
        reward: float,
        *,
        terminated: bool,
        truncated: bool,
        extra: dict[str, Any] | None = None,
    ) -> StepResult:
        terms, self._terms = self._terms, []
        info = {
            "task_id": self.task.id,
            "outcome": self.outcome,
            "step": self.steps,
            "tokens": self.tokens,
            "invalid_calls": self.invalid_calls,
            "rewards": {
                name: sum(t.value for t in terms if t.name == name) for name in sorted({t.name for t in terms})
            },
            **(extra or {}),
        }
        if self._recorder is not None:
            self._recorder.step_finished(observation, reward, terminated, truncated, info)
        return StepResult(observation, reward, terminated, truncated, info)

    async def close(self, reason: str = "") -> None:
        """End everything of this session and remove its traces from the machine. May be called more than once."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._ide is not None:
                await self._ide.close()
            if self._sandbox is not None:
                await self._sandbox.close()
        finally:
            if self._recorder is not None:
                self._recorder.ended(self.outcome or "closed", reason)
            if self._scratch is not None:
                remove_tree(self._scratch)


def new_journal_path(folder: Path, task: Task) -> Path:
    """A fresh name for a session's record in ``folder``, which is made if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return folder / f"{stamp}-{task.id}-{secrets.token_hex(4)}.journal"

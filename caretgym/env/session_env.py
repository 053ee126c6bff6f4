"""``SessionEnv``: an agent's session as a Gymnasium environment, registered as ``caretgym/Session-v0``."""

import atexit
import sys
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

from caretgym.env.account import observation_text, turn_text
from caretgym.env.catalog import find_task
from caretgym.env.language import POOL, check_servers, offered
from caretgym.env.limits import EpisodeLimits
from caretgym.env.loop import call
from caretgym.env.prepare import Prepared, prepare
from caretgym.env.rewards import DEFAULT_WEIGHTS, check_weights
from caretgym.env.session import Session, StepResult, new_journal_path
from caretgym.env.spaces import ObservationSpace, TurnSpace
from caretgym.env.task import Task
from caretgym.env.turn import Turn, turn_from_action
from caretgym.ide_sim.lsp.pool import ServerPool
from caretgym.ide_sim.sandbox.runtime import cache_home
from caretgym.tools import get_profile

SANDBOXES = ("bubblewrap",)
_open: "weakref.WeakSet[SessionEnv]" = weakref.WeakSet()


class SessionEnv(gym.Env[dict[str, Any], dict[str, Any]]):
    """One agent session on one task.

    Args:
        task: An embedded task's id, a path to a task, or a :class:`Task`; None: the embedded default.
        sandbox: The sandbox's backend.
        profile: Tool names and wording: ``cursor-2026`` or ``cursor-2.0``, with flags such as ``+lsp`` (see `get_profile`).
        journal_dir: Where records go; None: below the cache (``~/.cache/caretgym/sessions``).
        record: Whether to keep a record at all.
        max_turns: Default limit of turns where the task sets none.
        servers: Language servers: ``pool`` (shared with other sessions), ``none``, or the path of a journal whose answers
            are given again.
        reward: Weights of the reward's terms, such as ``{"verifier": 1, "lint_errors": -0.1}``.
        render_mode: ``ansi`` returns the last step as text, ``human`` prints each step as it happens.

    Raises:
        TaskError: no such task, or it is not sound.
        ValueError: no such sandbox, profile, servers or reward term.

    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "human"], "render_fps": 1}

    def __init__(
        self,
        task: str | Path | Task | None = None,
        sandbox: str = "bubblewrap",
        profile: str = "cursor-2026",
        journal_dir: str | Path | None = None,
        record: bool = True,
        max_turns: int | None = None,
        render_mode: str | None = None,
        servers: str | Path = POOL,
        reward: Mapping[str, float] | None = None,
    ) -> None:
        if sandbox not in SANDBOXES:
            raise ValueError(f"no sandbox named {sandbox!r}; there is: {', '.join(SANDBOXES)}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"no render mode {render_mode!r}; there are: ansi, human")
        self.task = find_task(task)
        self._servers = check_servers(servers)
        self._weights = check_weights(DEFAULT_WEIGHTS if reward is None else reward)
        self.profile = offered(get_profile(profile), self._servers)
        self.render_mode = render_mode
        self.action_space = TurnSpace(self.profile)
        self.observation_space = ObservationSpace()
        self._limits = EpisodeLimits() if max_turns is None else EpisodeLimits(turns=max_turns)
        self._journal_dir = Path(journal_dir) if journal_dir is not None else cache_home() / "sessions"
        self._record = record
        self._prepared: tuple[Task, Prepared] | None = None
        self._session: Session | None = None
        self._last = ""
        self._used_loop = False
        _open.add(self)

    @property
    def session(self) -> Session:
        """The current episode.

        Raises:
            RuntimeError: before the first reset.

        """
        if self._session is None:
            raise RuntimeError("there is no session yet; call reset() first")
        return self._session

    @property
    def journal_path(self) -> Path | None:
        """The current episode's record; None if nothing is recorded."""
        return self.session.journal_path

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new episode; the old one is closed.

        Args:
            seed: Of the episode; None: drawn from the environment's generator.
            options: ``{"task": ...}`` changes the task from now on.

        Raises:
            TaskError: the task can't be found or prepared.
            SandboxUnavailable: this host can't run the sandbox; the message says what to do.
            ValueError: an unknown option.

        """
        super().reset(seed=seed)
        unknown = set(options or {}) - {"task"}
        if unknown:
            raise ValueError(f"unknown options {sorted(unknown)}; there is: task")
        if options and "task" in options:
            self.task = find_task(options["task"])
        self._used_loop = True
        session_seed = seed if seed is not None else int(self.np_random.integers(2**31))
        self._close_session("reset")
        session, first = call(self._start(session_seed))
        self._session = session
        self._show(f"=== {self.task.id}: {self.task.file.title}\n", first)
        return first.observation.to_dict(), first.info

    async def _start(self, seed: int) -> tuple[Session, StepResult]:
        if self._prepared is None or self._prepared[0] is not self.task:
            self._prepared = (self.task, await prepare(self.task))
        path = new_journal_path(self._journal_dir, self.task) if self._record else None
        return await Session.start(
            self.task,
            profile=self.profile,
            seed=seed,
            journal_path=path,
            prepared=self._prepared[1],
            limits=self._limits,
            servers=self._servers,
            reward=self._weights,
        )

    def step(self, action: Turn | Mapping[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take one turn; see the class.

        Raises:
            TypeError: the action is not of a turn's shape.
            EpisodeOver: the episode has ended.
            RuntimeError: before the first reset.

        """
        turn = turn_from_action(action)
        result = call(self.session.step(turn))
        self._show(turn_text(turn) + "\n", result)
        return result.observation.to_dict(), result.reward, result.terminated, result.truncated, result.info

    def _show(self, before: str, result: StepResult) -> None:
        if self.render_mode is None:
            return
        text = before + observation_text(result.observation.to_dict())
        if result.terminated or result.truncated:
            text += f"\n=== {result.info['outcome']}, reward {result.reward:g}"
        self._last = text
        if self.render_mode == "human":
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def render(self) -> str | None:
        """The last step as text (``ansi``); None in ``human`` mode, which has printed it already."""
        if self.render_mode == "ansi":
            return self._last
        return None

    def _close_session(self, reason: str) -> None:
        session, self._session = self._session, None
        if session is not None:
            call(session.close(reason))

    def close(self) -> None:
        """End the episode and everything of it. May be called more than once."""
        self._close_session("closed")
        if self._used_loop:
            call(_stop_unused_servers())


async def _stop_unused_servers() -> None:
    await ServerPool.current().stop_unused()


def _close_all() -> None:
    for env in list(_open):
        env.close()


atexit.register(_close_all)

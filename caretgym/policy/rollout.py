"""One session from start to end with a policy."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from caretgym.env.language import POOL, check_servers, offered
from caretgym.env.limits import EpisodeLimits
from caretgym.env.prepare import prepare
from caretgym.env.session import Session, StepResult
from caretgym.env.task import Task
from caretgym.env.turn import Turn
from caretgym.env.verifier import Verdict
from caretgym.policy.base import Policy, PolicyContext, PolicyError, reference_of
from caretgym.tools import get_profile


class Rollout(msgspec.Struct, frozen=True):
    """How a session went. ``error``: why the policy stopped, if it did."""

    task_id: str
    outcome: str
    reward: float
    steps: int
    tokens: int
    invalid_calls: int
    journal: Path | None
    verdict: Verdict | None
    error: str | None = None


Watcher = Callable[[Turn | None, StepResult], None]


async def rollout(
    task: Task,
    policy: Policy,
    *,
    profile: str = "cursor-2026",
    seed: int = 0,
    journal_path: Path | None = None,
    limits: EpisodeLimits | None = None,
    watch: Watcher | None = None,
    servers: str | Path = POOL,
    reward: Mapping[str, float] | None = None,
) -> Rollout:
    """Run a session.

    Args:
        servers, reward: See :meth:`Session.start`.
        watch: Is called with the first observation (turn None) and after every step.

    Raises:
        TaskError, SandboxUnavailable: it can't begin.
        PolicyError: the policy can't begin. If it stops later, the session ends as ``failed`` with ``error`` set.

    """
    tools = offered(get_profile(profile), check_servers(servers))
    prepared = await prepare(task)
    reference = reference_of(task, prepared) if policy.needs_reference else None
    await policy.start(PolicyContext(task.id, tools, seed, reference))
    session, result = await Session.start(
        task,
        profile=tools,
        seed=seed,
        journal_path=journal_path,
        prepared=prepared,
        limits=limits,
        servers=servers,
        reward=reward,
    )
    error, earned = None, 0.0
    try:
        if watch is not None:
            watch(None, result)
        while session.outcome is None:
            try:
                turn = await policy.act(result.observation.to_dict())
            except PolicyError as stopped:
                error = str(stopped)
                break
            result = await session.step(turn)
            earned += result.reward
            if watch is not None:
                watch(turn, result)
    finally:
        await session.close(error or "")
    return Rollout(
        task.id, session.outcome or "policy_error", earned, session.steps, session.tokens, session.invalid_calls,
        session.journal_path, session.verdict, error,
    )  # fmt: skip

"""Proving a task: doing nothing scores 0, the reference solution scores 1, twice, each time in a clean sandbox."""

from collections.abc import Callable

import msgspec

from caretgym.env.task import Task
from caretgym.policy.noop import NoopPolicy
from caretgym.policy.oracle import OraclePolicy
from caretgym.policy.rollout import Rollout, rollout

ROUNDS = 2


class Proof(msgspec.Struct, frozen=True):
    """Whether a task is sound; ``problems`` say why not."""

    task_id: str
    problems: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """No problem was found."""
        return not self.problems


async def prove(task: Task, progress: Callable[[str], None] = lambda _: None) -> Proof:
    """Prove a task.

    Raises:
        TaskError, SandboxUnavailable, PolicyError: it can't even be tried.

    """
    problems = []
    for number in range(1, ROUNDS + 1):
        for name, policy, wanted in (("no-op", NoopPolicy(), 0.0), ("oracle", OraclePolicy(), 1.0)):
            progress(f"{name} {number}/{ROUNDS}")
            result = await rollout(task, policy)
            if result.reward != wanted or result.outcome not in ("solved", "failed"):
                problems.append(f"{name} scored {result.reward:g} ({result.outcome}), not {wanted:g}: {_why(result)}")
    return Proof(task.id, tuple(problems))


def _why(result: Rollout) -> str:
    if result.error:
        return result.error
    if result.verdict is None:
        return "no verdict"
    tail = result.verdict.output.strip().splitlines()[-3:]
    return " | ".join([result.verdict.reason or "the hidden check passed", *tail])

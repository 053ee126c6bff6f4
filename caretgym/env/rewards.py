"""Named terms of the reward: the verifier's word at the end, and how the agent's edits change the lints."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from caretgym.ide_sim.errors import InfrastructureError
from caretgym.ide_sim.ide import IDE
from caretgym.ide_sim.lsp.records import LintReport
from caretgym.ide_sim.workspace import FileChange

VERIFIER = "verifier"
LINT_TERMS = ("lint_errors", "lint_warnings", "lint_information", "lint_hints")
"""By severity: introduced minus fixed over all files that a server is for, so a penalty has a negative weight."""
TERMS = (VERIFIER, *LINT_TERMS)
DEFAULT_WEIGHTS: Mapping[str, float] = {VERIFIER: 1.0}


class RewardTerm(msgspec.Struct, frozen=True):
    """One term of one step; it adds ``value * weight``."""

    name: str
    value: float
    weight: float


class LintsUnknown(InfrastructureError):
    """A server gave no answer, so a term of the reward is not known."""


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """ValueError: an unknown term, or a weight that is no finite number."""
    for name, weight in weights.items():
        if name not in TERMS:
            raise ValueError(f"no reward term named {name!r}; there are: {', '.join(TERMS)}")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not abs(weight) < float("inf"):
            raise ValueError(f"the weight of {name} is {weight!r}; it must be a finite number")
    return {name: float(weight) for name, weight in weights.items()}


def total(terms: list[RewardTerm]) -> float:
    """The reward of a step."""
    return sum(term.value * term.weight for term in terms)


class LintDelta:
    """Counts lints when files have changed. Since each step gives the difference, the sum is that of end and start.

    Args:
        ide: The session's.
        weights: Of all terms; without one of :data:`LINT_TERMS` nothing is asked and nothing given.

    """

    def __init__(self, ide: IDE, weights: Mapping[str, float]) -> None:
        self._ide = ide
        self._weights = {name: weight for name, weight in weights.items() if name in LINT_TERMS}
        self._counts: Counter[int] = Counter()
        self._changed = False
        if self._weights:
            ide.workspace.subscribe(self._note)

    def _note(self, change: FileChange) -> None:
        self._changed = True

    async def begin(self) -> None:
        """Count what is there before the agent acts.

        Raises:
            ValueError: no server that is installed is for any file of the task.
            LintsUnknown: a server gave no answer.

        """
        if not self._weights:
            return
        reports = await self._reports()
        if (reports and not any(r.answered for r in reports)) or not reports:
            why = next((r.detail for r in reports if r.detail), "no language server is for any of its files")
            raise ValueError(f"{', '.join(self._weights)} can't be given for this task: {why}")
        self._counts = _counts(reports)
        self._changed = False

    async def step(self) -> list[RewardTerm]:
        """The terms since the last call. LintsUnknown: a server gave no answer."""
        if not self._changed:
            return []
        now = _counts(await self._reports())
        before, self._counts, self._changed = self._counts, now, False
        return [
            RewardTerm(name, float(now[severity] - before[severity]), self._weights[name])
            for severity, name in enumerate(LINT_TERMS, 1)
            if name in self._weights and now[severity] != before[severity]
        ]

    async def _reports(self) -> list[LintReport]:
        language = self._ide.language
        self._ide.sync()
        reports = await language.lints(language.files_below())
        for report in reports:
            if not report.answered and report.state != "unsupported":
                raise LintsUnknown(f"the lints of {report.path} are not known ({report.state}): {report.detail}")
        return reports


def _counts(reports: list[LintReport]) -> Counter[int]:
    return Counter(item.severity for report in reports for item in report.items)

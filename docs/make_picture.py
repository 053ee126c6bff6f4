"""Draws docs/images/session.svg: the oracle's session on the default task, shortened for a README."""

import asyncio
import io
from pathlib import Path

from rich.console import Console
from rich.text import Text

from caretgym.env.account import shorten, turn_text
from caretgym.env.catalog import find_task
from caretgym.env.session import StepResult
from caretgym.env.turn import Turn
from caretgym.policy import make_policy
from caretgym.policy.rollout import rollout

console = Console(record=True, width=112, file=io.StringIO())
SHOWN = 6


def essence(text: str) -> str:
    """A result without blank lines, fences and what is said after every command."""
    noise = ("Command ", "Shell state", "```", "Exit code: 0")
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.startswith(noise))


def watch(turn: Turn | None, result: StepResult) -> None:
    """Print one step."""
    if turn is None:
        console.print(Text("$ caretgym run inventory-restock-bug --policy oracle --show\n", style="bold"))
        return
    calls = list(zip(turn.tool_calls, result.observation.results, strict=True))
    if calls and calls[0][0].name == "Read":
        calls = [pair for pair in calls if "reorder" in str(pair[0].arguments)]
    console.print(Text(turn.text, style="bold"))
    for call, answer in calls:
        console.print(Text(shorten(turn_text(Turn(tool_calls=[call])), 1, 92), style="cyan"))
        console.print(Text(shorten(essence(answer.text), SHOWN, 92), style="bright_black"))


def main() -> None:
    """Run the session and write the picture."""
    result = asyncio.run(rollout(find_task(None), make_policy("oracle"), watch=watch))
    assert result.verdict is not None
    passed = len(result.verdict.passed)
    console.print(Text(f"\nhidden tests: {passed} of {passed} passed", style="bold"))
    console.print(Text(f"{result.task_id}: {result.outcome}, reward {result.reward:g}", style="bold green"))
    console.save_svg(str(Path(__file__).parent / "images" / "session.svg"), title="caretgym")


if __name__ == "__main__":
    main()

"""Opt-in: a real model (SmolLM2-135M) drives a session through the chat-server policy; see the README beside this file."""

import os
import subprocess
from pathlib import Path

import pytest

from caretgym.env.account import observation_text, turn_text
from caretgym.env.catalog import find_task
from caretgym.env.limits import EpisodeLimits
from caretgym.env.session import StepResult
from caretgym.env.turn import Turn
from caretgym.ide_sim.journal import Journal
from caretgym.policy.api import ApiPolicy
from caretgym.policy.rollout import rollout

pytestmark = [
    pytest.mark.model,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.environ.get("CARETGYM_TEST_MODEL") != "1", reason="opt-in: set CARETGYM_TEST_MODEL=1"),
]


async def test_a_real_model_drives_a_session(tmp_path: Path) -> None:
    python = os.environ.get("CARETGYM_MODEL_PYTHON", "python3")
    server = subprocess.Popen(
        [python, str(Path(__file__).with_name("smollm_server.py")), "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        words = server.stdout.readline().split()
        assert words[:1] == ["ready"], words
        turns: list[Turn] = []

        def watch(turn: Turn | None, result: StepResult) -> None:
            if turn is not None:
                turns.append(turn)
                print(turn_text(turn))
                print(observation_text(result.observation.to_dict(), 8))

        policy = ApiPolicy(
            "smollm2-135m",
            f"http://127.0.0.1:{words[1]}/v1",
            stream=False,
            logprobs=True,
            parameters={"max_tokens": 32, "tool_choice": "required"},
        )
        result = await rollout(
            find_task(None), policy, journal_path=tmp_path / "s.journal", limits=EpisodeLimits(turns=3), watch=watch
        )
        await policy.close()
    finally:
        server.kill()
        server.wait()
    print(result)
    assert result.error is None
    assert result.outcome in ("solved", "failed", "truncated")
    assert turns[0].tool_calls[0].name == "Shell"
    assert turns[0].usage is not None
    assert turns[0].usage.completion_tokens > 0
    assert turns[0].tokens is not None
    assert len(turns[0].tokens.ids) == len(turns[0].tokens.logprobs) > 0
    with Journal(tmp_path / "s.journal") as journal:
        assert journal.summary().steps == len(turns)

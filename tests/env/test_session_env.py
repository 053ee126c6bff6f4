"""The environment at the Gymnasium boundary, with the real sandbox behind it."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import caretgym
from caretgym.env.session import EpisodeOver
from caretgym.env.session_env import SessionEnv
from caretgym.env.spaces import ObservationSpace, TurnSpace
from caretgym.ide_sim.journal import Journal
from caretgym.tools import PROFILES, get_profile
from caretgym.tools.arguments import read_arguments
from caretgym.tools.base import Failure


@pytest.fixture
def env(tmp_path: Path) -> Any:
    made = gym.make("caretgym/Session-v0", journal_dir=tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("round_", range(5))
def test_the_official_checker_passes_without_warnings(tmp_path: Path, round_: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("caretgym/Session-v0", journal_dir=tmp_path).unwrapped
        try:
            check_env(env)
        finally:
            env.close()


SEEDED = """
import json, sys
import gymnasium as gym
import caretgym
env = gym.make("caretgym/Session-v0", record=False)
env.action_space.seed(7)
out = [env.reset(seed=3)]
for _ in range(6):
    action = env.action_space.sample()
    step = env.step(action)
    out.append([action, *step])
    if step[2] or step[3]:
        break
env.close()
sys.stdout.write(json.dumps(out))
"""


def test_a_seeded_run_is_the_same_under_any_hash_seed() -> None:
    runs = []
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", SEEDED], env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        runs.append(json.loads(result.stdout.partition("[[")[1] + result.stdout.partition("[[")[2]))
    assert runs[0] == runs[1]
    assert len(runs[0]) > 2


def test_a_whole_episode(env: Any) -> None:
    obs, info = env.reset(seed=0)
    assert [m["role"] for m in obs["messages"]] == ["system", "user"]
    assert "<user_query>" in obs["messages"][1]["content"]
    assert info["outcome"] is None
    turn = {
        "text": "Let me look.",
        "tool_calls": [{"name": "Shell", "arguments": {"command": "ls"}}, {"name": "Nope", "arguments": {}}],
    }
    obs, reward, terminated, truncated, info = env.step(turn)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert [r["ok"] for r in obs["results"]] == [True, False]
    assert info["invalid_calls"] == 1
    obs, reward, terminated, truncated, info = env.step({"text": "Done.", "tool_calls": []})
    assert (reward, terminated, truncated, info["outcome"]) == (0.0, True, False, "failed")
    with pytest.raises(EpisodeOver):
        env.unwrapped.step({"text": "", "tool_calls": []})
    path = env.unwrapped.journal_path
    env.close()
    with Journal(path) as journal:
        assert journal.summary().outcome == "failed"
        assert journal.state == "ended"


def test_steps_before_reset_and_odd_actions_are_refused(env: Any) -> None:
    with pytest.raises(RuntimeError, match="reset"):
        env.unwrapped.step({"text": "", "tool_calls": []})
    env.reset(seed=0)
    for action in (None, [], {"tool_calls": [{"arguments": {}}]}, {"text": 3}):
        with pytest.raises(TypeError):
            env.unwrapped.step(action)
    assert env.action_space.contains({"text": "", "tool_calls": [{"name": "x", "arguments": '{"bro'}]})
    assert not env.action_space.contains({"text": 1})


def test_limits_truncate(tmp_path: Path) -> None:
    env = SessionEnv(max_turns=2, journal_dir=tmp_path)
    env.reset(seed=0)
    turn = {"text": "", "tool_calls": [{"name": "Shell", "arguments": {"command": "true"}}]}
    assert env.step(turn)[3] is False
    _, reward, terminated, truncated, info = env.step(turn)
    assert (reward, terminated, truncated, info["outcome"], info["limit"]) == (0.0, False, True, "truncated", "turns")
    env.close()


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    env = SessionEnv(render_mode="human", record=False)
    env.reset(seed=0)
    env.step({"text": "hi \x1b[31m", "tool_calls": [{"name": "Shell", "arguments": {"command": "echo shown"}}]})
    env.close()
    out = capsys.readouterr().out
    assert "shown" in out
    assert "\x1b" not in out
    env = SessionEnv(render_mode="ansi", record=False)
    env.reset(seed=0)
    assert "user_query" in (env.render() or "")
    env.close()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r"no task 'inventory-restock-bag'.*inventory-restock-bug"):
        SessionEnv(task="inventory-restock-bag")
    with pytest.raises(ValueError, match="bubblewrap"):
        SessionEnv(sandbox="vm")
    with pytest.raises(ValueError, match="cursor-2026"):
        SessionEnv(profile="cursor")
    with pytest.raises(ValueError, match="ansi"):
        SessionEnv(render_mode="rgb_array")


@pytest.mark.parametrize("name", PROFILES)
def test_samples_are_valid_calls(name: str) -> None:
    profile = get_profile(name)
    space = TurnSpace(profile, seed=11)
    seen = set()
    for _ in range(300):
        turn = space.sample()
        assert space.contains(turn)
        for call in turn["tool_calls"]:
            seen.add(call["name"])
            assert not isinstance(read_arguments(profile.tools[call["name"]], call["arguments"]).args, Failure)
    assert seen == set(profile.tools)
    observations = ObservationSpace(seed=1)
    assert all(observations.contains(observations.sample()) for _ in range(50))


def test_importing_is_light() -> None:
    code = "import sys, caretgym; print([m for m in ('torch','textual','docker','pygls','typer','httpx') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
    assert caretgym.__version__

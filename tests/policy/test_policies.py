"""Oracle, random, replay: whole sessions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caretgym.env.catalog import embedded_ids, find_task
from caretgym.policy import PolicyError, make_policy
from caretgym.policy.oracle import unique_replacements
from caretgym.policy.rollout import rollout


@pytest.mark.parametrize("task", embedded_ids())
@pytest.mark.parametrize("profile", ["cursor-2026", "cursor-2.0"])
async def test_the_oracle_solves_each_embedded_task(task: str, profile: str) -> None:
    result = await rollout(find_task(task), make_policy("oracle"), profile=profile)
    assert (result.outcome, result.reward, result.invalid_calls) == ("solved", 1.0, 0), (result.error, result.verdict)


@pytest.mark.parametrize("task", embedded_ids())
async def test_doing_nothing_solves_none(task: str) -> None:
    result = await rollout(find_task(task), make_policy("noop"))
    assert (result.outcome, result.reward) == ("failed", 0.0)


async def test_a_replay_does_the_same(tmp_path: Path) -> None:
    seen: list[list[str]] = [[], []]
    journal = tmp_path / "a.journal"
    for number, name in enumerate(("random:6", f"replay:{journal}")):

        def watch(turn: object, result: object, out: list[str] = seen[number]) -> None:
            out.append(json.dumps(result.observation.to_dict()))  # type: ignore[attr-defined]

        path = journal if number == 0 else tmp_path / "b.journal"
        await rollout(find_task(None), make_policy(name), seed=5, journal_path=path, watch=watch)
    assert seen[0] == seen[1]
    assert len(seen[0]) > 2


def test_replay_of_lines(tmp_path: Path) -> None:
    good = tmp_path / "t.jsonl"
    good.write_text('{"text": "a"}\n\n{"text": "b", "tool_calls": [{"name": "Shell", "arguments": {}}]}\n')
    make_policy(f"replay:{good}")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "a"}\n{"text": 1}\n')
    with pytest.raises(PolicyError, match="line 2"):
        make_policy(f"replay:{bad}")
    with pytest.raises(PolicyError, match="can't be read"):
        make_policy(f"replay:{tmp_path / 'missing'}")


@pytest.mark.parametrize("name", ["", "nop", "api:model", "api:m@ftp://x", "random:x", "oracle:1"])
def test_unknown_policies_are_named(name: str) -> None:
    with pytest.raises(PolicyError):
        make_policy(name)


LINES = st.lists(st.sampled_from(["a\n", "b\n", "    x = 1\n", "\n", "c"]), max_size=12).map("".join)


@given(LINES, LINES)
def test_replacements_give_the_new_text(before: str, after: str) -> None:
    text = before
    pairs = unique_replacements(before, after)
    if pairs == [("", after)]:
        return
    for old, new in pairs:
        assert text.count(old) == 1
        assert old != new
        text = text.replace(old, new)
    assert text == after

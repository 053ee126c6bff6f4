"""Servers that die, stall, lie and flood: each ends in the right state, and the next request works."""

import asyncio
import time
from collections.abc import Callable

import pytest

from caretgym.ide_sim.lsp.host import LanguageServerFailed
from caretgym.ide_sim.lsp.service import LanguageConfig
from caretgym.ide_sim.lsp.spec import ServerSpec
from tests.ide_sim.lsp.conftest import Desk, Log, fake_spec

UserServer = Callable[[ServerSpec], str]
FAULTS = {
    # what it does once: (state of the answer, state of the next one)
    "killed": ("restarted", "fresh"),
    "hung": ("timed_out", "restarted"),
    "wrong-id": ("timed_out", "restarted"),
    "huge": ("restarted", "fresh"),
    "invalid-utf8": ("restarted", "fresh"),
    "half-header": ("timed_out", "restarted"),
    "wrong-version": ("timed_out", "restarted"),
    "reversed": ("fresh", "fresh"),
    "registrations": ("restarted", "fresh"),
    "closed-stdin": ("timed_out", "restarted"),
    "garbage": ("restarted", "fresh"),
    "exits": ("restarted", "fresh"),
    "stderr-flood": ("fresh", "fresh"),
    "lies": ("crashed", "fresh"),
    "error": ("crashed", "fresh"),
    "none": ("fresh", "fresh"),
    "push": ("fresh", "fresh"),
}
MESSAGES = ["bad: one BAD"]


@pytest.mark.parametrize("mode", FAULTS)
async def test_each_fault_ends_in_its_state_and_the_next_request_works(
    desk: Desk, user_server: UserServer, mode: str
) -> None:
    name = user_server(fake_spec(mode, answer_s=20.0 if mode == "registrations" else 3.0))
    (desk.base / "a.txt").write_text("one BAD\ntwo\n")
    log = Log()
    service = desk.session(LanguageConfig(servers=[name]), log)
    started = time.monotonic()
    (report,) = await service.lints(["a.txt"])
    assert time.monotonic() - started < 20.0 + 5.0 + 2.0  # the deadlines of one answer and one start
    first, second = FAULTS[mode]
    assert report.state == first, report
    if mode == "reversed":
        assert [(i.line, i.character, i.end_line, i.end_character, i.repaired) for i in report.items] == [
            (0, 0, 0, 0, True), (0, 1, 1, 2, True), (2, 0, 2, 0, True),
        ]  # fmt: skip
    elif report.answered:
        assert [i.message for i in report.items] == MESSAGES
        assert log.messages[report.serial - 1][1] == "received"
    else:
        assert report.items == ()
        assert report.detail
    service.workspace.write_bytes("a.txt", b"one\ntwo BAD\n")
    (report,) = await service.lints(["a.txt"])
    assert report.state == second, report
    assert [(i.line, i.message) for i in report.items] == [(1, "bad: two BAD")]
    service.workspace.write_bytes("a.txt", b"one\ntwo\n")
    (report,) = await service.lints(["a.txt"])
    assert (report.state, report.items) == ("fresh", ())


async def test_five_deaths_within_three_minutes_are_an_infrastructure_error(
    desk: Desk, user_server: UserServer
) -> None:
    name = user_server(fake_spec("dies-at-start"))
    (desk.base / "a.txt").write_text("x")
    service = desk.session(LanguageConfig(servers=[name]))
    states = [r.state for _ in range(2) for r in await service.lints(["a.txt"])]
    assert states == ["crashed", "crashed"]
    with pytest.raises(LanguageServerFailed, match="ended 5 times within 3 minutes"):
        await service.lints(["a.txt"])


async def test_a_server_that_is_killed_between_requests_is_started_again(desk: Desk, user_server: UserServer) -> None:
    name = user_server(fake_spec("none"))
    (desk.base / "a.txt").write_text("one BAD\n")
    service = desk.session(LanguageConfig(servers=[name]))
    await service.lints(["a.txt"])
    (host,) = desk.pool.hosts
    for text in ("BAD 1\n", "BAD 2\n", "BAD 3\n"):
        assert host.client is not None
        host.client.connection.abort()
        service.workspace.write_bytes("a.txt", text.encode())
        (report,) = await service.lints(["a.txt"])
        assert (report.state, [i.message for i in report.items]) == ("restarted", [f"bad: {text.strip()}"])


async def test_a_cancelled_question_leaves_the_server_usable(desk: Desk, user_server: UserServer) -> None:
    name = user_server(fake_spec("hung", answer_s=2.0))
    (desk.base / "a.txt").write_text("one BAD\n")
    service = desk.session(LanguageConfig(servers=[name]))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(service.lints(["a.txt"]), 0.7)
    (report,) = await service.lints(["a.txt"])  # it hangs still, and that is noticed now
    assert report.state in ("timed_out", "restarted")
    (report,) = await service.lints(["a.txt"])
    assert [i.message for i in report.items] == MESSAGES

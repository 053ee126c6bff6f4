"""Terminals beyond what the tools show: the screen, the capture's bounds, changes that shells make."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caretgym.ide_sim.terminal.capture import Capture
from caretgym.ide_sim.terminal.screen import ScreenSource
from caretgym.ide_sim.terminal.stream import StreamParser
from tests.conftest import Bench


@given(st.lists(st.text(max_size=30), max_size=30), st.integers(1, 40))
def test_a_capture_keeps_both_ends(pieces: list[str], kept: int) -> None:
    capture = Capture(kept)
    for piece in pieces:
        capture.add(piece)
    whole = "".join(pieces)
    output = capture.output()
    assert (output.chars, output.lines) == (len(whole), whole.count("\n"))
    assert whole.startswith(output.start)
    assert whole.endswith(output.end)
    assert output.omitted_chars == max(0, len(whole) - len(output.start) - len(output.end))
    if len(whole) <= 2 * kept:
        assert output.text == whole


@given(st.binary(max_size=300), st.integers(1, 20))
def test_the_stream_never_fails_and_holds_no_escape(data: bytes, size: int) -> None:
    parser = StreamParser("nonce")
    out = []
    for at in range(0, len(data), size):
        out += parser.feed(data[at : at + size])
    text = "".join(x for x in out if isinstance(x, str)) + parser.finish()
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"one\ntwo", "one\ntwo"),
        (b"50%\r100%", "100%"),
        (b"a\x1b[1;31mb\x1b[0m\x1b[Kc", "abc"),
        (b"x\x1b[2J\x1b[Hy", "y"),
    ],
)
def test_the_screen_is_what_a_person_sees(data: bytes, expected: str) -> None:
    source = ScreenSource(20, 5)
    source.feed(data)
    assert source.text().rstrip() == expected


async def test_the_screen_of_a_session(bench: Bench) -> None:
    await bench.shell("printf 'loading 10%%\\rloading 100%%\\n'")
    assert "loading 100%" in bench.ide.terminals.screen()


async def test_a_job_killed_with_everything_is_told(bench: Bench) -> None:
    job = (await bench.shell("sleep 100", block_until_ms=0)).data["shell_id"]
    await bench.shell("kill -9 -1")
    result = await bench.call("AwaitShell", None, shell_id=str(job), block_until_ms=5000)
    assert "exit code: 137" in result.text
    assert "sleep" not in (await bench.shell("ps ax -o comm")).text


async def test_opaque_and_replaced_directories_are_seen(bench: Bench) -> None:
    await bench.shell("true")
    bench.ide.sync()
    await bench.ide.terminals.run("rm -r src && mkdir src && echo new > src/main.py")
    first = {(c.path, c.kind) for c in bench.ide.sync()}
    assert first == {("src/main.py", "changed"), ("src/util.py", "deleted")}
    await bench.ide.terminals.run("rm -r src; echo file > src; mv README.md R.md; ln -s R.md L")
    second = {(c.path, c.kind) for c in bench.ide.sync()}
    assert second == {
        ("src", "created"),
        ("src/main.py", "deleted"),
        ("README.md", "deleted"),
        ("R.md", "created"),
        ("L", "created"),
    }
    assert bench.ide.sync() == []

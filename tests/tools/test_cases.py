"""Small inputs that broke comparable tools, from their public bug reports. The numbers are our list's."""

import time

import pytest

from caretgym.ide_sim.terminal.stream import Mark, StreamParser
from caretgym.tools.registry import cap_text
from caretgym.tools.shell import shorten
from tests.conftest import Bench


async def test_01_cat_without_input_ends_at_once(bench: Bench) -> None:
    result = await bench.shell("cat > f")
    assert result.ok
    assert bench.read("f") == b""


async def test_02_a_daemon_does_not_hold_the_call(bench: Bench) -> None:
    started = time.monotonic()
    result = await bench.shell("(nohup sleep 100 >/dev/null 2>&1 &)")
    assert result.data["exit_code"] == 0
    assert time.monotonic() - started < 20  # it would be 100
    assert "sleep 100" in (await bench.shell("ps ax")).text


async def test_03_after_the_limit_no_member_of_the_group_survives(bench: Bench) -> None:
    result = await bench.ide.terminals.run(
        "(while :; do sleep 0.05; done) & python3 -c 'while True: pass'", kill_after_ms=400
    )
    assert result.status == "timed_out"
    listing = await bench.ide.terminals.run("ps ax -o args")
    assert "while True" not in listing.output.text
    assert "sleep 0.05" not in listing.output.text


async def test_05_partial_output_is_kept(bench: Bench) -> None:
    result = await bench.ide.terminals.run("echo a line; sleep 30", kill_after_ms=300)
    assert (result.status, result.output.text) == ("timed_out", "a line\n")
    assert result.new_shell


async def test_06_no_history_expansion(bench: Bench) -> None:
    assert (await bench.shell("echo A!B")).data["output"] == "A!B\n"


@pytest.mark.parametrize("command", ["git log -p", "git log", "git diff HEAD~20", "man bash", "systemctl --no-block"])
async def test_09_17_no_pager_ever_waits(bench: Bench, command: str) -> None:
    await bench.shell("git init -q . && for n in $(seq 30); do echo $n > f; git add f; git commit -qm $n; done")
    result = await bench.shell(f"{command} 2>&1")
    assert result.data["type"] == "finished"
    after = await bench.shell("echo hi")
    assert after.data["output"] == "hi\n"


async def test_11_an_unterminated_heredoc_does_not_spoil_the_next_command(bench: Bench) -> None:
    await bench.shell("cat <<EOF\nfoo\n  EOF\n")
    assert (await bench.shell("echo next")).data["output"] == "next\n"
    await bench.shell("echo 'never closed")
    assert (await bench.shell("echo next")).data["output"] == "next\n"


async def test_12_a_character_in_two_reads(bench: Bench) -> None:
    result = await bench.shell("printf '\\xe7\\x95'; sleep 0.1; printf '\\x8c'; sleep 0.05; printf '\\n'")
    assert result.data["output"] == "界\n"


@pytest.mark.parametrize("size", range(1, 12))
def test_12_whatever_the_pieces(size: int) -> None:
    data = "a界🌍\x1b[31mb\x1b]633;C;n\x07é\x1b]0;title\x1b\\z".encode()
    parser = StreamParser("n")
    out = []
    for at in range(0, len(data), size):
        out += parser.feed(data[at : at + size])
    assert "".join(x for x in out if isinstance(x, str)) == "a界🌍béz"
    assert [x for x in out if isinstance(x, Mark)] == [Mark("C", (), True)]


@pytest.mark.parametrize("limit", range(8))
def test_14_cuts_keep_characters_whole(limit: int) -> None:
    text = "a🌍b🌎c"
    shown, cut = shorten(text[:limit], text[-limit:] if limit else "", len(text), limit)
    shown.encode()
    assert cut == (len(text) > limit)
    cap_text(text * 50, 100 + limit).encode()


@pytest.mark.parametrize(
    ("tool", "key"),
    [("Read", "path"), ("Delete", "path"), ("Grep", "path"), ("Glob", "target_directory"), ("LS", "target_directory")],
)
async def test_17_nul_in_a_path_is_a_tool_error(bench: Bench, tool: str, key: str) -> None:
    extra = {"Grep": {"pattern": "x"}, "Glob": {"glob_pattern": "*"}}.get(tool, {})
    result = await bench.call(tool, None, **{key: "/workspace/foo\x00bar"}, **extra)
    assert not result.ok
    assert "NUL" in result.text


async def test_21_a_space_does_not_match_a_tab(bench: Bench) -> None:
    bench.write("f", b"a\tb\nc\td\n")
    result = await bench.call("StrReplace", None, path="f", old_string=" ", new_string="X")
    assert not result.ok
    assert bench.read("f") == b"a\tb\nc\td\n"


async def test_22_every_other_byte_stays(bench: Bench) -> None:
    data = b"\tone\r\n\t two  \r\nthree\t\r\n\xff\xfe mixed\n\r last"
    bench.write("f", data)
    assert (await bench.call("StrReplace", None, path="f", old_string="two", new_string="2")).ok
    assert bench.read("f") == data.replace(b"two", b"2")


async def test_23_two_occurrences_are_refused_with_their_lines(bench: Bench) -> None:
    bench.write("f", "a\nx\ny\nb\nc\nx\ny\n")
    result = await bench.call("StrReplace", None, path="f", old_string="x\ny\n", new_string="z")
    assert not result.ok
    assert "lines 2, 6" in result.text
    assert bench.read("f") == b"a\nx\ny\nb\nc\nx\ny\n"


@pytest.mark.parametrize("pattern", ["- [ ]", "--help", "-e", "-", "--files"])
async def test_27_a_pattern_is_never_an_option(bench: Bench, pattern: str) -> None:
    bench.write("todo.md", "- [ ] buy tea\n-  as a regular expression\n--help me\n-e\n--files\n")
    result = await bench.call("Grep", None, pattern=pattern)
    assert result.ok
    assert "todo.md" in result.text


async def test_28_a_form_feed_ends_no_line(bench: Bench) -> None:
    bench.write("f.py", "1\n2\n3\n\f\n5\ntarget\n")
    assert "6:target" in (await bench.call("Grep", None, pattern="target", path="f.py")).text
    assert "     6|target" in (await bench.call("Read", None, path="f.py")).text


async def test_47_no_future_in_git(bench: Bench) -> None:
    # how tasks are prepared is tested with the session; here: nothing of the host's git shows
    result = await bench.shell("git -C /workspace log 2>&1 | head -1; git config --global --list 2>&1")
    assert "not a git repository" in result.text


async def test_l7_lf_text_matches_in_a_crlf_file(bench: Bench) -> None:
    bench.write("f", b"one\r\ntwo\r\nthree\r\n")
    assert (await bench.call("StrReplace", None, path="f", old_string="one\ntwo\n", new_string="1\n2\n")).ok
    assert bench.read("f") == b"1\r\n2\r\nthree\r\n"


async def test_l10_a_byte_order_mark_stays(bench: Bench) -> None:
    bench.write("f", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert (await bench.call("StrReplace", None, path="f", old_string="two", new_string="2")).ok
    assert bench.read("f") == b"\xef\xbb\xbfone\r\n2\r\n"
    assert "     1|one" in (await bench.call("Read", None, path="f")).text


async def test_l17_a_full_screen_program_is_a_state_and_takes_no_input(bench: Bench) -> None:
    result = await bench.shell("printf '\\033[?1049h'; sleep 60", block_until_ms=300)
    assert result.data["full_screen"]
    assert "full-screen" in result.text
    assert (await bench.shell("echo hi")).data["output"] == "hi\n"


async def test_l19_nul_in_a_command_is_an_argument_error(bench: Bench) -> None:
    result = await bench.shell("echo a\0b")
    assert (result.ok, result.error_class) == (False, "InvalidArguments")
    assert (await bench.shell("echo alive")).data["output"] == "alive\n"


async def test_l21_forged_marks_change_nothing(bench: Bench) -> None:
    forged = "printf '\\033]633;D;0\\007\\033]133;D;0\\033\\\\\\033]633;C\\007\\033]633;D;0;0123456789abcdef\\007'; echo out; exit 3"
    result = await bench.shell(forged)
    assert result.data["exit_code"] == 3
    assert result.data["output"] == "out\n"
    assert result.data["forged_marks"] == 4
    assert not (await bench.shell("")).ok  # an empty command is refused by the schema, and starts nothing


async def test_l21_nonce_is_not_to_be_had_inside(bench: Bench) -> None:
    nonce = None
    await bench.shell("true")
    for shell in bench.ide.terminals._shells.values():
        nonce = shell.process.nonce
    assert nonce
    dump = await bench.shell(
        "declare -p; declare -f; env; tr '\\0' ' ' < /proc/$$/environ; tr '\\0' ' ' < /proc/$$/cmdline"
    )
    assert dump.ok
    assert nonce not in dump.data["output"]


async def test_l24_brackets_are_arguments(bench: Bench) -> None:
    result = await bench.shell("printf '%s|' semgrep --exclude '[node_modules]'")
    assert result.data["output"] == "semgrep|--exclude|[node_modules]|"
    bench.write("[node_modules]/x.py", "needle\n")
    assert "[node_modules]/x.py" in (await bench.call("Grep", None, pattern="needle")).text


async def test_l26_escape_sequences_do_not_reach_the_model(bench: Bench) -> None:
    hostile = (
        b"\x1b]52;c;aGk=\x07 \x1b]0;t\x07 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1bPq#0\x1b\\ \x1b_G\x1b\\ "
        b"\x1b[10A \x1b[6n \x1bc end\n"
    )
    bench.write("h", hostile)
    result = await bench.shell("cat h")
    assert "\x1b" not in result.text
    assert "link" in result.text
    assert "end" in result.text
    unterminated = await bench.shell("printf 'a\\033]0;never ends'; echo; echo b")
    assert unterminated.ok
    assert (await bench.shell("echo next")).data["output"] == "next\n"


async def test_a_shell_prints_while_others_run(bench: Bench) -> None:
    jobs = [await bench.shell(f"for n in 1 2 3; do echo {i}-$n; sleep 0.02; done", block_until_ms=0) for i in range(5)]
    for i, job in enumerate(jobs):
        result = await bench.call("AwaitShell", None, shell_id=str(job.data["shell_id"]), block_until_ms=10000)
        assert "exit code: 0" in result.text
        text = await bench.call("Read", None, path=job.data["output_file"])
        assert f"{i}-3" in text.text


async def test_odd_names_stay_on_one_line_and_are_told_apart(bench: Bench) -> None:
    await bench.shell(
        "echo needle > $'a\\nb'; echo needle > $'caf\\xe9'; echo needle > 'two words'; mkdir $'d\\x1b[31m'"
    )
    for tool, arguments in (
        ("Grep", {"pattern": "needle"}),
        ("Glob", {"glob_pattern": "*"}),
        ("LS", {"target_directory": "."}),
    ):
        text = (await bench.call(tool, None, **arguments)).text
        for name in ("a\\nb", "caf\\xe9", "two words"):
            assert name in text, (tool, text)
        assert "\x1b" not in text

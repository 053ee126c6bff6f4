"""Random edits of a document, and real servers which must see the same text and name the same places, in each encoding."""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from caretgym.ide_sim.document import BinaryFileError, Document, Encoding, Position, Range, TextChange
from caretgym.ide_sim.lsp.client import Observer, text_hash, uri_of
from caretgym.ide_sim.lsp.host import ServerHost
from caretgym.ide_sim.lsp.view import View
from caretgym.ide_sim.workspace import Workspace
from tests.ide_sim.lsp.conftest import located

CASES = [(server, unit) for server in ("ty", "ruff", "clangd") for unit in ("utf-8", "utf-16", "utf-32")]
CASES += [("typescript", "utf-8"), ("typescript", "utf-16"), ("basedpyright", "utf-16")]
PATHS = {"ty": "m.py", "ruff": "m.py", "basedpyright": "m.py", "clangd": "m.cpp", "typescript": "m.ts"}
PYTHON = "\nzq{n}\n"
MARKS = {
    "ty": PYTHON, "ruff": PYTHON, "basedpyright": PYTHON, "clangd": "\nint v{n} = zq{n};\n",
    "typescript": "\n{{ const v{n} = zq{n}; }}\n",
}  # fmt: skip
# what breaks position arithmetic: astral and wide characters, joined ones, all line ends, separators that are no line ends
PIECES = [
    "a",
    "é",
    "界",
    "🙂",
    "👩\u200d💻",
    "e\u0301",
    "\t",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\f",
    "\v",
    "\u2028",
    "\x85",
    "#",
    '"',
    "x = 1",
    "\ufeff",
]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


class Edits(RuleBasedStateMachine):
    """One document, told to one server by the smallest changes; a second one there always gets the whole text anew."""

    loop: asyncio.AbstractEventLoop
    host: ServerHost
    workspace: Workspace
    server: str
    unit: str

    @initialize(start=texts, mark=st.booleans())
    def begin(self, start: str, mark: bool) -> None:
        self.document = Document.from_text(start, Encoding.UTF8_BOM if mark else Encoding.UTF8)
        self.count = 0

    @rule(data=st.data(), new=texts)
    def edit(self, data: st.DataObject, new: str) -> None:
        offsets = sorted(data.draw(st.lists(st.integers(0, len(self.document.text)), min_size=2, max_size=2)))
        if any(self.document.text[o - 1 : o + 1] == "\r\n" for o in offsets if o > 0):
            return  # there is no position between these two
        places = [self.document.position_at(o) for o in offsets]
        self.document.apply([TextChange(Range(*places), new)])

    @rule(data=st.data())
    def mark(self, data: st.DataObject) -> None:
        """An error whose message carries a name of its own, at a random line's start."""
        line = data.draw(st.integers(0, self.document.line_count - 1))
        self.count += 1
        at = Position(line, 0)
        self.document.apply([TextChange(Range(at, at), MARKS[self.server].format(n=self.count))])

    @rule(prefix=st.sampled_from(['"🙂é"; ', "'界'; "]))
    def mark_behind_wide_characters(self, prefix: str) -> None:
        self.count += 1
        mark = MARKS[self.server].format(n=self.count).lstrip("\n").replace(" v", " w")
        line = ("/*🙂é*/ " if self.server in ("clangd", "typescript") else prefix) + mark
        self.document.apply([TextChange(Range(Position(0, 0), Position(0, 0)), line)])

    @precondition(lambda self: self.document.version > 1)
    @rule()
    def undo(self) -> None:
        self.document.undo()

    @rule()
    def redo(self) -> None:
        self.document.redo()

    @rule()
    def clear(self) -> None:
        self.document.set_text("")

    @rule(new=texts)
    def reload(self, new: str) -> None:
        """As from disk: bytes and back."""
        if self.document.text.startswith("\ufeff"):
            return  # a second mark is text; from_bytes would take it for the first
        try:
            self.document = Document.from_bytes(self.document.to_bytes())
        except BinaryFileError:
            return  # a short text with control characters is taken for no text
        self.document.apply([TextChange(None, new + self.document.text)])

    @invariant()
    def the_server_agrees(self) -> None:
        self.loop.run_until_complete(self._check())

    async def _check(self) -> None:
        text = self.document.text
        path, twin = PATHS[self.server], "twin-" + PATHS[self.server]
        view = View({}, "", self.workspace)
        self.host._cache.clear()  # an earlier answer for the same text would prove nothing
        (report,) = await self.host.diagnose(view, [(path, text)], Observer())
        assert report.state == "fresh", report
        client = self.host.client
        assert client is not None
        assert client.dialect.unit == self.unit
        assert client.text_of(path) == text
        assert report.content_hash == text_hash(text)
        for item in report.items:
            assert not item.repaired, (item, text)
            start = self.document.offset_at(Position(item.line, item.character))
            end = self.document.offset_at(Position(item.end_line, item.end_character))
            name = next((word for word in item.message.replace("'", "`").split("`") if word.startswith("zq")), None)
            if name is not None:
                assert text[start:end] == name, (item, text)
        if uri_of(twin) in client.documents:
            client.close(twin)
            self.host._opened.pop(twin, None)
        (fresh,) = await self.host.diagnose(view, [(twin, text)], Observer())
        assert fresh.items == report.items, text


@pytest.mark.parametrize(("server", "unit"), CASES)
def test_positions_agree(server: str, unit: str) -> None:
    loop = asyncio.new_event_loop()
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        place = located(server, encodings=(unit,))
        host = ServerHost(place, Path(folder))
        workspace = Workspace(folder)
        body: dict[str, Any] = {"loop": loop, "host": host, "workspace": workspace, "server": server, "unit": unit}
        machine = type("EditsOf" + server.title(), (Edits,), body)
        examples = int(os.environ.get("CARETGYM_TEST_EXAMPLES", "25"))
        try:
            run_state_machine_as_test(
                machine,
                settings=settings(
                    max_examples=examples, stateful_step_count=12, deadline=None, print_blob=True,
                    suppress_health_check=list(HealthCheck),
                ),
            )  # fmt: skip
            assert host.restarts == 0
        finally:
            loop.run_until_complete(host.stop_now())
            workspace.close()
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


def test_the_wire_types_are_those_of_the_protocol() -> None:
    """What we send in `initialize` is what lsprotocol's own types read."""
    from lsprotocol import converters, types

    from caretgym.ide_sim.lsp.capabilities import client_capabilities

    value = client_capabilities(["utf-8"], dynamic_diagnostics=True)
    read = converters.get_converter().structure(msgspec.to_builtins(value), types.ClientCapabilities)
    assert read.general is not None
    assert list(read.general.position_encodings or ()) == ["utf-8"]
    back = converters.get_converter().unstructure(read)
    assert set(back) == set(value)
    assert set(back["textDocument"]) == set(value["textDocument"])
    assert set(back["workspace"]) == set(value["workspace"])

"""Every real server through the life of a file: what it says depends on the text, so it proves what text it has."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from caretgym.ide_sim.lsp.pool import ServerPool
from caretgym.ide_sim.lsp.records import LintReport
from caretgym.ide_sim.lsp.service import LanguageConfig, LanguageService
from caretgym.ide_sim.lsp.spec import find_spec
from caretgym.ide_sim.workspace import Workspace
from tests.conftest import Bench, start_bench, stop_bench


@dataclass
class Sample:
    """A file in which ``{name}`` is an error that the server reports at the name's place; ``uses`` needs the other file."""

    path: str
    clean: str
    broken: str
    helper: tuple[str, str] | None = None
    uses: str = ""


PY = Sample(
    "m.py", "def f():\n    return 1\n", "# é🙂\ndef f():\n    '🙂'; return {name}\n",
    ("helper.py", "def old_name():\n    return 1\n"), "from helper import old_name\n\nprint(old_name())\n",
)  # fmt: skip
SAMPLES = {
    "ty": PY,
    "ruff": Sample("m.py", PY.clean, PY.broken),
    "basedpyright": PY,
    "typescript": Sample(
        "m.ts", "export const x: number = 1;\n", "/* 🙂 */ export const x: number = {name};\n",
        ("helper.ts", "export function old_name(): number {\n  return 1;\n}\n"),
        'import { old_name } from "./helper.ts";\n\nexport const y: number = old_name();\n',
    ),
    "clangd": Sample(
        "m.cpp", "int f() { return 1; }\n", "/* 🙂 */ int f() {{ return {name}; }}\n",
        ("helper.hpp", "#pragma once\ninline int old_name() { return 1; }\n"),
        '#include "helper.hpp"\n\nint g() { return old_name(); }\n',
    ),
    "bash": Sample("m.sh", "#!/bin/bash\necho hi\n", '#!/bin/bash\necho "🙂 ${name}"\n'.replace("{name}", "{{{name}}}")),
    "json": Sample("m.json", '{"a": 1}\n', '{{"🙂": {name}}}\n'),
}  # fmt: skip


@dataclass
class Stage:
    bench: Bench
    pool: ServerPool
    sample: Sample
    deadline_s: float

    async def lint(self, path: str | None = None) -> LintReport:
        started = time.monotonic()
        (report,) = await self.bench.ide.language.lints([path or self.sample.path])
        assert time.monotonic() - started < self.deadline_s
        return report

    async def names(self, name: str, path: str | None = None) -> None:
        """The server reports this name, at its place."""
        report = await self.lint(path)
        text = self.bench.ide.workspace.read_document(path or self.sample.path).text.split("\n")
        assert report.state in ("fresh", "restarted"), report
        assert report.items, f"the server has another text: {report}"
        found = [
            text[i.line].encode("utf-16-le")[2 * i.character : 2 * i.end_character].decode("utf-16-le")
            for i in report.items
        ]
        assert any(name in part for part in found), (found, report)

    async def clean(self, path: str | None = None) -> None:
        report = await self.lint(path)
        assert report.answered, report
        assert report.items == ()

    def write(self, text: str, path: str | None = None) -> None:
        self.bench.write(path or self.sample.path, text)


@pytest.fixture(params=list(SAMPLES))
async def stage(request: pytest.FixtureRequest, tmp_path: Path, npm_servers: None) -> AsyncIterator[Stage]:
    sample = SAMPLES[request.param]
    base = tmp_path / "base"
    base.mkdir()
    (base / sample.path).write_text(sample.clean)
    if sample.helper:
        (base / sample.helper[0]).write_text(sample.helper[1])
    if request.param == "typescript":
        (base / "tsconfig.json").write_text(
            '{"compilerOptions": {"strict": true, "allowImportingTsExtensions": true, "noEmit": true}}'
        )
    pool = ServerPool()

    def language(workspace: Workspace) -> LanguageService:
        return LanguageService(workspace, base, "tree", LanguageConfig(servers=[request.param]), pool=pool)

    spec = find_spec(request.param)
    bench = await start_bench(base, tmp_path / "host", language=language)
    try:
        yield Stage(bench, pool, sample, 2 * (spec.start_s + spec.answer_s))
    finally:
        await stop_bench(bench)
        await pool.close()


async def test_the_life_of_a_file(stage: Stage) -> None:
    sample, bench = stage.sample, stage.bench
    await stage.clean()  # open
    stage.write(sample.broken.format(name="zq_edit"))
    await stage.names("zq_edit")
    stage.write(sample.clean)
    await stage.clean()
    for number in range(50):  # a burst: only the last text counts
        stage.write(
            "\n" * (number % 3) * (not sample.broken.startswith("#!")) + sample.broken.format(name=f"zq_{number}")
        )
        if number % 7 == 0:
            await stage.names(f"zq_{number}")
    await stage.names("zq_49")
    # rename by the shell: the old name is gone, the new one is known
    ending = sample.path.rpartition(".")[2]
    await bench.shell(f"mv {sample.path} moved.{ending}")
    assert (await stage.lint()).state == "unsupported"
    assert sample.path not in bench.ide.language.files_below()
    await stage.names("zq_49", f"moved.{ending}")
    await bench.call("Delete", None, path=f"moved.{ending}")
    assert (await stage.lint(f"moved.{ending}")).state == "unsupported"
    stage.write(sample.broken.format(name="zq_new"), f"new.{ending}")
    await stage.names("zq_new", f"new.{ending}")
    stage.write(sample.clean)
    await bench.shell(f"sed -i s/zq_new/zq_shell/ new.{ending}")
    await stage.names("zq_shell", f"new.{ending}")


async def test_another_file_changes(stage: Stage) -> None:
    sample = stage.sample
    if sample.helper is None:
        return  # this server looks at one file alone
    stage.write(sample.uses)
    await stage.clean()
    await stage.bench.shell(f"sed -i s/old_name/new_name/ {sample.helper[0]}")
    await stage.names("old_name")
    await stage.bench.shell(f"sed -i s/new_name/old_name/ {sample.helper[0]}")
    await stage.clean()
    await stage.bench.shell(f"rm {sample.helper[0]}")
    assert (await stage.lint()).items
    await stage.bench.shell("git -c init.defaultBranch=main init -q . 2>/dev/null; true")
    stage.write(sample.helper[1], sample.helper[0])
    await stage.clean()


async def test_an_unsaved_buffer_is_what_counts(stage: Stage) -> None:
    document = stage.bench.ide.workspace.open_document(stage.sample.path)
    document.set_text(stage.sample.broken.format(name="zq_unsaved"))
    await stage.names("zq_unsaved")
    assert document.undo()
    await stage.clean()


async def test_killed_servers_come_back_with_their_text(stage: Stage) -> None:
    await stage.clean()
    (host,) = stage.pool.hosts
    stage.write(stage.sample.broken.format(name="zq_killed"))
    for pid in descendants(host.host_pid)[1:]:
        os.kill(pid, signal.SIGKILL)
    await stage.names("zq_killed")
    assert host.restarts == 1
    stage.write(stage.sample.clean)
    await stage.clean()


async def test_a_flood_of_questions_is_answered_in_order(stage: Stage) -> None:
    stage.write(stage.sample.broken.format(name="zq_flood"))
    questions = [stage.bench.ide.language.lints([stage.sample.path]) for _ in range(60)]
    answers = await asyncio.gather(*questions)
    assert len({msgspec.json.encode(r.items) for (r,) in answers}) == 1
    await stage.names("zq_flood")


def descendants(pid: int) -> list[int]:
    """A process and what lies below it, from the top."""
    out, todo = [], [pid]
    while todo:
        process = todo.pop(0)
        out.append(process)
        try:
            todo += [int(p) for p in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
        except FileNotFoundError:
            continue
    return out

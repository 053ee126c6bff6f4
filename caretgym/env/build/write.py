"""The folder of one built task."""

import json
import shutil
from pathlib import Path

import msgspec

from caretgym.env.build.mutate import Fault
from caretgym.env.build.sdist import Source
from caretgym.env.build.suite import REPORT, pytest_command


class Candidate(msgspec.Struct, frozen=True):
    """A fault that a test catches, with all that a task needs. Paths are relative to the repository."""

    fault: Fault
    file: str
    caught_by: tuple[str, ...]
    must_pass: tuple[str, ...]
    selection: tuple[str, ...]
    hidden: tuple[str, ...]
    prompt: str
    check: str


def pytest_ini(source: Source) -> str:
    """The verifier's configuration."""
    root = f"/workspace/{source.import_root}".rstrip("/")
    return f"[pytest]\npythonpath = {root}\naddopts =\n"


def _toml(value: object) -> str:
    """A TOML value: JSON's strings and lists are TOML's."""
    return json.dumps(value, ensure_ascii=False)


def write_task(folder: Path, source: Source, candidate: Candidate, original: bytes, suite: Path) -> None:
    """Write the task's folder; ``suite`` is the tests' folder of the pristine source."""
    fault = candidate.fault
    for name, data in (("overlay", fault.apply(original)), ("solution", original)):
        path = folder / name / candidate.file
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    verify = folder / "verify"
    shutil.copytree(suite, verify / source.tests, ignore=shutil.ignore_patterns("__pycache__"))
    (verify / "pytest.ini").write_text(pytest_ini(source))
    (verify / "selection.txt").write_text("\n".join(candidate.selection) + "\n")
    root = f"/workspace/{source.import_root}".rstrip("/")
    lines = [
        "schema = 1",
        f"id = {_toml(folder.name)}",
        f"title = {_toml(f'A fault in {source.name} {source.version}')}",
        f"prompt = {_toml(candidate.prompt)}",
        'tags = ["debugging", "python", "built"]',
        f"repo = {_toml(f'../../repos/{source.name}-{source.version}')}",
        'overlay = "overlay"',
        f"remove = {_toml(list(candidate.hidden))}",
        'site_packages = "../../toolchain"',
        "",
        "[env]",
        f"PYTHONPATH = {_toml(root)}",
        "",
        "[verify]",
        f"command = {_toml(pytest_command('@/verify/selection.txt'))}",
        "timeout_s = 120",
        f"report = {_toml(REPORT)}",
        f"must_pass = {_toml(list(candidate.must_pass))}",
        "",
        "[solution]",
        f"check = {_toml(candidate.check)}",
        "",
        "[provenance]",
        f"package = {_toml(source.name)}",
        f"version = {_toml(source.version)}",
        f"sha256 = {_toml(source.sha256)}",
        f"licence = {_toml(source.licence)}",
        f"fault = {_toml(fault.kind)}",
        f"line = {fault.line}",
        f"caught_by = {_toml(list(candidate.caught_by))}",
    ]
    (folder / "task.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

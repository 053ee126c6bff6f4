"""Building tasks: faults are exact splices, archives can't write elsewhere, and a small package goes all the way."""

import asyncio
import io
import random
import tarfile
from pathlib import Path

import pytest

from caretgym.env.build import BuildError, build_sdist
from caretgym.env.build.mutate import choose, faults
from caretgym.env.build.prompt import symptom, user_prompt
from caretgym.env.build.sdist import examine, unpack
from caretgym.env.catalog import find_tasks
from caretgym.policy.prove import prove

SOURCE = b'''"""Module."""
import os

LIMIT = 3


class Box:
    def area(self, width, height=1):
        """Area, 2 times."""
        if width < 0 and height > 0:
            raise ValueError("no")
        total = width * height + 1
        total += 2
        return total


def walk(items, start):
    out = []
    for item in items[start:]:
        if not item:
            continue
        if item == "end":
            break
        out.append(pair(item, start))
    return out


def pair(a, b, flag=True):
    return (a, b) if flag else None
'''


def test_every_kind_is_found_and_changes_only_its_bytes() -> None:
    found = faults(SOURCE)
    kinds = {f.kind for f in found}
    assert kinds == {
        "comparison",
        "boolean",
        "arithmetic",
        "constant",
        "condition",
        "statement",
        "result",
        "arguments",
        "loop",
        "slice",
    }
    for fault in found:
        changed = fault.apply(SOURCE)
        assert changed != SOURCE
        assert changed[: fault.start] == SOURCE[: fault.start]
        compile(changed, "x", "exec")
        assert fault.function in ("area", "walk", "pair")
    assert not any(b"2 times" in SOURCE[f.start : f.end] for f in found)


def test_the_choice_is_seeded_and_spread() -> None:
    one, two = (choose(SOURCE, random.Random(4), frozenset({"area", "walk"})) for _ in range(2))
    assert one == two
    assert {f.function for f in one[:2]} == {"area", "walk"}


def test_prompts_tell_the_symptom() -> None:
    output = "E       AssertionError: assert [1, 2] == [1, 2, 3]\nE         Right contains one more item\n"
    assert symptom(output) == "I get [1, 2] where I expect [1, 2, 3]."
    assert symptom("E       AssertionError: Lists differ: [1] != [2]\n") == "I get [1] where I expect [2]."
    assert symptom("E   ValueError: bad\n") == "I get ValueError: bad."
    assert symptom("") == "It does not do what it says."
    assert "`f`" in user_prompt("f", "p", output, random.Random(1))
    assert "_f" not in user_prompt("_f", "p", output, random.Random(1))


def sdist(path: Path, files: dict[str, str], top: str = "tiny-1.0") -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"{top}/{name}" if top else name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


META = "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\nLicense: MIT\n"
TINY = {
    "PKG-INFO": META,
    "pyproject.toml": '[project]\nname = "tiny"\nversion = "1.0"\n',
    "src/tiny/__init__.py": "def clamp(x, low, high):\n    if x < low:\n        return low\n    if x > high:\n        return high\n    return x\n\n\n"
    "def count(items, wanted):\n    total = 0\n    for item in items:\n        if item == wanted:\n            total += 1\n    return total\n",
    "tests/test_clamp.py": "from tiny import clamp\n\n\ndef test_low():\n    assert clamp(1, 2, 5) == 2\n\n\ndef test_high():\n    assert clamp(9, 2, 5) == 5\n\n\n"
    "def test_inside():\n    assert clamp(3, 2, 5) == 3\n",
    "tests/test_count.py": "from tiny import count\n\n\ndef test_some():\n    assert count('abca', 'a') == 2\n\n\ndef test_none():\n    assert count('abc', 'x') == 0\n",
}


def test_bad_archives_are_refused(tmp_path: Path) -> None:
    (tmp_path / "no.tar.gz").write_bytes(b"hello")
    with pytest.raises(BuildError, match="can't be unpacked"):
        unpack(tmp_path / "no.tar.gz", tmp_path)
    evil = sdist(tmp_path / "evil.tar.gz", {"../../evil": "x"})
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(BuildError):
        unpack(evil, tmp_path / "a" / "b")
    assert not (tmp_path / "evil").exists()
    for missing, message in (
        ("tests/test_clamp.py", "ships its tests"),
        ("PKG-INFO", "no PKG-INFO"),
        ("src/tiny/__init__.py", "no package"),
    ):
        files = {
            k: v
            for k, v in TINY.items()
            if k != missing and not (missing.startswith("tests") and k.startswith("tests"))
        }
        folder = tmp_path / missing.replace("/", "-")
        folder.mkdir()
        archive = sdist(folder / "x.tar.gz", files)
        (folder / "out").mkdir()
        with pytest.raises(BuildError, match=message):
            examine(archive, unpack(archive, folder / "out"))


@pytest.mark.registry
def test_a_small_package_goes_all_the_way(tmp_path: Path) -> None:
    archive = sdist(tmp_path / "tiny-1.0.tar.gz", TINY)
    report = asyncio.run(build_sdist(str(archive), tmp_path / "set", count=2))
    assert len(report.tasks) == 2
    for task in find_tasks([tmp_path / "set"]):
        assert task.file.verify.must_pass
        assert asyncio.run(prove(task)).problems == ()
    with pytest.raises(FileExistsError):
        asyncio.run(build_sdist(str(archive), tmp_path / "set"))


@pytest.mark.registry
def test_a_package_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no source distribution of caretgym-no-such-package"):
        asyncio.run(build_sdist("caretgym-no-such-package", tmp_path / "set"))
    assert list(tmp_path.iterdir()) == []

"""The agent's tests must pass on the good module and fail on every mutant."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MUTANTS = sorted(p.name for p in (HERE / "mutants").iterdir())
TESTS = Path("/workspace/tests/test_csv_import.py")


def run(tmp_path, module):
    shutil.copytree(HERE / "package", tmp_path / "src")
    if module is not None:
        shutil.copyfile(module, tmp_path / "src" / "inventory" / "csv_import.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    shutil.copyfile(TESTS, tmp_path / "test_csv_import.py")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-c", "pytest.ini", "--rootdir=.", "test_csv_import.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=30).returncode


def test_good(tmp_path):
    assert run(tmp_path, None) == 0


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_caught(tmp_path, name):
    assert run(tmp_path, HERE / "mutants" / name) == 1

"""The built package: everything that a user needs is in the wheel, and it works from there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.registry
def test_tasks_are_proven_from_an_installed_wheel(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(tmp_path / "wheel"), str(ROOT)], check=True)
    (wheel,) = (tmp_path / "wheel").iterdir()
    # compiled on installation, as users have it
    subprocess.run(
        [*pip, "install", "--no-deps", "--compile", "--target", str(tmp_path / "site"), str(wheel)], check=True
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    code = "import caretgym; from caretgym.cli import main; print(caretgym.__file__); main()"
    for task in ("shellkit-dry-run-feature", "eventlog-numbers-off"):
        result = subprocess.run(
            [sys.executable, "-c", code, "tasks", "check", task],
            env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr + result.stdout
        assert str(tmp_path / "site") in result.stdout
        assert f"proven  {task}" in result.stdout

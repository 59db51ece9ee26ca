"""`make test`: what failed beside others is run once more alone; what fails again fails the suite."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_suite(folder: Path, tests: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:django -p no:deepeval -p no:valkey\n")
    (folder / "test_some.py").write_text(tests)
    return subprocess.run(
        [sys.executable, "-m", "tests.run_suite", "-q", "test_some.py"], cwd=folder, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=120, check=False,
    )  # fmt: skip


def test_a_real_failure_fails_again(tmp_path: Path) -> None:
    done = run_suite(tmp_path, "def test_real():\n    assert 1 == 2\n")
    assert done.returncode == 1
    assert done.stdout.count("1 failed") == 2


def test_a_lost_race_is_named_and_run_alone(tmp_path: Path) -> None:
    body = "from pathlib import Path\ndef test_race():\n    seen = Path('seen')\n    if not seen.exists():\n"
    done = run_suite(tmp_path, body + "        seen.touch()\n        assert False, 'slow'\n")
    assert done.returncode == 0
    assert "run once more alone (1):\n  test_some.py::test_race" in done.stdout


@pytest.mark.parametrize(
    "body, code",
    [
        ("".join(f"def test_{at}():\n    assert 0\n" for at in range(6)), 1),
        ("import nothing_of_the_name\n", 2),
        ("def test_good():\n    pass\n", 0),
    ],
)
def test_many_failures_and_broken_files_are_final_at_once(tmp_path: Path, body: str, code: int) -> None:
    done = run_suite(tmp_path, body)
    assert done.returncode == code
    assert "once more" not in done.stdout

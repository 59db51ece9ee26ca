"""Tests that need ../shared are skipped where it is missing, and counted; one without the mark is told."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONE_MARKED = "tests/core/test_document_parsing.py::test_every_shared_conversation_is_taken_whole"


def test_they_are_counted_where_it_is_missing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", ONE_MARKED],
        cwd=ROOT,
        env={**os.environ, "RATIBA_TESTS_SHARED": str(tmp_path / "gone")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"1 tests need {tmp_path / 'gone'} and were skipped" in done.stdout


def test_a_test_that_reads_it_without_the_mark_fails(tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "text").write_text("x")
    unmarked = tmp_path / "test_unmarked.py"
    unmarked.write_text(f"def test_reads():\n    open({str(folder / 'text')!r}).read()\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.shared_data", str(unmarked)],
        cwd=ROOT,
        env={**os.environ, "RATIBA_TESTS_SHARED": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "lacks @pytest.mark.shared" in done.stdout, done.stdout + done.stderr

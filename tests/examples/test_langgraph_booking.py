"""The example repository runs its own layers 1 to 3 as its users would, with nothing but loopback to reach."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.databases import own_database
from tests.guards.source import ROOT

EXAMPLE = ROOT / "examples" / "langgraph_booking"
STATE = (".ratiba", "var", ".venv", ".server")


@pytest.fixture
def repository(tmp_path):
    """A copy, so that nothing is written into the checkout."""
    folder = tmp_path / "langgraph_booking"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", ".*_cache", *STATE))
    (folder / ".git").mkdir()
    return folder


@pytest.fixture
def database():
    with own_database("example") as address:
        yield address


def played(folder: Path, database: str, *arguments: str) -> str:
    words = ["-p", "pytest_ratiba.entry"]
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, "-q", "--rootdir", ".", *arguments],
        cwd=folder,
        # The address of the application's own database is there, and never used.
        env={
            **kept,
            "PYTHONPATH": str(ROOT / "plugin" / "src"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # the package may be installed from this checkout, too
            "RATIBA_TEST_DATABASE_URL": database,
            "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/production",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout + done.stderr


def test_layers_1_to_3_pass_without_a_model_and_cover_every_transition(repository, database):
    told = played(repository, database, "--layer", "1-3")
    assert re.search(r"\n46 passed", told), told
    assert "16 of 16 transitions" in told
    assert "58 played, 10 stubbed" in told
    with psycopg.connect(database) as connection:
        left = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'test%' "
            "UNION ALL SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ).fetchall()
    assert left == []


def test_a_prompt_that_changed_has_no_recording_and_a_broken_machine_stops_the_layers_above(repository, database):
    prompt = repository / "booking" / "prompts" / "receptionist.md"
    prompt.write_text(prompt.read_text().replace("warmly", "curtly"))
    told = played(repository, database, "--layer", "1-2")
    assert "3 failed" in told, told
    assert "curtly" in told

    machine = repository / "booking" / "fsm.yaml"
    machine.write_text(
        machine.read_text().replace("event: payment_failed, to: offering", "event: payment_failed, to: confirmed")
    )
    told = played(repository, database, "--layer", "1-2")
    assert "transcripts_follow_the_machine" in told
    assert "payment_failed_then_handoff, step 3: payment_pending --payment_failed--> offering is not declared" in told
    assert "3 skipped" in told

"""`make loop` as a new user runs it: an empty database, real web server, workers and beat, a model that obeys."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_ratiba.server import free_ports
from tests.databases import own_database
from tests.journey.conftest import Machine

STOPS = [
    "measured", "thumbs-down", "candidate", "released", "red gate",
    "draft", "trial", "handed over", "green gate", "kept",
]  # fmt: skip


@pytest.fixture
def empty_database() -> Iterator[str]:
    with own_database("loop") as address:
        yield address


def test_from_a_thumbs_down_to_a_prompt_that_is_better_and_a_gate_that_keeps_it(
    machine: Machine, empty_database: str
) -> None:
    web, model = free_ports(2)
    ports = {"RATIBA_PORT": str(web), "RATIBA_LOOP_MODEL_PORT": str(model)}
    here = replace(machine, env={**machine.env, **ports, "DATABASE_URL": empty_database})
    walked = here.command("loop", timeout_s=400)
    assert walked.returncode == 0, walked.stdout + walked.stderr
    summary = json.loads((Path(machine.env["RATIBA_STATE_DIR"]) / "loop" / "summary.json").read_text())
    told = {one["stop"]: one["found"] for one in summary["stops"]}
    assert list(told) == STOPS
    assert told["red gate"].startswith("fail:")
    assert told["red gate"].partition("Prevented: ")[2].count("production_") == 3
    assert told["trial"].startswith("Better: +")
    assert told["green gate"].startswith("pass:")
    assert told["kept"].count("prevented 1") == 3
    again = here.command("loop", timeout_s=100)
    assert again.returncode == 2, again.stdout + again.stderr
    assert "walks once" in again.stderr

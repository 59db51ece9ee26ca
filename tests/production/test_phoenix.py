"""Twelve battles are traces in a real Phoenix, read back by its own API. Skipped where no `phoenix` is installed
(`pip install arize-phoenix` in an environment of its own, RATIBA_TEST_PHOENIX=<that>/bin/phoenix)."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.exports.domain.exported_spans import trace_of
from apps.production.otlp.services.delivery import enqueue_otlp
from apps.runs.models import TestRun
from apps.runs.playing.services import control
from tests.production.langfuse_rows import otlp_receiver
from tests.production.played_rows import judged
from tests.runs.stage import NOW, SCRIPT, battles, make_agent, make_scenarios, of, play

PHOENIX = os.environ.get("RATIBA_TEST_PHOENIX") or shutil.which("phoenix")
pytestmark = pytest.mark.skipif(not PHOENIX, reason="no Phoenix is installed")
CALL = {"id": "k1", "name": "free_slots", "arguments": {"day": "Friday"}, "result": ["10:00"]}


@pytest.fixture
def phoenix(tmp_path: Path) -> Iterator[str]:
    """Its address; a server of its own, with an empty database."""
    ports = [_free_port(), _free_port()]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PHOENIX_")},
        "PHOENIX_WORKING_DIR": str(tmp_path), "PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(ports[0]),
        "PHOENIX_GRPC_PORT": str(ports[1]), "PHOENIX_TELEMETRY_ENABLED": "false",
    }  # fmt: skip
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen([str(PHOENIX), "serve"], env=environment, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{ports[0]}"
        for _ in range(240):
            if server.poll() is not None:
                pytest.fail((tmp_path / "log").read_text()[-2000:])
            try:
                read(url, "projects")
                break
            except OSError:
                time.sleep(0.5)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_twelve_battles_and_their_scores_are_traces_there(tenant, judge_config, phoenix, settings):
    settings.PRIVATE_HOSTS = ("127.0.0.0/8",)
    make_agent(SCRIPT[0], {"text": SCRIPT[1], "tool_calls": [CALL]}, SCRIPT[2])
    make_scenarios(12, opening="Hi, a haircut please. My number is 0712 345 678.")
    run = battles()
    play()
    control.finish_runs(now=NOW)
    played = of(run)
    assert Counter(one.status for one in played) == {"ended": 12}
    for one in played[:3]:
        judged(one, judge_config, NOW)
    otlp_receiver(phoenix, sends_since=NOW - timedelta(hours=1))
    for minute in (1, 2):  # the second look finds nothing
        enqueue_otlp(now=NOW + timedelta(minutes=minute))
        deliver_due(now=lambda: NOW + timedelta(minutes=2), kinds=[delivery_kind_of("otlp_deliveries")])
    assert Counter(OutboundDelivery.objects.values_list("status", flat=True)) == {"delivered": 15}

    spans = stored(phoenix, at_least=12 * 5 + 6)
    assert {one["context"]["trace_id"] for one in spans} == {trace_of(one.pk, 1) for one in played}
    kinds = Counter(one["span_kind"] for one in spans)
    assert (kinds["CHAIN"], kinds["TOOL"], kinds["AGENT"], kinds["EVALUATOR"]) == (12, 12, 36, 3)
    assert {one["attributes"]["session.id"] for one in spans} == {str(one.pk) for one in played}
    (root, *_) = [one for one in spans if one["span_kind"] == "CHAIN"]
    assert root["attributes"]["input.value"].endswith("+254 7** *** 678.")
    events = [event for one in spans for event in one["events"]]
    assert Counter(one["attributes"]["gen_ai.evaluation.name"] for one in events) == {"weighted_score": 3, "tone": 3}
    assert "345 678" not in json.dumps(spans)
    assert TestRun.objects.get(pk=run).status == "completed"


def stored(url: str, *, at_least: int) -> list[dict[str, Any]]:
    """All spans of our project, once so many are there: Phoenix writes them down after it has answered."""
    for _ in range(60):
        found = read(url, "projects/ratiba-eval/spans?limit=1000")["data"]
        if len(found) >= at_least:
            return list(found)
        time.sleep(0.5)
    raise AssertionError(f"{len(found)} spans are there")


def read(url: str, path: str) -> Any:
    try:
        with urllib.request.urlopen(f"{url}/v1/{path}", timeout=10) as answer:  # noqa: S310 - of our own
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return {"data": []}
        raise


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])

"""From a file to a table in one command, which needs no worker and minds those there are."""

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.judge_here import judge_here
from apps.jobs.worker_loop import free_slot, take_slot
from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from tests.evaluations.bench import NOW, evaluated, make_config
from tests.evaluations.test_commands import run_command
from tests.loopback.http_server import LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, right_score

pytestmark = pytest.mark.usefixtures("knocks")
ROOT = Path(__file__).parents[2]


def written(path: Path, count: int, *broken: str) -> Path:
    lines = [json.dumps({"id": f"c{n}", "turns": [{"role": "user", "content": f"Hi #key=c{n}"}]}) for n in range(count)]
    path.write_text("\n".join([lines[0], *broken, *lines[1:]]))
    return path


def stub(latency_s: float = 0.0) -> tuple[StubModel, LoopbackServer]:
    model = StubModel(Behaviour(latency_s=latency_s))
    return model, LoopbackServer(model)


@pytest.fixture
def rated(fresh_tenant):
    """The tenant, and a model whose scores are known."""
    model, server = stub()
    with server:
        with in_tenant(fresh_tenant):
            make_config(url=f"{server.url}/v1")
        yield fresh_tenant, model


def test_a_file_becomes_a_table_with_no_worker_running(rated, tmp_path):
    tenant, model = rated
    file, table = written(tmp_path / "chats.jsonl", 6), tmp_path / "rows.csv"
    code, answer, _ = run_command("evaluate", file, "--config", "probe", "--out", table, tenant=tenant)
    rows = list(csv.DictReader(table.read_text("utf-8-sig").splitlines()))
    assert {(row["criterion"], float(row["score"])) for row in rows if row["conversation"] == "c3"} == {
        (name, right_score("c3", name)) for name in ("first", "second", "third")
    }
    assert (len(rows), answer["rows"], answer["file"], answer["format"]) == (18, 18, str(table), "csv")
    assert (answer["evaluation"]["status"], answer["evaluation"]["counts"]["scored"]) == ("completed", 6)
    assert (code in (0, 1), answer["refused"], model.outcomes.total()) == (True, [], 6)
    with in_tenant(tenant):
        assert TestRun.objects.get().name == "chats.jsonl"


def test_bad_lines_are_told_by_number_and_good_ones_are_judged(rated, tmp_path):
    tenant, _ = rated
    file = written(tmp_path / "chats.jsonl", 3, "nonsense", '{"turns": []}')
    code, answer, err = run_command("evaluate", file, "--config", "probe", tenant=tenant)
    assert (code, [one["line"] for one in answer["refused"]]) == (1, [2, 3])
    assert ("line 2: not JSON" in err, answer["evaluation"]["counts"]["scored"]) == (True, 3)
    assert "rows" not in answer


@pytest.mark.parametrize("suffix, first", [("jsonl", b"{"), ("parquet", b"PAR1")])
def test_the_suffix_is_the_format(rated, tmp_path, suffix, first):
    tenant, _ = rated
    table = tmp_path / f"rows.{suffix}"
    _, answer, _ = run_command(
        "evaluate", written(tmp_path / "a.jsonl", 2), "--config", "probe", "--out", table, tenant=tenant
    )
    assert (answer["format"], table.read_bytes()[: len(first)]) == (suffix, first)


@pytest.mark.parametrize(
    "arguments, why",
    [
        (("{file}", "--config", "probe", "--out", "rows.xlsx"), ".csv, .parquet, .jsonl"),
        (("{file}", "--config", "probe", "--out", "/nowhere/rows.csv"), "cannot write"),
        (("{file}.gone", "--config", "probe"), "no file"),
        (("{file}", "--config", "nobody"), "nobody"),
        (("{file}", "--run", "01a1fc95-0000-7000-8000-000000000000", "--config", "probe"), "not allowed with"),
        (("--config", "probe"), "required"),
        (("--run", "01a1fc95-0000-7000-8000-000000000000", "--config", "probe", "--out", "r.csv"), "export_results"),
    ],
)
def test_wrong_use_is_told_before_anything_is_stored(db, tmp_path, arguments, why):
    with in_tenant("acme"):
        make_config()
    file = written(tmp_path / "a.jsonl", 1)
    code, answer, err = run_command("evaluate", *(one.format(file=file) for one in arguments))
    assert (code > 0, answer) == (True, None)  # what argparse refuses is 2 only from a shell
    assert why in err
    with in_tenant("acme"):
        assert (TestRun.objects.count(), Evaluation.objects.count()) == (0, 0)


def test_a_file_without_a_good_line_is_wrong_use(db, tmp_path):
    with in_tenant("acme"):
        make_config()
    (tmp_path / "a.jsonl").write_text("nonsense")
    assert run_command("evaluate", tmp_path / "a.jsonl", "--config", "probe")[:2] == (2, None)


def test_a_judge_that_is_down_is_unmeasurable_and_the_table_says_why(fresh_tenant, tmp_path, monkeypatch):
    monkeypatch.setattr("apps.budgets.services.metered_run.AWAY_S", 2.0)  # ten minutes, for a server that starts again
    monkeypatch.setattr("apps.connectors.retry.AWAY_WAIT_S", 0.5)
    with in_tenant(fresh_tenant):
        make_config(url="http://127.0.0.1:10/v1")
    table = tmp_path / "rows.jsonl"
    code, answer, _ = run_command(
        "evaluate", written(tmp_path / "a.jsonl", 1), "--config", "probe", "--out", table, tenant=fresh_tenant
    )
    assert (code, answer["evaluation"]["status"]) == (3, "failed")
    assert {json.loads(line)["state"] for line in table.read_text().splitlines()} == {"model_error"}


def test_slots_that_other_workers_hold_are_theirs(rated):
    """With every lane taken the command waits; as one is free it judges."""
    tenant, model = rated
    seen = []
    with in_tenant(tenant):
        evaluation = evaluated("probe", "a", "b")
    holds, let_go = threading.Event(), threading.Event()

    def worker() -> None:
        try:
            with in_tenant(tenant):
                assert take_slot("judging", 0)
                holds.set()
                assert let_go.wait(20)
                free_slot("judging", 0)
        finally:
            connection.close()

    thread = threading.Thread(target=worker)
    thread.start()
    assert holds.wait(20)

    def progress(now) -> None:
        seen.append((now.done, let_go.is_set(), model.outcomes.total()))
        let_go.set()

    with in_tenant(tenant):
        end = judge_here(
            evaluation_id=evaluation.id, slots=1, concurrency=4, now=lambda: NOW, on_progress=progress, timeout_s=30
        )
    thread.join(20)
    assert (seen[0], end.ended, model.outcomes.total()) == ((0, False, 0), True, 2)


def test_an_interrupt_leaves_rows_that_others_can_finish(rated, tmp_path, database_url):
    """The command as a process of its own, ended by Ctrl-C in the middle: leases are given back, nothing is lost."""
    tenant, _ = rated
    model, server = stub(latency_s=0.2)
    with server:
        with in_tenant(tenant):
            make_config(url=f"{server.url}/v1", name="slow")
        file = written(tmp_path / "a.jsonl", 150)
        argv = [sys.executable, "manage.py", "evaluate", str(file), "--config", "slow", "--tenant", tenant]
        environment = {
            **os.environ,
            "DATABASE_URL": database_url,
            "REDIS_URL": "redis://127.0.0.1:9/0",  # no broker is needed
            "SECRET_KEY": settings.SECRET_KEY,
            "RATIBA_FIELD_KEY": settings.FIELD_KEY,
            "RATIBA_PRIVATE_HOSTS": "loopback",
        }
        process = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        give_up = time.monotonic() + 60
        while model.outcomes.total() < 40 and process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        with in_tenant(tenant):
            evaluation = Evaluation.objects.get()
            left = Judgement.objects.filter(status="pending")
            assert (process.returncode, left.exists()) == (130, True), err.decode()
            assert not left.exclude(lease_token=None).exists()
            assert f"export_results --evaluation {evaluation.id}" in err.decode()
            end = judge_here(
                evaluation_id=evaluation.id,
                slots=1,
                concurrency=64,
                now=timezone.now,
                on_progress=lambda now: None,
                timeout_s=60,
            )
            assert (end.ended, Judgement.objects.filter(status="scored").count()) == (True, 150)

"""The whole way with real processes: imported, judged by a Celery worker that is killed midway, judged once each."""

import json
from collections import Counter
from dataclasses import replace

from django.db import connection
from django.utils import timezone

from apps.budgets.models import ModelCall
from apps.budgets.services.ledger import CALL_LEASE, settle_lost
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from ratiba_eval import programs
from tests.evaluations.bench import make_config
from tests.journey.conftest import Machine, until
from tests.loopback.http_server import LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, right_score

COUNT, AT_ONCE = 40, 4


def test_a_worker_killed_midway_costs_no_score_and_doubles_none(machine: Machine, fresh_tenant: str, tmp_path):
    stub = StubModel(Behaviour(latency_s=0.1))
    with LoopbackServer(stub) as server:
        update_workflow_config(slug=fresh_tenant, changes={"max_concurrent_judgements": AT_ONCE})
        with in_tenant(fresh_tenant):
            make_config(url=f"{server.url}/v1")
        worker(machine, "first")
        run = imported(machine, fresh_tenant, tmp_path)
        evaluation = answered(machine, "evaluate", "--run", run, "--config", "probe", "--tenant", fresh_tenant)
        evaluation_id = evaluation["evaluation"]["id"]

        until(lambda: stub.outcomes["ok"] >= COUNT // 3, what="a third of the judgements")
        machine.supervisor.kill("first")
        machine.supervisor.stop("first")
        before = counts(fresh_tenant, evaluation_id)
        assert before["pending"] > 0
        assert before["scored"] > 0

        worker(machine, "second")
        with in_tenant(fresh_tenant):  # the lease of the lost worker, run out: nobody waits for it here
            Judgement.objects.filter(status="pending").exclude(lease_token=None).update(lease_expires_at=timezone.now())
        answered(machine, "reconcile_runs", run, "--tenant", fresh_tenant)
        until(lambda: ended(fresh_tenant, evaluation_id), what="the end of the evaluation")
        calls = stub.stats()["per_key"]

    with in_tenant(fresh_tenant):
        assert Evaluation.objects.get(pk=evaluation_id).status == "completed"
        assert counts(fresh_tenant, evaluation_id) == {"scored": COUNT}
        rows = list(CriterionScore.objects.values_list("judgement__conversation__external_id", "criterion", "score"))
        assert len(rows) == COUNT * 3
        assert [row for row in rows if row[2] != right_score(row[0], row[1])] == []
        paid_twice = sum(count["calls"] - 1 for count in calls.values())
        assert paid_twice <= AT_ONCE
        settle_lost(now=timezone.now() + CALL_LEASE)
        outcomes = Counter(ModelCall.objects.filter(evaluation_id=evaluation_id).values_list("outcome", flat=True))
        assert outcomes["ok"] == COUNT
        assert COUNT + paid_twice <= outcomes.total() <= COUNT + AT_ONCE  # no call is missing
        assert outcomes["lost"] == outcomes.total() - COUNT
        assert max(Judgement.objects.filter(evaluation_id=evaluation_id).values_list("attempts", flat=True)) <= 2
        begun_twice = Judgement.objects.filter(evaluation_id=evaluation_id, attempts=2).count()
        # Claimed ahead is no attempt; who is killed between the two statements has begun, and asked nobody.
        assert outcomes["lost"] <= begun_twice <= AT_ONCE


def worker(machine: Machine, name: str) -> None:
    program = programs.worker(name, concurrency=1)
    machine.supervisor.start(replace(program, env={**program.env, **machine.env}), restart=False)
    machine.supervisor.wait_for_text(name, "[tasks]")


def imported(machine: Machine, tenant: str, folder) -> str:
    """Imported by the command, one broken line in the middle."""
    lines = [
        json.dumps({"id": f"c{n:03d}", "turns": [{"role": "user", "content": f"Hi #key=c{n:03d}"}]})
        for n in range(COUNT)
    ]
    file = folder / "conversations.jsonl"
    file.write_text("\n".join([*lines[:20], "broken", *lines[20:]]))
    done = machine.command("import_conversations", str(file), "--tenant", tenant, "--json")
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["kept"], [one["line"] for one in answer["refused"]]) == (COUNT, [21])
    return answer["test_run_id"]


def answered(machine: Machine, *arguments: str) -> dict:
    done = machine.command(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def counts(tenant: str, evaluation_id: str) -> Counter:
    with in_tenant(tenant):
        return Counter(Judgement.objects.filter(evaluation_id=evaluation_id).values_list("status", flat=True))


def ended(tenant: str, evaluation_id: str) -> bool:
    with in_tenant(tenant):
        found = not Evaluation.objects.filter(pk=evaluation_id, status__in=["pending", "running"]).exists()
    connection.close()
    return found

"""Two tenants judged at the same time by the same worker: rows, calls and log lines stay apart."""

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from apps.budgets.models import ModelCall
from apps.evaluations.models import CriterionScore, Evaluation
from apps.tenants.context import in_tenant
from apps.tenants.services import add_ephemeral_tenant, delete_tenant
from ratiba_eval import programs
from tests.evaluations.bench import evaluated, make_config
from tests.journey.conftest import Machine, until
from tests.loopback.http_server import LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, right_score

COUNT = 30


def test_nothing_crosses_in_a_worker_that_serves_two_tenants(machine: Machine, fresh_tenant: str):
    tenants = (fresh_tenant, add_ephemeral_tenant(label="other").slug)
    # Prose twice in a row is a parse error, which leaves a line in the log.
    stubs = {tenant: StubModel(Behaviour(latency_s=0.02, prose=0.5, seed=seed)) for seed, tenant in enumerate(tenants)}
    try:
        with LoopbackServer(stubs[tenants[0]]) as one, LoopbackServer(stubs[tenants[1]]) as two:
            asked = {tenant: prepared(tenant, server.url) for tenant, server in zip(tenants, (one, two), strict=True)}
            program = programs.worker("both", concurrency=2)
            machine.supervisor.start(replace(program, env={**program.env, **machine.env}), restart=False)
            for tenant in tenants:
                knocked(machine, tenant)
            until(lambda: all(ended(tenant, asked[tenant]) for tenant in tenants), what="the end of both evaluations")
        for tenant in tenants:
            checked(tenant, asked[tenant], stubs[tenant])
        logged(Path(machine.env["RATIBA_LOG_DIR"]), asked)
    finally:
        delete_tenant(slug=tenants[1])


def prepared(tenant: str, url: str) -> str:
    with in_tenant(tenant):
        ids = [f"{tenant}-{number}" for number in range(COUNT)]
        return str(evaluated(make_config(url=f"{url}/v1"), *ids, marked=True).id)


def knocked(machine: Machine, tenant: str) -> None:
    done = machine.command("reconcile_runs", "--tenant", tenant, "--json")
    assert done.returncode == 0, done.stderr


def ended(tenant: str, evaluation: str) -> bool:
    with in_tenant(tenant):
        return Evaluation.objects.get(pk=evaluation).status in ("completed", "failed")


def checked(tenant: str, evaluation: str, stub: StubModel) -> None:
    assert all(key.startswith(tenant) for key in stub.stats()["per_key"])
    with in_tenant(tenant):
        assert Evaluation.objects.count() == 1
        rows = list(CriterionScore.objects.values_list("judgement__conversation__external_id", "criterion", "score"))
        assert rows
        assert all(key.startswith(tenant) and score == right_score(key, name) for key, name, score in rows)
        assert {str(one) for one in ModelCall.objects.values_list("evaluation_id", flat=True)} == {evaluation}
        assert ModelCall.objects.count() == stub.stats()["calls"]


def logged(folder: Path, asked: dict[str, str]) -> None:
    """Every line that names an evaluation names its tenant, and no other's."""
    found = defaultdict(set)
    for file in folder.glob("*.jsonl*"):
        for line in file.read_text().splitlines():
            entry = json.loads(line)
            if entry.get("evaluation"):
                found[entry["tenant"]].add(entry["evaluation"])
    assert found == {tenant: {evaluation} for tenant, evaluation in asked.items()}

"""Two tenants judged at the same time by the same process: rows, ledger and log lines stay apart."""

import json
import logging
import threading

from django.db import connection

from apps.budgets.models import ModelCall
from apps.core.events import bound
from apps.evaluations.figures.queries.results import count_states
from apps.evaluations.judging.services.judging import judge_in_free_slot
from apps.evaluations.models import CriterionScore, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.tenants.context import in_tenant
from apps.tenants.services import add_ephemeral_tenant, delete_tenant
from tests.evaluations.bench import NOW, imported, make_config
from tests.loopback.http_server import LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, right_score


def test_nothing_crosses_between_tenants_judged_at_once(fresh_tenant, caplog):
    other = add_ephemeral_tenant(label="other").slug
    stubs = {
        fresh_tenant: StubModel(Behaviour(latency_s=0.01, prose=0.3, seed=5)),
        other: StubModel(Behaviour(latency_s=0.01, prose=0.3, seed=6)),
    }
    caplog.set_level(logging.INFO)
    try:
        with LoopbackServer(stubs[fresh_tenant]) as one, LoopbackServer(stubs[other]) as two:
            asked = {
                tenant: prepared(tenant, server.url, count)
                for tenant, server, count in ((fresh_tenant, one, 30), (other, two, 20))
            }
            threads = [threading.Thread(target=worked, args=(tenant,)) for tenant in (fresh_tenant, other) * 2]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
        for tenant, count in ((fresh_tenant, 30), (other, 20)):
            checked(tenant, count, asked[tenant], stubs[tenant])
        lines(caplog, asked)
    finally:
        delete_tenant(slug=other)


def prepared(tenant: str, url: str, count: int):
    with in_tenant(tenant):
        config = make_config(url=f"{url}/v1")
        ids = [f"{tenant}-{n}" for n in range(count)]
        return request_evaluation(config=config, run_id=imported(*ids, marked=True), now=NOW).evaluation_id


def worked(tenant: str) -> None:
    try:
        with in_tenant(tenant), bound(tenant=tenant):
            judge_in_free_slot(slots=2, concurrency=8, now=lambda: NOW)
    finally:
        connection.close()


def checked(tenant: str, count: int, evaluation, stub: StubModel) -> None:
    assert all(key.startswith(tenant) for key in stub.stats()["per_key"])
    with in_tenant(tenant):
        counts = count_states(evaluation)
        assert (counts["pending"], counts["scored"] + counts["parse_error"]) == (0, count)
        names = Judgement.objects.values_list("conversation__external_id", flat=True)
        assert len(names) == count
        assert all(name.startswith(tenant) for name in names)
        rows = CriterionScore.objects.values_list("judgement__conversation__external_id", "criterion", "score")
        assert all(score == right_score(key, criterion) for key, criterion, score in rows)
        assert ModelCall.objects.count() == stub.stats()["calls"]
        assert set(ModelCall.objects.values_list("evaluation_id", flat=True)) == {evaluation}


def lines(caplog, asked) -> None:
    """Every line about an evaluation carries the tenant it belongs to."""
    seen = set()
    for record in caplog.records:
        fields = getattr(record, "fields", {})
        if "judgement" in fields:
            seen.add(fields["tenant"])
            assert fields["evaluation"] == str(asked[fields["tenant"]]), json.dumps(fields, default=str)
    assert seen <= set(asked)

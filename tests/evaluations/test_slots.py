"""Lanes on a database that goes away, and what questions cost at any size."""

import threading
import time

from django.db import connection

from apps.evaluations.figures.queries.results import criterion_results
from apps.evaluations.judging.services import leases as claiming
from apps.evaluations.models import CriterionScore
from apps.evaluations.progress.services.wait import progress_of
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.results.queries.judgement_document import judgement_document, judgements_of
from apps.runs.models import Conversation
from apps.tenants.context import current_schema, in_tenant
from tests.catalog.samples import questions
from tests.evaluations.bench import NOW, evaluated, imported, judge, judging_work, make_config
from tests.loopback.http_server import LoopbackServer
from tests.loopback.stub_model import Behaviour, StubModel, right_score


def test_a_lane_whose_connections_are_cut_goes_on_in_its_own_tenant(fresh_tenant):
    stub = StubModel(Behaviour(latency_s=0.05))
    faults: list[Exception] = []
    schemas: list[str] = []

    def lane() -> None:
        try:
            with in_tenant(fresh_tenant):
                judge(concurrency=4)
                schemas.append(current_schema())
        except Exception as error:
            faults.append(error)
        finally:
            connection.close()

    with LoopbackServer(stub) as server:
        with in_tenant(fresh_tenant):
            config = make_config(url=f"{server.url}/v1")
            ids = [f"c{n}" for n in range(40)]
            asked = request_evaluation(config=config, run_id=imported(*ids, marked=True), now=NOW)
        thread = threading.Thread(target=lane)
        thread.start()
        until = time.monotonic() + 10
        while stub.outcomes["ok"] < 8 and time.monotonic() < until:
            time.sleep(0.01)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert cursor.fetchone()[0] >= 1
        thread.join(30)
    assert (faults, len(schemas)) == ([], 1)
    with in_tenant(fresh_tenant):
        summary = evaluation_summary(asked.evaluation_id)
        assert summary["counts"]["scored"] == 40
        rows = CriterionScore.objects.values_list("judgement__conversation__external_id", "criterion", "score")
        assert [row for row in rows if row[2] != right_score(row[0], row[1])] == []
    assert stub.stats()["calls"] == 40  # what was paid for was stored all the same


def test_questions_cost_the_same_at_any_size(config):
    small, large = evaluated(config, "a"), evaluated(config, *(f"c{n}" for n in range(40)))
    judge()
    for ask, most in (
        (lambda one: evaluation_summary(one.id), 14),  # one for titles of criteria, one for what nobody reviewed
        (lambda one: criterion_results(one.id), 2),
        (lambda one: [judgement_document(row) for row in judgements_of(one.id)], 2),
        (lambda one: progress_of(run_ids=[one.run_id], evaluation_ids=[one.id]), 8),
    ):
        with questions() as few:
            ask(small)
        with questions() as many:
            ask(large)
        assert len(few) == len(many) <= most


def test_claiming_and_storing_cost_the_same_at_any_size(config):
    evaluated(config, *(f"c{n}" for n in range(30)))
    work = judging_work()
    costs = []
    for count in (1, 20):
        with questions() as claimed:
            found = claiming.claim(token=work.token, limit=count, now=NOW)
        assert (len(found), len(claimed)) == (count, 1)
        costs.append(len(claimed))
    assert costs == [1, 1]


def test_importing_costs_the_same_for_few_and_many(tenant):
    with questions() as few:
        imported("a")
    with questions() as many:
        imported(*(f"c{n}" for n in range(300)))
    assert len(few) == len(many)
    assert Conversation.objects.count() == 301

"""What real customers said stands on a page of its own: in no list of test runs, no trend of tests, no baseline."""

from datetime import timedelta

import pytest
from django.test import Client

from apps.catalog.models import Agent
from apps.dashboard.home.queries.inbox import home_page
from apps.dashboard.results.queries.agent_changes import agent_pairs
from apps.dashboard.results.queries.trend import latest_marks
from apps.dashboard.test_set.queries.dry_run import _recent
from apps.evaluations.figures.queries.worst_conversations import worst_conversations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.jobs.work import work_named
from apps.reports.comparisons.queries.baseline import suggest_baseline
from apps.runs.domain.states import RunStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.control import time_out_runs
from apps.tenants.connection import connection
from apps.tenants.context import current_schema, in_tenant
from tests.api.api_client import Door, stock
from tests.dashboard.conftest import make_evaluation, make_run, owner  # noqa: F401 - the fixture
from tests.dashboard.test_pages import text_of
from tests.production.test_intake import NOW, document, post


@pytest.fixture
def production(db: None) -> TestRun:
    """A settled and an open conversation of a real customer, in one run."""
    with in_tenant("acme"):
        Agent.objects.create(name="booking", kind="scripted", options={"replies": ["Hi"]})
        post(document("chat-1", ended=True))
        post(document("chat-2", "I am still typing"))
        return TestRun.objects.get()


def test_it_is_no_test_run_in_lists_and_no_last_run_on_home(owner: Client, production: TestRun) -> None:  # noqa: F811
    assert production.name not in text_of(owner.get("/admin/runs/testrun/"))
    assert "chat-1" not in text_of(owner.get("/admin/runs/conversation/"))
    assert "chat-1" in text_of(owner.get("/admin/runs/conversation/?kind__exact=production"))
    assert production.name in text_of(owner.get("/admin/runs/testrun/?kind__exact=production"))
    listed = Door("acme", stock("acme")[0]).get("test-runs/").json()["results"]
    assert listed == []
    with in_tenant("acme"):
        page = home_page(now=NOW)
    assert (page.lines, page.needs) == ([], [])


def test_its_scores_are_no_point_of_a_trend_and_no_baseline(production: TestRun) -> None:
    with in_tenant("acme"):
        production.agent = Agent.objects.get()
        production.save(update_fields=["agent"])
        make_evaluation(production, list(production.conversations.all()))
        run, rows = make_run(2)
        TestRun.objects.filter(pk=run.pk).update(agent=Agent.objects.get())
        tested = make_evaluation(run, rows)
        assert suggest_baseline(tested) is None
        assert list(latest_marks()) == [tested.pk]
        assert [one.new for one in agent_pairs()] == [tested.pk]
        shown = {one.conversation for one in worst_conversations(config="tea")} | {one.pk for one in _recent()}
        assert shown == {row.pk for row in rows}


def test_an_evaluation_of_its_run_judges_what_is_settled(production: TestRun) -> None:
    with in_tenant("acme"):
        evaluation = make_evaluation(production, [], status="running")
        assert enqueue_judgements(now=NOW, evaluation_id=evaluation.pk) == 1


def test_nobody_waits_for_it_and_no_watchdog_ends_it(production: TestRun) -> None:
    with in_tenant("acme"):
        playing = work_named("playing")
        with connection.cursor() as cursor:
            for sql in (playing.waiting(current_schema()), playing.open(current_schema())):
                cursor.execute(sql, {"now": NOW} if "%(now)s" in sql else None)
                assert cursor.fetchall() == []
        TestRun.objects.update(status=RunStatus.RUNNING)
        assert time_out_runs(now=NOW + timedelta(days=1), minutes=30) == []
        assert Conversation.objects.filter(status="running").count() == 1

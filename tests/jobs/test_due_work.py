"""A tick calls workers where they would find something to do, and nowhere else; nothing that is due is left out."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.budgets.models import Budget, ModelCall
from apps.checks.models import RunLook
from apps.checks.services.enqueue_checks import enqueue_checks
from apps.erasure.models import RetentionRound
from apps.evaluations.figures.services.figures import store_due_figures
from apps.evaluations.models import Evaluation
from apps.jobs import tasks
from apps.jobs.active_tenants import Visits
from apps.jobs.models import InteractiveJob, OutboundDelivery
from apps.jobs.queries.due_work import due_work
from apps.jobs.services.outbound import SLOW
from apps.jobs.work import registered, work_named
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.control import finish_runs
from apps.tenants.context import in_tenant
from tests.catalog.samples import add_persona
from tests.dashboard.conftest import make_evaluation, make_run
from tests.evaluations.bench import NOW as JUDGED_AT
from tests.evaluations.bench import evaluated, make_config

NOW = datetime.now(UTC)
ALWAYS = {"word_retention"}  # until it has looked for the first time


def due(tenant: str = "acme", *, at: datetime = NOW) -> set[str]:
    found = due_work(slugs=[tenant], kinds=registered(), now=at)
    assert {slug for slug, _ in found} <= {tenant}
    return {kind for _, kind in found} - ALWAYS


@pytest.fixture
def idle(tenant: str) -> str:
    """A tenant in which nothing is due."""
    assert due() == set()
    return tenant


def test_nobody_is_called_to_a_new_tenant_but_once_for_its_retention(tenant: str) -> None:
    assert due_work(slugs=["acme", "beta"], kinds=registered(), now=NOW) == {
        ("acme", "word_retention"), ("beta", "word_retention"),
    }  # fmt: skip
    RetentionRound.objects.create(pk=1, due_at=NOW + timedelta(hours=1))
    assert ("acme", "word_retention") not in due_work(slugs=["acme"], kinds=registered(), now=NOW)
    assert ("acme", "word_retention") in due_work(slugs=["acme"], kinds=registered(), now=NOW + timedelta(hours=1))


def test_a_row_that_is_due_calls_its_kind_and_one_that_waits_for_the_clock_calls_none(idle: str) -> None:
    job = InteractiveJob.objects.create(kind="agent_check", subject_id=uuid.uuid4(), requested_by="amina",
                                        requested_at=NOW)  # fmt: skip
    assert due() == {"interactive"}
    InteractiveJob.objects.filter(pk=job.pk).update(not_before=NOW + timedelta(minutes=1))
    assert due() == set()
    assert due(at=NOW + timedelta(minutes=1)) == {"interactive"}


def a_battle_with_an_assertion() -> None:
    run = TestRun.objects.create(kind="battle", status="paused", name="x", plan={})
    Conversation.objects.create(
        run=run, position=0, external_id="c", kind="battle", status="ended", spec={"assertions": [{"contains": "x"}]},
        simulator_verdict="passed", words_of_attempt=1, attempt=1,
    )  # fmt: skip


def a_battle_run_that_ended() -> None:
    TestRun.objects.create(kind="battle", status="completed", name="x", plan={})


def a_run_with_nothing_left_to_play() -> None:
    TestRun.objects.create(kind="replay", status="running", name="x", plan={})


def an_evaluation_that_asked_for_an_analysis() -> None:
    run, rows = make_run(1)
    evaluation = make_evaluation(run, rows)
    Evaluation.objects.filter(pk=evaluation.pk).update(run_analyzer=True)


def an_evaluation_whose_asker_waits() -> None:
    run, rows = make_run(1)
    evaluation = make_evaluation(run, rows)
    Evaluation.objects.filter(pk=evaluation.pk).update(callback_url="https://example.org/")


def an_evaluation_without_figures() -> None:
    run, rows = make_run(1)
    make_evaluation(run, rows)
    Evaluation.objects.update(sums=None)


def an_active_evaluation() -> None:
    run, rows = make_run(1)
    make_evaluation(run, rows, status="running")


def a_stopped_budget() -> None:
    Budget.objects.bulk_create([Budget(id=uuid.uuid4(), kind="tenant", name="", limit_usd=1, stopped_at=NOW)])


def a_call_of_a_killed_worker() -> None:
    ModelCall.objects.create(
        purpose="judge", provider="offline", requested_model="x", model="x", outcome="open", input_tokens=1,
        cached_tokens=0, output_tokens=1, reasoning_tokens=0, latency_ms=1, expires_at=NOW,
    )  # fmt: skip


def a_persona_to_be_validated() -> None:
    add_persona("shemeji", status="pending_validation")


def a_slow_receiver() -> None:
    OutboundDelivery.objects.create(
        kind="callback", subject_id=uuid.uuid4(), event="x", not_before=NOW, waiting_for=SLOW
    )


@pytest.mark.parametrize(
    "happens, kinds",
    [
        (a_battle_with_an_assertion, {"checks"}),
        (a_battle_run_that_ended, {"checks"}),
        (a_run_with_nothing_left_to_play, {"playing"}),
        (an_evaluation_that_asked_for_an_analysis, {"analysis"}),
        (an_evaluation_whose_asker_waits, {"callbacks"}),
        (an_evaluation_without_figures, {"judging"}),
        (an_active_evaluation, {"judging"}),
        (a_stopped_budget, {"judging"}),
        (a_call_of_a_killed_worker, {"judging"}),
        (a_persona_to_be_validated, {"persona_validation"}),
        (a_slow_receiver, {"callbacks", "slow_callbacks"}),
    ],
    ids=lambda one: one.__name__ if callable(one) else "",
)
def test_what_has_no_row_of_its_kind_yet_calls_it_too(idle: str, happens: Callable[[], None], kinds: set[str]) -> None:
    happens()
    assert due() >= kinds


def test_what_was_found_and_done_is_due_no_more(idle: str) -> None:
    a_battle_with_an_assertion()
    RunLook.objects.bulk_create(RunLook(run=run, looked_at=NOW) for run in TestRun.objects.all())
    assert enqueue_checks(now=NOW) == 1
    assert due() == {"checks"}, "the job itself"
    a_run_with_nothing_left_to_play()
    assert finish_runs(now=NOW)
    assert "playing" not in due()


def test_an_evaluation_calls_the_judges_until_it_has_ended_and_its_figures_are_stored(idle: str) -> None:
    config = make_config()
    evaluated(config)
    assert "judging" in due(at=JUDGED_AT)
    Evaluation.objects.update(status="cancelled")
    store_due_figures()
    assert "judging" not in due(at=JUDGED_AT)


# --- ticks ------------------------------------------------------------------------------------------------------------
@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What a tick sends, instead of sending it."""
    calls: list[tuple[str, str]] = []

    def send(*, kwargs: dict[str, Any], **_: Any) -> None:
        calls.append((kwargs["tenant"], kwargs["work"]))

    monkeypatch.setattr(tasks.serve, "apply_async", send)
    monkeypatch.setattr(tasks, "_is_full", lambda *_: False)
    return calls


def visit(monkeypatch: pytest.MonkeyPatch, visits: Visits) -> None:
    monkeypatch.setattr(tasks, "visits_due", lambda **_: visits)


def test_a_tick_calls_what_is_due_and_as_many_workers_as_the_kind_has(
    tenant: str, sent: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(monkeypatch, Visits(slugs=["acme", "beta"]))
    an_active_evaluation()
    RunLook.objects.bulk_create(RunLook(run=run, looked_at=NOW) for run in TestRun.objects.all())
    tasks.tick(every_s=15.0)
    assert sent == [("acme", "judging")] * work_named("judging").workers()
    sent.clear()
    tasks.tick(every_s=5.0)
    assert sent == []


def test_once_in_a_while_every_kind_is_called(
    tenant: str, sent: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(monkeypatch, Visits(slugs=["acme", "beta"], whole=frozenset({"beta"})))
    tasks.tick(every_s=60.0)
    kinds = {kind.name for kind in registered() if kind.every_s == 60.0}
    assert {work for slug, work in sent if slug == "beta"} == kinds
    assert {work for slug, work in sent if slug == "acme"} == ALWAYS


def test_a_tenant_of_another_schema_than_the_codes_is_called_for_all_and_hinders_nobody(
    fresh_tenant: str, sent: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_tenant(fresh_tenant), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE jobs_interactivejob RENAME COLUMN not_before TO later")
    visit(monkeypatch, Visits(slugs=["acme", fresh_tenant]))
    tasks.tick(every_s=15.0)
    assert {work for slug, work in sent if slug == fresh_tenant} == {
        kind.name for kind in registered() if kind.every_s == 15.0
    }
    assert not [work for slug, work in sent if slug == "acme"]


def test_many_tenants_are_asked_in_few_statements(tenant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.jobs.queries.due_work.TOGETHER", 2)
    with CaptureQueriesContext(connection) as captured:
        assert due_work(slugs=["acme", "beta", "acme"], kinds=registered()[:1], now=NOW) == set()
    assert len([one for one in captured if "search_path" not in one["sql"]]) == 2

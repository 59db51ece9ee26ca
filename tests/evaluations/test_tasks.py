"""Workers' doors: ticks reach every ready tenant, a lane pays what is owed and ends what has ended."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from apps.budgets.domain.scopes import month_of
from apps.budgets.models import Budget, CachedResponse
from apps.budgets.services.limits import set_limit
from apps.evaluations import tasks
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.tasks import serve, tick
from apps.runs import tasks as run_tasks
from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from apps.tenants.services import suspend_tenant, update_workflow_config
from tests.evaluations.bench import GOOD_REPLY, evaluated, make_config, reply
from tests.loopback.providers import THE_KEY, THE_NONCE
from tests.runs.stage import battles, make_agent, make_scenarios

NOTHING_SCORED = ("failed", "nothing_scored")  # the offline rules know nothing of tea


def ending(evaluation_id: Any) -> tuple[str, str]:
    return Evaluation.objects.values_list("status", "error_code").get(pk=evaluation_id)


@pytest.fixture
def owed(db, knocks) -> Evaluation:
    with in_tenant("acme"):
        return evaluated(make_config(), "a", "b", now=timezone.now())


REVIEWS = 1  # the other kind that workers of the queue `judging` serve, one of them a tenant


def test_a_tick_calls_every_judging_lane_of_every_ready_tenant(owed, knocks, settings):
    settings.JUDGING_LANES = 3
    tick(every_s=15.0)
    assert knocks("judging") == (3 + REVIEWS) * 2
    suspend_tenant(slug="beta")
    tick(every_s=15.0)
    assert knocks("judging") == (3 + REVIEWS) * 3


def test_a_tick_of_another_interval_calls_none_of_them(owed, knocks):
    tick(every_s=60.0)
    assert (knocks("judging"), knocks("battles")) == (0, 0)
    assert knocks("control") == 2  # certificates, once a tenant


def test_a_tick_and_the_watchdogs_call_a_player_once_per_tenant(owed, knocks):
    tick(every_s=15.0)
    run_tasks.rescue_stalled()
    tasks.watchdog()
    assert (knocks("battles"), knocks("control")) == (2, 4)


def test_the_hourly_tick_recounts_budgets_and_forgets_old_answers(owed, knocks, model):
    tasks.roll_budgets()
    assert knocks("control") == 2
    with in_tenant("acme"):
        Budget.objects.create(id=month_of(timezone.now()).id, kind="month", name=f"{timezone.now():%Y-%m}", spent_usd=9)
        long_ago = timezone.now() - timedelta(days=91)
        CachedResponse.objects.create(key=b"k" * 32, body="", created_at=long_ago, last_used_at=long_ago)
    tasks.roll_tenant(tenant="acme")
    with in_tenant("acme"):
        assert set(Budget.objects.values_list("spent_usd", flat=True)) == {0}
        assert not CachedResponse.objects.exists()


def test_the_next_tick_goes_on_where_a_budget_was_raised(db, knocks, model):
    now, model.text = timezone.now(), reply(GOOD_REPLY, nonce=THE_NONCE, key=THE_KEY)
    with in_tenant("acme"):
        evaluation = evaluated(make_config(url=model.base_url("openai"), model="gpt-4o"), "a", now=now)
        set_limit(scope=month_of(now), usd=Decimal(0))
    serve(tenant="acme", work="judging")
    with in_tenant("acme"):
        assert set(evaluation.judgements.values_list("status", "error_code")) == {("pending", "budget_spent")}
        set_limit(scope=month_of(now), usd=Decimal(1))
    serve(tenant="acme", work="judging")
    with in_tenant("acme"):
        assert set(evaluation.judgements.values_list("status", flat=True)) == {"scored"}


def test_a_judging_lane_pays_everything_and_ends_the_evaluation(owed):
    serve(tenant="acme", work="judging")
    with in_tenant("acme"):
        assert set(owed.judgements.values_list("status", flat=True)) == {"scored"}
        assert ending(owed.pk) == NOTHING_SCORED
    serve(tenant="acme", work="judging")  # safe to repeat
    serve(tenant="beta", work="judging")
    with in_tenant("beta"):
        assert not Judgement.objects.exists()


def test_a_playing_lane_plays_everything_and_ends_the_run(db, knocks):
    with in_tenant("acme"):
        make_agent()
        make_scenarios(2)
        run = battles()
        asked = request_evaluation(config=make_config(), run_id=run, now=timezone.now())
    serve(tenant="acme", work="playing")
    with in_tenant("acme"):
        assert TestRun.objects.get(pk=run).status == "completed"
    serve(tenant="acme", work="judging")
    with in_tenant("acme"):
        assert ending(asked.evaluation_id) == NOTHING_SCORED


@pytest.mark.parametrize("minutes, expected", [(30, "timeout"), (40, "pending")])
def test_the_watchdog_waits_as_long_as_the_tenant_says(owed, minutes, expected):
    update_workflow_config(slug="acme", changes={"watchdog_minutes": minutes})
    long_ago = timezone.now() - timedelta(minutes=35)
    with in_tenant("acme"):
        Evaluation.objects.update(progress_at=long_ago)
        TestRun.objects.update(ended_at=long_ago)
        make_agent()
        make_scenarios()
        run = battles()
        TestRun.objects.filter(pk=run).update(progress_at=long_ago)
    tasks.watch_tenant(tenant="acme")
    run_tasks.rescue_tenant(tenant="acme")
    with in_tenant("acme"):
        assert Evaluation.objects.get(pk=owed.pk).status == expected
        assert TestRun.objects.get(pk=run).status == expected
        assert Evaluation.objects.get(pk=owed.pk).error_message in ("", "Watchdog timeout after 30min")


def test_the_watchdog_ends_what_has_ended_first(owed):
    with in_tenant("acme"):
        Judgement.objects.update(status="not_judged")
        Evaluation.objects.update(progress_at=timezone.now() - timedelta(days=1))
        TestRun.objects.update(ended_at=timezone.now() - timedelta(days=1))
    tasks.watch_tenant(tenant="acme")
    with in_tenant("acme"):
        assert ending(owed.pk) == NOTHING_SCORED

"""A run measures what its scenarios assert, by itself, when its conversations are over."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal as Money
from functools import partial

import pgtrigger
import pytest
from django.db import transaction
from django.db.utils import IntegrityError, ProgrammingError

from apps.budgets.domain.scopes import month_of
from apps.budgets.models import ModelCall
from apps.budgets.services.limits import set_limit
from apps.catalog.models import Scenario
from apps.checks.metrics.registry import METRICS
from apps.checks.models import CheckJob, CheckResult
from apps.checks.services import run_checks
from apps.checks.services.enqueue_checks import enqueue_checks
from apps.checks.services.run_checks import free_silent, measure_due_checks
from apps.evaluations.progress.services.reconciling import reconcile, runs_to_reconcile
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.control import finish_runs
from tests.runs.stage import NOW, at, battles, make_agent, make_scenarios, play

GLOSSARY = {"metric": "GlossarySourceMetric", "threshold": 0.8}
JUDGED = {"metric": "RoleAdherenceMetric", "threshold": 0.5}
HEDGE = "As far as I know, it depends. It could mean several things."


def asserting(*assertions, replies=(HEDGE, {"text": "Goodbye!", "ended": True}), **more):
    make_agent(*replies)
    make_scenarios(1)
    Scenario.objects.update(assertions=list(assertions))
    return battles(**more)


LATER = at(60)


def measured(run, now=LATER):
    enqueue_checks(now=now)
    measure_due_checks(now=lambda: now, until=now)
    return {row.check_name: row for row in CheckResult.objects.filter(run_id=run)}


def test_a_battle_brings_the_results_of_what_its_scenario_asserts(tenant):
    run = asserting(GLOSSARY, JUDGED)
    play()
    found = measured(run)
    assert {name: row.outcome for name, row in found.items()} == {
        "GlossarySourceMetric": "fail", "RoleAdherenceMetric": "unmeasurable",
    }  # fmt: skip
    failed, judged = found["GlossarySourceMetric"], found["RoleAdherenceMetric"]
    assert (failed.score, failed.threshold, failed.attempt, failed.source) == (0.0, 0.8, 1, "scenario")
    assert failed.evidence[0]["quote"]
    assert (failed.measured_at, failed.fingerprint) == (at(60), "")
    assert (judged.score, judged.error_code) == (None, "no_judge")
    assert "no model is configured" in judged.reason
    assert CheckJob.objects.get().status == "completed"


def test_nothing_is_measured_before_the_conversation_is_over_nor_twice(tenant):
    run = asserting(GLOSSARY)
    assert not measured(run)
    play()
    assert measured(run)
    measured(run, at(120))
    assert CheckResult.objects.count() == 1


def test_the_runs_judge_is_frozen_and_its_calls_are_in_the_ledger(tenant, judge):
    run = asserting({"metric": "EnglishFluencyMetric", "threshold": 0.8}, replies=("Good morning, which day suits you?",
                    {"text": "See you tomorrow at ten, goodbye!", "ended": True}))  # fmt: skip
    assert TestRun.objects.get(pk=run).plan["checks_judge"]["model"] == "gpt-4o"
    play()
    row = measured(run)["EnglishFluencyMetric"]
    assert (row.outcome, row.score, row.provider) == ("pass", 0.9, "openai")
    assert len(row.fingerprint) == 64
    call = ModelCall.objects.get()
    assert (call.purpose, call.run_id) == ("metric", run)


def test_a_spent_budget_makes_the_checks_wait_and_keeps_what_facts_decide(tenant, judge):
    run = asserting(GLOSSARY, {"metric": "EnglishFluencyMetric"})
    play()
    set_limit(scope=month_of(NOW), usd=Money("0.000001"))
    assert set(measured(run)) == {"GlossarySourceMetric"}
    job = CheckJob.objects.get()
    assert (job.status, job.waiting_for, job.attempts) == ("pending", "the budget", 0)
    set_limit(scope=month_of(NOW), usd=Money(5))
    assert set(measured(run, at(60 + 300))) == {"GlossarySourceMetric", "EnglishFluencyMetric"}
    assert CheckResult.objects.filter(attempt=1).count() == 2


def test_checks_that_wait_for_money_are_measured_as_soon_as_the_budget_is_raised(tenant, judge):
    run = asserting({"metric": "EnglishFluencyMetric"})
    play()
    set_limit(scope=month_of(NOW), usd=Money("0.000001"))
    assert measured(run) == {}
    assert resume_after_budget_raise(now=LATER) == []
    assert CheckJob.objects.get().wait_code == "budget_spent"
    set_limit(scope=month_of(NOW), usd=Money(5))
    assert resume_after_budget_raise(now=LATER) == [month_of(NOW)]
    job = CheckJob.objects.get()
    assert (job.waiting_for, job.not_before) == ("", None)
    assert set(measured(run)) == {"EnglishFluencyMetric"}


def test_a_conversation_that_broke_off_is_unmeasurable_and_a_cancelled_one_skipped(tenant):
    run = asserting(GLOSSARY, repeats=2)
    rows = Conversation.objects.filter(run_id=run).order_by("position")
    Conversation.objects.filter(pk=rows[0].pk).update(status="failed", blame="agent_transport")
    Conversation.objects.filter(pk=rows[1].pk).update(status="cancelled")
    measured(run)
    found = {row.conversation_id: row for row in CheckResult.objects.all()}
    assert (found[rows[0].pk].outcome, found[rows[1].pk].outcome) == ("unmeasurable", "skipped")
    assert "agent transport" in found[rows[0].pk].reason


def test_an_assertion_nobody_can_read_is_unmeasurable_and_says_why(tenant):
    run = asserting({"metric": "Nonsense"}, GLOSSARY)
    play()
    found = measured(run)
    assert (found["Nonsense"].outcome, found["GlossarySourceMetric"].outcome) == ("unmeasurable", "fail")
    assert "no metric 'Nonsense'" in found["Nonsense"].reason


def test_a_lost_worker_costs_a_lease(tenant):
    run = asserting(GLOSSARY)
    play()
    enqueue_checks(now=at(1))
    CheckJob.objects.update(attempts=1, lease_token="00000000-0000-0000-0000-000000000001", lease_expires_at=at(30))
    assert not measured(run, at(20))
    assert measured(run, at(31))["GlossarySourceMetric"].outcome == "fail"


def test_a_job_whose_workers_are_lost_three_times_ends_and_says_so(tenant):
    run = asserting(GLOSSARY)
    play()
    enqueue_checks(now=at(1))
    CheckJob.objects.update(attempts=3)
    row = measured(run)["GlossarySourceMetric"]
    assert (row.outcome, row.error_code, CheckJob.objects.get().status) == ("unmeasurable", "worker_lost", "failed")


def test_a_stored_result_is_final(tenant):
    run = asserting(GLOSSARY)
    play()
    row = measured(run)["GlossarySourceMetric"]
    for change in (lambda: CheckResult.objects.update(outcome="pass"), CheckResult.objects.all().delete):
        with pytest.raises(ProgrammingError, match="Cannot update or delete"), transaction.atomic():
            change()
    with pytest.raises(IntegrityError, match="one_result_per_check_and_attempt"), transaction.atomic():
        CheckResult.objects.create(
            run_id=run, conversation_id=row.conversation_id, check_name=row.check_name, outcome="pass", score=1.0,
            source="command", measured_at=NOW,
        )  # fmt: skip


def test_a_killed_workers_checks_cost_a_minute_and_reconcile_frees_them_before(tenant):
    run = asserting(GLOSSARY)
    play()
    finish_runs(now=LATER)
    enqueue_checks(now=LATER)
    assert len(run_checks._claim(LATER)) == 1, "and the worker is killed"
    measure_due_checks(now=lambda: at(100), until=at(100))
    assert not CheckResult.objects.exists()
    assert not runs_to_reconcile(now=at(100)), "it may be asking"
    assert runs_to_reconcile(now=at(106)) == [run], "though the run has ended"
    assert reconcile(run_id=run, now=at(106)) == 1
    measure_due_checks(now=lambda: at(106), until=at(106))
    assert CheckResult.objects.count() == 1
    assert timedelta(minutes=1) <= run_checks.LEASE <= timedelta(minutes=2)


def test_a_workers_heartbeat_extends_all_it_holds(tenant, judge):
    run = asserting({"metric": "EnglishFluencyMetric", "threshold": 0.8})
    play()
    enqueue_checks(now=LATER)
    (job,) = run_checks._claim(LATER)
    clock = [at(120)]
    run_checks._result_of(job, lambda: clock[0], partial(run_checks._extend, [job], lambda: clock[0]))
    assert CheckJob.objects.get(pk=job.pk).lease_expires_at == at(120) + run_checks.LEASE
    assert not free_silent(run_id=run, now=at(160))


def test_a_conversation_that_cannot_be_read_is_unmeasurable_alone(tenant):
    make_agent(HEDGE, {"text": "Goodbye!", "ended": True})
    make_scenarios(2)
    Scenario.objects.update(assertions=[GLOSSARY])
    run = battles()
    play()
    bad, good = Conversation.objects.filter(run_id=run).order_by("position")
    with pgtrigger.ignore():
        Conversation.objects.filter(pk=bad.pk).update(spec={**bad.spec, "assertions": 7})
    measured(run)
    assert CheckResult.objects.get(conversation=good).check_name == "GlossarySourceMetric"
    broken = CheckResult.objects.get(conversation=bad)
    assert (broken.check_name, broken.outcome, broken.error_code) == ("assertions", "unmeasurable", "broken_row")
    assert {row.conversation_id: row.status for row in CheckJob.objects.all()} == {
        bad.pk: "failed", good.pk: "completed",
    }  # fmt: skip


def test_a_metric_that_breaks_on_a_conversation_costs_no_other(tenant, monkeypatch):
    async def breaks(case, judge):
        raise KeyError("slot")

    run = asserting(GLOSSARY, {"metric": "BookingSlotConsistencyMetric", "threshold": 0.5})
    play()
    broken = replace(METRICS["BookingSlotConsistencyMetric"], measure=breaks)
    monkeypatch.setitem(METRICS, "BookingSlotConsistencyMetric", broken)
    found = measured(run)
    assert {name: row.outcome for name, row in found.items()} == {
        "GlossarySourceMetric": "fail", "BookingSlotConsistencyMetric": "unmeasurable",
    }  # fmt: skip
    assert found["BookingSlotConsistencyMetric"].error_code == "broken_row"

"""From the end of a battle to its verdict: kept, played again, out; and what a death, a spent budget or a model that
is down leave behind."""

import json
from decimal import Decimal
from functools import partial

import pgtrigger
import pytest
from django.db import DatabaseError, IntegrityError, OperationalError, transaction
from jsonschema import Draft202012Validator

from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.models import ModelCall
from apps.budgets.services.limits import set_limit
from apps.budgets.services.paid_work import PaidWork
from apps.catalog.models import Persona
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Judgement
from apps.evaluations.progress.queries.status import run_status
from apps.evaluations.requests.services.creating import request_evaluation
from apps.personas.services.simulator_review import ReviewRows
from apps.reports.run_reports.queries.run_report import run_report
from apps.reports.run_reports.services.report_files import SCHEMA
from apps.runs.models import Conversation, SimulatorReview
from apps.runs.playing.queries.persona_records import persona_records
from apps.runs.playing.queries.simulator_counts import simulator_counts
from apps.runs.playing.services import control
from apps.runs.playing.services.reservations import resume_unpaid
from tests.evaluations.bench import make_config
from tests.loopback import formats
from tests.personas.review_bench import (
    KEPT,
    REVIEW,
    REVIEWER,
    fault,
    models,
    play_and_review,
    review,
    reviewed_battles,
    stored,
    verdicts,
)
from tests.runs.stage import (
    NOW,
    at,
    battles,
    make_agent,
    make_golden,
    make_scenarios,
    of,
    only,
    play,
    replays,
    said,
    status,
)


def finished(run) -> str:
    control.finish_runs(now=NOW)
    return status(run)


def test_a_battle_is_not_over_for_anybody_before_its_verdict(tenant):
    with models():
        run = reviewed_battles()
        evaluation = request_evaluation(config=make_config(), run_id=run, now=NOW).evaluation_id
        play()
        assert verdicts(run) == [("ended", "pending", 1)]
        assert finished(run) == "running"
        found = run_status(run, now=NOW)
        assert (found["status"], found["progress"]) == ("running", 0.0)
        assert found["waiting_for"] == "0 simulated customers being reviewed, 1 queued"
        enqueue_judgements(now=NOW)
        assert not Judgement.objects.filter(evaluation_id=evaluation).exists()
        review()
    assert verdicts(run) == [("ended", "kept", 1)]
    assert finished(run) == "completed"
    enqueue_judgements(now=NOW)
    assert Judgement.objects.filter(evaluation_id=evaluation, status="pending").count() == 1
    (row,) = SimulatorReview.objects.all()
    assert (row.provider, row.model, row.findings) == ("reviewer", "reviewer-model", [])
    assert {call.purpose for call in ModelCall.objects.filter(model="reviewer-model")} == {"simulator_review"}


def test_an_invalid_battle_is_another_attempt_in_a_new_session(tenant):
    with models(KEPT) as (customer, reviewer):
        run = reviewed_battles()
        play()
        reviewer.text = fault()
        review()
        row = only(run)
        assert (row.status, row.simulator_verdict, row.attempt, row.session) == ("pending", "", 2, {})
        assert said(row) == []
        reviewer.text = KEPT
        play_and_review(1)
        seeds = [call.body for call in customer.requests]
    row = only(run)
    assert (row.status, row.simulator_verdict, row.attempt) == ("ended", "kept", 2)
    assert stored(run) == [(1, "broke"), (2, "kept")]
    assert {turn.attempt for turn in row.turns.all()} == {1, 2}
    assert len(seeds) == 2
    assert finished(run) == "completed"


def test_after_two_replays_the_simulator_is_to_blame(tenant):
    with models(fault()):
        run = reviewed_battles(2)
        evaluation = request_evaluation(config=make_config(), run_id=run, now=NOW).evaluation_id
        play_and_review(4)
    assert verdicts(run) == [("failed", "broke", 3)] * 2
    assert {(row.blame, row.error_code) for row in of(run)} == {("simulator", "simulator_broke")}
    assert "played 3 times" in of(run)[0].error_message
    assert "It was in a hurry." in of(run)[0].error_message
    assert stored(run) == [(1, "broke"), (2, "broke"), (3, "broke")] * 2
    assert finished(run) == "failed"
    enqueue_judgements(now=NOW)
    judged = Judgement.objects.filter(evaluation_id=evaluation)
    assert {row.status for row in judged} == {"not_judged"}


@pytest.mark.parametrize(
    "settings, verdict, asked",
    [
        (None, "unmeasured", 0),
        ({"mode": "off", "share": 1.0, "model": REVIEWER}, "unmeasured", 0),
        ({"mode": "rules", "share": 1.0, "model": REVIEWER}, "unmeasured", 0),
        ({"mode": "on", "share": 1.0}, "unmeasured", 0),
        ({"mode": "on", "share": 0.0, "model": REVIEWER}, "unmeasured", 0),
        (REVIEW, "kept", 1),
    ],
)
def test_the_tenant_says_who_is_asked(tenant, settings, verdict, asked):
    with models() as (_, reviewer):
        run = reviewed_battles(review=settings)
        play_and_review(1)
        assert len(reviewer.requests) == asked
    assert verdicts(run) == [("ended", verdict, 1)]
    assert finished(run) == "completed"


def test_a_rule_needs_no_model(tenant):
    with models() as (customer, reviewer):
        customer.text = customer.text.replace("I have all day", "As an AI language model I have no hair")
        run = reviewed_battles(review={"mode": "rules", "share": 1.0})
        play_and_review(1)
        assert reviewer.requests == []
    row = SimulatorReview.objects.get()
    assert (row.verdict, row.findings[0]["rule"], row.findings[0]["turn"]) == ("leaked", "leak", 2)
    assert verdicts(run) == [("pending", "", 2)]


def test_the_offline_customer_and_a_replay_need_no_verdict(tenant):
    make_agent()
    make_scenarios()
    run, again = battles(simulator_review=REVIEW), replays(make_golden("g", "One", "x"))
    play()
    assert verdicts(run) == [("ended", "unmeasured", 1)]
    assert verdicts(again)[0][1] == ""


def test_a_worker_killed_in_a_verdict_costs_a_lease_and_no_second_review(tenant):
    with models() as (_, reviewer):
        run = reviewed_battles()
        play()
        dead = PaidWork(ReviewRows(), now=lambda: NOW)
        assert len(dead.claim(5)) == 1  # and then it is gone
        review(NOW)
        assert verdicts(run) == [("ended", "pending", 1)]
        review(at(61))
        assert verdicts(run) == [("ended", "kept", 1)]
        dead.release()  # frees nothing that is not its own any more
        assert len(reviewer.requests) == 1
    assert stored(run) == [(1, "kept")]


def test_a_database_that_goes_away_while_reviews_are_claimed_costs_no_lease(tenant):
    class Rows(ReviewRows):
        loads = 0

        def load(self, ids):
            self.loads += 1
            if self.loads == 1:
                raise OperationalError("the server closed the connection")
            return super().load(ids)

    with models() as (_, reviewer):
        run = reviewed_battles()
        play()
        work = PaidWork(Rows(), now=lambda: NOW)
        with pytest.raises(OperationalError):
            work.claim(5)
        review(work=work)
        assert (verdicts(run), len(reviewer.requests)) == ([("ended", "kept", 1)], 1)


def test_a_worker_lost_again_and_again_does_not_hold_the_run(tenant):
    with models() as (_, reviewer):
        run = reviewed_battles()
        play()
        for lost in range(3):
            assert PaidWork(ReviewRows(), now=partial(at, 61.0 * lost)).claim(5)
        review(at(300))
        assert reviewer.requests == []
    assert verdicts(run) == [("ended", "unmeasured", 1)]
    assert SimulatorReview.objects.get().reason == "No verdict was reached in 3 tries."


def test_a_model_that_is_down_is_tried_three_times_and_then_nothing_was_measured(tenant):
    with models() as (_, reviewer):
        run = reviewed_battles()
        play()
        for minute in range(3):
            reviewer.script(*[formats.error("openai", 500)] * 3)
            review(at(60 * minute))
            assert only(run).simulator_verdict == ("pending" if minute < 2 else "unmeasured")
        assert finished(run) == "completed"
    assert "No model answered" in SimulatorReview.objects.get().reason


def test_a_model_that_limits_us_is_waited_for_without_a_try(tenant):
    with models() as (_, reviewer):
        run = reviewed_battles()
        play()
        reviewer.script("rate_limit")
        review()
        row = only(run)
        assert (row.simulator_verdict, row.review_tries) == ("pending", 0)
        assert "limits us" in row.waiting_for
        review(at(600))
    assert verdicts(run) == [("ended", "kept", 1)]


def test_an_answer_that_is_no_review_is_asked_for_once_more_and_its_text_stays(tenant):
    with models("It was fine.") as (_, reviewer):
        run = reviewed_battles()
        play_and_review(1)
        assert len(reviewer.requests) == 2
    row = SimulatorReview.objects.get()
    assert (row.verdict, row.raw_reply) == ("unmeasured", "It was fine.")
    assert verdicts(run) == [("ended", "unmeasured", 1)]


def test_a_spent_budget_pauses_the_run_and_a_raise_goes_on_with_the_verdict(tenant):
    priced = REVIEW | {"model": {"provider": "reviewer", "model": "gpt-4o"}}
    with models() as (_, reviewer):
        run = reviewed_battles(review=priced)
        play()
        set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=Decimal("0.0001"))
        review()
        row = only(run)
        assert (row.status, row.simulator_verdict, row.error_code) == ("ended", "pending", "budget_spent")
        assert status(run) == "paused"
        assert reviewer.requests == []
        control.time_out_runs(now=at(7200), minutes=30)
        assert status(run) == "paused"
        set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=Decimal(50))
        assert resume_unpaid(now=NOW) == [run]
        review()
    assert verdicts(run) == [("ended", "kept", 1)]
    assert finished(run) == "completed"


def test_cancelled_or_timed_out_nothing_waits_for_a_verdict_any_more(tenant):
    with models():
        run = reviewed_battles()
        play()
        late = PaidWork(ReviewRows(), now=lambda: NOW)
        jobs = late.claim(5)
        control.cancel_run(run_id=run, now=NOW)
        assert jobs
        assert verdicts(run) == [("ended", "unmeasured", 1)]
        assert review().settled == 0


def test_the_watchdogs_word_is_taken_back_with_the_verdicts_it_cut_off(tenant):
    with models():
        run = reviewed_battles()
        play()
        control.time_out_runs(now=at(3600), minutes=30)
        assert verdicts(run) == [("ended", "unmeasured", 1)]
        assert control.reconcile_run(run_id=run, now=at(3600)) == 1
        assert verdicts(run) == [("ended", "pending", 1)]
        review(at(3600))
    assert verdicts(run) == [("ended", "kept", 1)]


def test_the_database_keeps_one_final_review_an_attempt(tenant):
    with models():
        run = reviewed_battles()
        play_and_review(1)
    row = SimulatorReview.objects.get()
    with pytest.raises(DatabaseError), transaction.atomic():
        SimulatorReview.objects.update(verdict="broke")
    with pytest.raises(IntegrityError), transaction.atomic():
        SimulatorReview.objects.create(
            conversation=row.conversation, attempt=row.attempt, verdict="broke", reviewed_at=NOW
        )
    assert verdicts(run)[0][1] == "kept"


def test_what_became_of_simulated_customers_is_counted_in_the_open(tenant):
    with models(KEPT) as (_, reviewer):
        run = reviewed_battles(3)
        play()
        reviewer.script(*[formats.answer("openai", fault(), model="reviewer-model")] * 2)
        review()
        spoiled = [row.pk for row in of(run) if row.status == "pending"]
        play()
        reviewer.script(formats.answer("openai", fault(), model="reviewer-model"))
        review()
        play()
        reviewer.script(formats.answer("openai", fault(kind="helped"), model="reviewer-model"))
        review()
    assert len(spoiled) == 2
    counts = simulator_counts(run)
    assert counts is not None
    assert (counts["battles"], counts["invalid"], counts["replayed"]) == (3, 1, 2)
    assert (counts["verdicts"]["kept"], counts["verdicts"]["helped"]) == (2, 1)
    sentence = "1 of 3 battles invalid: the simulated customer was at fault, and they count for nobody."
    assert counts["sentence"].startswith(sentence)
    assert finished(run) == "completed"
    (record,) = persona_records(Persona.objects.values_list("pk", flat=True)).values()
    assert (record.battles, record.unusable, record.reviewed, record.invalid) == (3, 1, 6, 4)
    report = run_report(run)
    assert report["simulator"] == counts
    assert [one["simulator_verdict"] for one in report["conversations"]].count("helped") == 1
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(report)


def test_a_battle_that_cannot_be_read_has_no_verdict_and_costs_no_other_its_own(tenant):
    with models():
        run = reviewed_battles(2)
        play()
        bad = of(run)[0]
        with pgtrigger.ignore():
            Conversation.objects.filter(pk=bad.pk).update(spec={**bad.spec, "persona_spec": 7})
        review()
    assert verdicts(run) == [("ended", "unmeasured", 1), ("ended", "kept", 1)]
    assert "cannot be used" in SimulatorReview.objects.get(conversation=bad).reason

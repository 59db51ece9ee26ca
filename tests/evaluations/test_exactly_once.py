"""Every conversation is judged once: whoever races, dies, comes late or comes twice."""

import threading
import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.models import ModelCall
from apps.connectors.parallel import Delivery
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.results import count_states
from apps.evaluations.judging.domain.aggregation import CriterionVerdict
from apps.evaluations.judging.services import leases as claiming
from apps.evaluations.judging.services.completion import finish_evaluations, time_out_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.judging.services.judging import judge_in_free_slot
from apps.evaluations.judging.services.outcomes import JudgementOutcome, save_outcomes
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.progress.services.reconciling import reconcile, requeue_errors
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.domain.losses import MAX_LOSSES_OF_MANY
from apps.jobs.worker_loop import free_slot, take_slot
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.tenants.context import in_tenant
from tests.evaluations.bench import NOW, evaluated, imported, judge, judging_work, make_config, minutes, only, reply
from tests.loopback import formats
from tests.loopback.http_server import LoopbackServer

LATER = NOW + claiming.LEASE + timedelta(seconds=1)


def verdict_of(claimed: claiming.ClaimedJudgement, score: float) -> JudgementOutcome:
    one = CriterionVerdict(criterion="first", weight=1, pass_mark=6, score=score)
    return JudgementOutcome(
        judgement_id=claimed.judgement_id,
        evaluation_id=claimed.evaluation_id,
        status=JudgementStatus.SCORED,
        scores=(one,),
        weighted_score=score,
    )


def in_threads(tenant: str, *jobs) -> None:
    """Each job in a thread of its own, inside the tenant, on a connection of its own."""
    faults = []

    def run(job):
        try:
            with in_tenant(tenant):
                job()
        except Exception as error:
            faults.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []


# --- Racing -----------------------------------------------------------------------------------------------------------
def test_workers_that_race_judge_every_conversation_once(fresh_tenant):
    from tests.loopback.stub_model import Behaviour, StubModel, right_score  # noqa: PLC0415 - the stub as a handler

    stub = StubModel(Behaviour(latency_s=0.01))
    ids = [f"c{n:03d}" for n in range(80)]
    with LoopbackServer(stub) as server:
        with in_tenant(fresh_tenant):
            config = make_config(url=f"{server.url}/v1")
            asked = request_evaluation(config=config, run_id=imported(*ids, marked=True), now=NOW)
        in_threads(fresh_tenant, *[lambda: judge(concurrency=4)] * 3)
    assert stub.stats()["calls"] == 80
    assert all(count == {"calls": 1, "ok": 1} for count in stub.stats()["per_key"].values())
    with in_tenant(fresh_tenant):
        assert count_states(asked.evaluation_id)["scored"] == 80
        rows = CriterionScore.objects.values_list("judgement__conversation__external_id", "criterion", "score")
        assert len(rows) == 240
        assert all(score == right_score(key, criterion) for key, criterion, score in rows)
        assert ModelCall.objects.count() == 80
        assert finish_evaluations(now=NOW) == [asked.evaluation_id]


def test_owing_from_many_sides_owes_once(fresh_tenant):
    with in_tenant(fresh_tenant):
        asked = request_evaluation(config=make_config(), run_id=imported(*"abcdef"), now=NOW)
        Judgement.objects.all().delete()
    in_threads(fresh_tenant, *[lambda: enqueue_judgements(now=NOW)] * 4)
    with in_tenant(fresh_tenant):
        assert Judgement.objects.filter(evaluation=asked.evaluation_id).count() == 6


def test_an_evaluation_ends_once_however_many_finish_it(fresh_tenant):
    with in_tenant(fresh_tenant):
        request_evaluation(config=make_config(), run_id=imported(*"abc"), now=NOW)
        judge()
    ended = []
    in_threads(fresh_tenant, *[lambda: ended.extend(finish_evaluations(now=NOW))] * 4)
    assert len(ended) == 1


def test_a_tenant_has_no_more_lanes_than_it_is_given(fresh_tenant):
    with in_tenant(fresh_tenant):
        assert take_slot("judging", 0)
        got = []
        in_threads(fresh_tenant, lambda: got.append(judge_in_free_slot(slots=1, concurrency=1, now=lambda: NOW)))
        assert got == [None]
        free_slot("judging", 0)
        in_threads(fresh_tenant, lambda: got.append(judge_in_free_slot(slots=1, concurrency=1, now=lambda: NOW)))
        assert got[1].settled == 0


# --- Leases -----------------------------------------------------------------------------------------------------------
def test_what_one_lane_holds_no_other_takes(config):
    evaluated(config, "a", "b")
    assert len(claiming.claim(token=uuid.uuid4(), limit=1, now=NOW)) == 1
    assert len(claiming.claim(token=uuid.uuid4(), limit=9, now=NOW)) == 1
    assert claiming.claim(token=uuid.uuid4(), limit=9, now=NOW) == []


def begun_and_lost(at) -> None:
    """A worker takes a judgement, begins it, and is never heard of again."""
    (claimed,) = claiming.claim(token=(token := uuid.uuid4()), limit=1, now=at)
    assert claiming.begin(token=token, judgement_ids=[claimed.judgement_id]) == {claimed.judgement_id}


def test_a_lease_that_expires_is_judged_by_another(config, model):
    evaluation = evaluated(config)
    begun_and_lost(NOW)
    judge(NOW + claiming.LEASE)
    assert only(evaluation).status == "pending"
    judge(LATER)
    assert (only(evaluation).status, only(evaluation).attempts) == ("scored", 2)
    assert len(model.requests) == 1


def test_a_heartbeat_keeps_a_lease_and_giving_back_frees_it(config):
    evaluation = evaluated(config)
    mine = uuid.uuid4()
    claiming.claim(token=mine, limit=1, now=NOW)
    claiming.JUDGEMENTS.extend(token=mine, ids=[only(evaluation).id], now=LATER)
    assert claiming.claim(token=uuid.uuid4(), limit=1, now=LATER) == []
    assert claiming.JUDGEMENTS.extend(token=uuid.uuid4(), ids=[only(evaluation).id], now=LATER) == 0
    assert claiming.JUDGEMENTS.release(token=mine, now=NOW) == 1
    assert len(claiming.claim(token=uuid.uuid4(), limit=1, now=LATER)) == 1


def test_a_conversation_whose_workers_are_always_lost_is_given_up(config, model):
    evaluation = evaluated(config)
    for lost in range(MAX_LOSSES_OF_MANY):
        begun_and_lost(minutes(2 * lost))
    judge(minutes(60))
    assert (only(evaluation).status, only(evaluation).error_code) == ("model_error", "gave_up")
    assert model.requests == []


# --- Twice and late ---------------------------------------------------------------------------------------------------
def test_a_judgement_that_arrives_twice_counts_once_and_the_first_stands(config):
    evaluation = evaluated(config)
    (claimed,) = claiming.claim(token=uuid.uuid4(), limit=1, now=NOW)
    assert save_outcomes(verdicts=[verdict_of(claimed, 8)], now=NOW) == 1
    assert save_outcomes(verdicts=[verdict_of(claimed, 8)], now=NOW) == 0
    assert save_outcomes(verdicts=[verdict_of(claimed, 2)], now=NOW) == 0
    assert (only(evaluation).weighted_score, only(evaluation).scores.count()) == (8, 1)


def test_a_slow_lane_that_was_overtaken_changes_nothing(config):
    evaluation = evaluated(config)
    slow = judging_work()
    ((key, _),) = slow.claim(1)
    judge(LATER)  # its lease had expired: another lane was faster
    slow.store([Delivery(key, verdict_of(slow.held[key].claimed, 1), None, True)])
    assert (only(evaluation).weighted_score, only(evaluation).scores.count()) == (6.875, 3)


def test_a_wait_of_a_lane_that_was_overtaken_takes_nothing_out_of_the_others_hands(config, model):
    evaluation = evaluated(config)
    slow, quick = judging_work(), judging_work(LATER)
    ((key, _),) = slow.claim(1)
    slow.begin([key])
    quick.claim(1)
    quick.begin([key])
    claimed = slow.held[key].claimed
    limited = JudgementOutcome(
        judgement_id=key, evaluation_id=claimed.evaluation_id, wait_until=minutes(9), waiting_for="a model"
    )
    slow.store([Delivery(key, limited, None, True)])
    row = only(evaluation)
    assert (row.lease_token, row.not_before, row.attempts) == (quick.token, None, 2)


def test_a_judgement_after_the_watchdog_is_kept_marked_and_counted(config):
    evaluation = evaluated(config, "a", "b")
    late, _ = claiming.claim(token=uuid.uuid4(), limit=2, now=NOW)
    assert time_out_evaluations(now=minutes(31), minutes=30) == [evaluation.id]
    assert save_outcomes(verdicts=[verdict_of(late, 8)], now=minutes(32)) == 1
    row = Judgement.objects.get(pk=late.judgement_id)
    assert (row.status, row.late) == ("scored", True)
    summary = evaluation_summary(evaluation.id)
    assert (summary["status"], summary["weighted_score"], summary["counts"]["scored"]) == ("timeout", 8, 1)
    assert "late" in summary["warning_codes"]


# --- Watchdog and reconcile -------------------------------------------------------------------------------------------
def test_the_watchdog_closes_what_stands_still_with_the_seeds_message(config):
    evaluation = evaluated(config)
    assert time_out_evaluations(now=minutes(30), minutes=30) == []
    assert time_out_evaluations(now=minutes(30.1), minutes=30) == [evaluation.id]
    assert time_out_evaluations(now=minutes(90), minutes=30) == []
    evaluation.refresh_from_db()
    assert (evaluation.status, evaluation.error_message) == ("timeout", "Watchdog timeout after 30min")
    assert evaluation.ended_at == minutes(30.1)
    judge(minutes(91))
    assert only(evaluation).status == "pending"


def test_progress_puts_the_watchdog_off(config, model):
    evaluation = evaluated(config, "a", "b")
    claiming.claim(token=uuid.uuid4(), limit=1, now=minutes(20))
    judge(minutes(20), concurrency=1)
    assert count_states(evaluation.id)["scored"] == 1
    assert time_out_evaluations(now=minutes(45), minutes=30) == []
    assert time_out_evaluations(now=minutes(51), minutes=30) == [evaluation.id]


def test_an_evaluation_that_waits_for_money_waits_for_a_person(config):
    evaluation = evaluated(config)
    waiting = Judgement.objects.filter(evaluation=evaluation)
    waiting.update(not_before=minutes(999), waiting_for="the budget is spent", error_code=SPENT_CODE)
    assert time_out_evaluations(now=minutes(99), minutes=30) == []
    waiting.update(error_code="")
    assert time_out_evaluations(now=minutes(99), minutes=30) == [evaluation.id]


def test_an_evaluation_has_its_time_after_the_end_of_a_long_run(config):
    evaluation = evaluated(config)
    evaluation.run.ended_at = minutes(50)
    evaluation.run.save()
    assert time_out_evaluations(now=minutes(51), minutes=30) == []
    assert time_out_evaluations(now=minutes(81), minutes=30) == [evaluation.id]


def test_a_finished_evaluation_is_never_timed_out(config):
    evaluated(config)
    judge()
    finish_evaluations(now=NOW)
    assert time_out_evaluations(now=minutes(999), minutes=30) == []


def test_reconcile_owes_again_what_the_watchdog_closed(config):
    evaluation = evaluated(config, "a", "b", "c")
    time_out_evaluations(now=minutes(31), minutes=30)
    assert reconcile(run_id=evaluation.run_id, now=minutes(40)) == 3
    evaluation.refresh_from_db()
    assert (evaluation.status, evaluation.error_message, evaluation.ended_at) == ("running", "", None)
    judge(minutes(41))
    finish_evaluations(now=minutes(41))
    summary = evaluation_summary(evaluation.id)
    assert (summary["status"], summary["counts"]["scored"], summary["weighted_score"]) == ("completed", 3, 6.875)
    assert reconcile(run_id=evaluation.run_id, now=minutes(42)) == 0


def test_reconcile_completes_an_evaluation_whose_last_judgement_came_late(config):
    evaluation = evaluated(config)
    (late,) = claiming.claim(token=uuid.uuid4(), limit=1, now=NOW)
    time_out_evaluations(now=minutes(31), minutes=30)
    save_outcomes(verdicts=[verdict_of(late, 8)], now=minutes(32))
    assert reconcile(run_id=evaluation.run_id, now=minutes(33)) == 0
    evaluation.refresh_from_db()
    assert (evaluation.status, only(evaluation).late) == ("completed", True)


def test_reconcile_owes_judgements_nobody_ever_wrote_down(config):
    evaluation = evaluated(config, "a", "b")
    evaluation.judgements.all().delete()
    time_out_evaluations(now=minutes(31), minutes=30)
    assert reconcile(run_id=evaluation.run_id, now=minutes(32)) == 2
    judge(minutes(33))
    assert count_states(evaluation.id)["scored"] == 2


def test_reconcile_frees_what_a_lost_worker_held(config):
    evaluation = evaluated(config)
    claiming.claim(token=uuid.uuid4(), limit=1, now=NOW)
    assert reconcile(run_id=evaluation.run_id, now=NOW) == 0  # it may still be at work
    assert reconcile(run_id=evaluation.run_id, now=LATER) == 1
    assert only(evaluation).lease_token is None


def test_errors_are_owed_again_on_request_and_scores_are_left_alone(config, model):
    model.script("401")
    evaluation = evaluated(config, "a", "b")
    judge(concurrency=1)
    finish_evaluations(now=NOW)
    scored = Judgement.objects.get(evaluation=evaluation, status="scored")
    assert requeue_errors(run_id=evaluation.run_id, now=minutes(1)) == 1
    evaluation.refresh_from_db()
    assert evaluation.status == "running"
    model.text = reply({"first": 1, "second": 1, "third": 1})
    judge(minutes(1))
    finish_evaluations(now=minutes(1))
    assert Judgement.objects.get(pk=scored.pk).weighted_score == 6.875
    summary = evaluation_summary(evaluation.id)
    assert (summary["status"], summary["counts"]["scored"]) == ("completed", 2)
    assert summary["weighted_score"] == pytest.approx((6.875 + 1) / 2)
    assert requeue_errors(run_id=evaluation.run_id, now=minutes(2)) == 0


def test_an_evaluation_waits_for_every_conversation_of_its_run(tenant):
    from apps.runs.playing.services import control  # noqa: PLC0415 - only here
    from tests.runs.stage import battles, make_agent, make_scenarios, play  # noqa: PLC0415 - only here

    make_agent()
    make_scenarios(2)
    run = battles()
    asked = request_evaluation(config=make_config(), run_id=run, now=NOW)
    judge()
    assert finish_evaluations(now=NOW) == []
    assert time_out_evaluations(now=minutes(99), minutes=30) == []
    play()
    enqueue_judgements(now=NOW)
    judge()
    assert finish_evaluations(now=NOW) == []  # the run itself has not ended
    control.finish_runs(now=NOW)
    assert finish_evaluations(now=NOW) == [asked.evaluation_id]
    assert Evaluation.objects.get(pk=asked.evaluation_id).error_code == "nothing_scored"  # no offline rule for these


# --- The database refuses ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE evaluations_judgement SET weighted_score = 10",
        "UPDATE evaluations_judgement SET status = 'pending'",
        "DELETE FROM evaluations_judgement",
        "UPDATE evaluations_criterionscore SET score = 10",
        "DELETE FROM evaluations_criterionscore",
        "INSERT INTO evaluations_criterionscore (judgement_id, criterion, position, status, unscored_reason, score,"
        " scale, weight, pass_mark, reason, evidence)"
        " SELECT judgement_id, criterion, 9, status, '', 10, scale, 1, 6, '', '[]'"
        " FROM evaluations_criterionscore LIMIT 1",
        "INSERT INTO evaluations_judgement (id, created_at, evaluation_id, conversation_id, status, fingerprint,"
        " provider, model, by_fallback, late, latency, raw_reply, error_code, error_message, attempts, waiting_for)"
        " SELECT gen_random_uuid(), now(), evaluation_id, conversation_id, 'pending', '', '', '', false, false, '{}',"
        " '', '', '', 0, '' FROM evaluations_judgement LIMIT 1",
    ],
)
def test_a_score_cannot_be_changed_removed_or_doubled_even_by_sql(config, statement):
    evaluation = evaluated(config)
    judge()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert (only(evaluation).weighted_score, only(evaluation).scores.count()) == (6.875, 3)


# --- One verdict the database cannot take -----------------------------------------------------------------------------
def test_a_verdict_that_cannot_be_stored_becomes_an_error_and_the_others_are_kept(config):
    evaluation = evaluated(config, "a", "b")
    work = judging_work()
    (first, _), (second, _) = work.claim(2)
    good, bad = (verdict_of(work.held[key].claimed, 8) for key in (first, second))
    unstorable = CriterionVerdict(criterion="first", weight=float("nan"), pass_mark=6, score=8)
    bad = JudgementOutcome(
        judgement_id=bad.judgement_id, evaluation_id=bad.evaluation_id, status=bad.status, scores=(unstorable,)
    )
    work.store([Delivery(first, good, None, True), Delivery(second, bad, None, True)])
    found = dict(evaluation.judgements.values_list("id", "status"))
    assert found == {good.judgement_id: "scored", bad.judgement_id: "model_error"}
    assert Judgement.objects.get(pk=bad.judgement_id).error_code == "not_storable"


def test_an_unexpected_fault_while_judging_is_an_error_of_that_conversation(config):
    evaluation = evaluated(config)
    work = judging_work()
    ((key, _),) = work.claim(1)
    work.store([Delivery(key, None, ZeroDivisionError("oops"), True)])
    assert (only(evaluation).status, only(evaluation).error_code) == ("model_error", "unexpected")
    assert "ZeroDivisionError: oops" in only(evaluation).error_message


def test_a_model_that_answers_with_another_providers_shape_is_an_error(config, model):
    answer = formats.answer("anthropic", "x", model="stub-model")
    model.script(*[answer] * 6)
    evaluation = evaluated(config)
    judge()
    assert only(evaluation).status == "model_error"

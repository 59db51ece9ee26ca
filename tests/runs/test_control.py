"""Steering runs: every move by compare-and-set, the watchdog, and putting right what stands still."""

import pytest

from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.figures.queries.results import count_states
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.progress.services.reconciling import reconcile
from apps.evaluations.progress.services.rerun import rerun
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.queries.progress import conversation_counts, unfinished_runs
from apps.runs.playing.services import control
from tests.evaluations.bench import judge, make_config, reply
from tests.loopback import formats
from tests.runs.stage import NOW, at, battles, make_agent, make_scenarios, of, only, play, said, status

NOBODY = "01a1fc95-0000-7000-8000-000000000000"


@pytest.fixture
def run(tenant):
    make_agent()
    make_scenarios(3)
    return battles()


def test_a_run_without_any_progress_times_out_with_its_conversations(run):
    assert control.time_out_runs(now=at(30 * 60), minutes=30) == []
    assert control.time_out_runs(now=at(30 * 60 + 1), minutes=30) == [run]
    row = TestRun.objects.get(pk=run)
    assert (row.status, row.error_message) == ("timeout", "Watchdog timeout after 30min")
    assert {(one.status, one.blame, one.error_message) for one in of(run)} == {
        ("timeout", "platform", "Watchdog timeout after 30min")
    }
    assert control.time_out_runs(now=at(99 * 60), minutes=30) == []


def test_progress_puts_the_watchdog_off(run):
    Conversation.objects.filter(run_id=run, position__gt=0).update(status="running", lease_expires_at=at(9999))
    play(at(20 * 60))
    assert control.time_out_runs(now=at(40 * 60), minutes=30) == []
    assert control.time_out_runs(now=at(51 * 60), minutes=30) == [run]
    assert [one.status for one in of(run)] == ["ended", "timeout", "timeout"]


def test_a_run_that_waits_stands_still_however_long_it_was_told_to_wait(run):
    Conversation.objects.filter(run_id=run, position=0).update(not_before=at(3600), waiting_for="the agent limits us")
    assert control.time_out_runs(now=at(29 * 60), minutes=30) == []
    assert control.time_out_runs(now=at(31 * 60), minutes=30) == [run]


def test_reconciling_tries_at_once_what_waits_for_an_agent_or_a_model(run):
    waiting = Conversation.objects.filter(run_id=run)
    waiting.update(not_before=at(7200), waiting_for="the agent limits us")
    waiting.filter(position=0).update(error_code="budget_spent")
    control.reconcile_run(run_id=run, now=at(60))
    assert [one.not_before is None for one in of(run)] == [False, True, True]


def test_a_run_that_was_paused_before_its_first_battle_has_a_start(run):
    control.pause_run(run_id=run)
    control.resume_run(run_id=run, now=at(60))
    play(at(90))
    row = TestRun.objects.get(pk=run)
    assert (row.started_at, row.status) == (at(90), "running")


def test_a_paused_run_does_not_time_out(run):
    control.pause_run(run_id=run)
    assert control.time_out_runs(now=at(99 * 60), minutes=30) == []


def test_reconcile_owes_again_what_the_watchdog_closed_and_it_is_judged_once(run):
    config = make_config()
    evaluation = request_evaluation(config=config, run_id=run, now=NOW).evaluation_id
    play(concurrency=1)  # all three
    Conversation.objects.filter(run_id=run, position=2).update(status="running", lease_expires_at=at(1), ended_at=None)
    control.time_out_runs(now=at(3600), minutes=30)
    enqueue_judgements(now=at(3600))
    judge(at(3600))
    finish_evaluations(now=at(3600))
    assert count_states(evaluation) | {"scored": 2, "not_judged": 1} == count_states(evaluation)
    assert Evaluation.objects.get(pk=evaluation).status == "failed"  # no offline rule scores these criteria

    assert reconcile(run_id=run, now=at(4000)) == 1
    assert (status(run), Evaluation.objects.get(pk=evaluation).status) == ("running", "running")
    play(at(4001))
    control.finish_runs(now=at(4002))
    enqueue_judgements(now=at(4002))
    judge(at(4002))
    finish_evaluations(now=at(4003))
    assert (status(run), Evaluation.objects.get(pk=evaluation).status) == ("completed", "failed")
    assert count_states(evaluation)["scored"] == 3
    assert Judgement.objects.filter(evaluation=evaluation).count() == 3
    assert said(of(run)[2], "user")[0] == ("user", "Hi, a haircut please.")
    assert reconcile(run_id=run, now=at(4004)) == 0


def test_reconcile_takes_a_lost_workers_conversation_up_at_once(run):
    Conversation.objects.filter(run_id=run, position=0).update(status="running", lease_expires_at=at(-5))
    assert reconcile(run_id=run, now=NOW) == 1
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"


def test_reconcile_ends_a_run_whose_conversations_have_all_ended(run):
    TestRun.objects.filter(pk=run).update(status="running")
    Conversation.objects.filter(run_id=run).update(status="ended")
    assert reconcile(run_id=run, now=NOW) == 0
    assert status(run) == "completed"


def test_reconcile_leaves_a_cancelled_run_cancelled(run):
    control.cancel_run(run_id=run, now=NOW)
    assert reconcile(run_id=run, now=NOW) == 0
    assert {status(run), *(one.status for one in of(run))} == {"cancelled"}


@pytest.mark.parametrize("verb", [control.reconcile_run, control.resume_run, control.cancel_run])
def test_steering_a_run_that_is_not_there_is_not_found(tenant, verb):
    with pytest.raises(NotFound):
        verb(run_id=NOBODY, now=NOW)


@pytest.mark.parametrize(
    "state, refused",
    [
        ("completed", {"pause", "resume", "cancel"}),
        ("cancelled", {"pause", "resume", "cancel"}),
        ("timeout", {"pause", "resume", "cancel"}),
        ("failed", {"pause", "resume", "cancel"}),
        ("paused", {"pause"}),
        ("running", {"resume"}),
        ("pending", {"resume"}),
    ],
)
def test_only_moves_that_make_sense_are_made(run, state, refused):
    moves = {
        "pause": lambda: control.pause_run(run_id=run),
        "resume": lambda: control.resume_run(run_id=run, now=NOW),
        "cancel": lambda: control.cancel_run(run_id=run, now=NOW),
    }
    for name, move in moves.items():
        TestRun.objects.filter(pk=run).update(status=state)
        if name in refused:
            with pytest.raises(Conflict) as problem:
                move()
            assert problem.value.extra["status_now"] == state
            assert status(run) == state
        else:
            move()
            assert status(run) == {"pause": "paused", "resume": "running", "cancel": "cancelled"}[name]


def test_cancelling_keeps_what_has_ended(run):
    Conversation.objects.filter(run_id=run, position=0).update(status="ended")
    control.cancel_run(run_id=run, now=NOW)
    assert [one.status for one in of(run)] == ["ended", "cancelled", "cancelled"]
    play()
    assert conversation_counts(run) | {"ended": 1, "cancelled": 2} == conversation_counts(run)


def test_a_run_ends_once_however_often_it_is_asked(run):
    Conversation.objects.filter(run_id=run).update(status="ended")
    assert control.finish_runs(now=NOW) == [run]
    assert control.finish_runs(now=at(9)) == []
    assert TestRun.objects.get(pk=run).ended_at == NOW


def test_unfinished_runs_are_those_reconcile_may_help(run):
    other = battles()
    assert unfinished_runs() == [run, other]
    control.cancel_run(run_id=other, now=NOW)
    control.time_out_runs(now=at(9999), minutes=30)
    assert unfinished_runs() == [run]


def test_repeating_a_run_plays_its_errored_conversations_under_the_same_plan(run):
    Conversation.objects.filter(run_id=run, position=0).update(status="failed", blame="agent_transport")
    play()
    again = rerun(run_id=run, only="errored", now=NOW).run_id
    assert again is not None
    assert [one.external_id for one in of(again)] == ["s0"]
    assert of(again)[0].spec == of(run)[0].spec
    assert TestRun.objects.get(pk=again).plan["agent"] == TestRun.objects.get(pk=run).plan["agent"]
    play()
    assert only(again).status == "ended"


def test_repeating_what_failed_leaves_out_what_only_a_criterion_is_low_in(run, simulator):
    config = make_config(url=simulator.base_url("openai"))
    play()
    request_evaluation(config=config, run_id=run, now=NOW)
    good, bad = ({"first": 9, "second": 9, "third": mark} for mark in (9, 5))
    simulator.script(*(formats.answer("openai", reply(one), model="stub-model") for one in (good, bad, good)))
    judge(concurrency=1)
    for part in ("failed", "errored", "cancelled"):
        with pytest.raises(BadInput) as refused:
            rerun(run_id=run, only=part, now=NOW)
        assert refused.value.code == "nothing_to_repeat"
    Conversation.objects.filter(run_id=run, position=1).update(status="failed", blame="agent_quality")
    again = rerun(run_id=run, only="failed", now=NOW).run_id
    assert [one.external_id for one in of(again)] == ["s1"]


def test_what_only_needs_judging_again_is_judged_again_and_not_played(run, simulator):
    config = make_config(url=simulator.base_url("openai"))
    play()
    asked = request_evaluation(config=config, run_id=run, now=NOW)
    good = formats.answer("openai", reply({"first": 9, "second": 9, "third": 9}), model="stub-model")
    one = of(run)[0]
    Judgement.objects.filter(conversation=one).update(status="model_error")
    Judgement.objects.filter(status="pending").update(status="scored", weighted_score=9)
    runs = TestRun.objects.count()
    done = rerun(run_id=run, only="errored", now=NOW)
    assert (done.run_id, done.judged_again, list(done.evaluations)) == (None, 1, [asked.evaluation_id])
    assert TestRun.objects.count() == runs
    simulator.script(good)
    judge(concurrency=1)
    assert Judgement.objects.get(conversation=one).status == "scored"


def test_reconcile_goes_on_where_the_watchdog_was_cut_short(run):
    """A run's end is committed alone: whoever did it may have died before its conversations were closed."""
    TestRun.objects.filter(pk=run).update(status="timeout", ended_at=NOW)
    Conversation.objects.filter(run_id=run, position=0).update(status="running", lease_expires_at=at(-5))
    assert reconcile(run_id=run, now=NOW) == 3
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"


def test_reconcile_finishes_a_cancellation_that_was_cut_short(run):
    TestRun.objects.filter(pk=run).update(status="cancelled", ended_at=NOW)
    assert reconcile(run_id=run, now=NOW) == 0
    assert {one.status for one in of(run)} == {"cancelled"}

"""Judging and playing on a budget: nothing is begun that cannot be paid, and it goes on exactly where it stopped."""

import uuid
from datetime import timedelta
from decimal import Decimal

import pgtrigger
import pytest
from django.utils import timezone

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.models import Budget, ModelCall, Reservation
from apps.budgets.queries import spent_on_run
from apps.budgets.services.limits import set_limit
from apps.budgets.services.reserving import LEASE
from apps.core.errors import BadInput, Conflict
from apps.evaluations.judging.services.completion import finish_evaluations, time_out_evaluations
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.progress.queries.status import evaluation_status, run_status
from apps.evaluations.progress.services.resume import resume, resume_after_budget_raise
from apps.evaluations.progress.services.wait import progress_of
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.runs.models import Conversation
from apps.runs.playing.services.control import time_out_runs
from apps.runs.playing.services.participants import participants_for
from apps.runs.playing.services.reservations import cost_at_most
from tests.dashboard.conftest import make_run
from tests.evaluations.bench import evaluated, judge, judging_work, make_config
from tests.evaluations.test_commands import run_command
from tests.loopback.providers import ModelProvider
from tests.runs.stage import battles, customer, make_agent, make_scenarios, of, play, status

IDS = tuple(f"c-{n}" for n in range(8))
ANSWER = Decimal("0.005600")  # 1,200 tokens in of which 200 cached, 300 out, by gpt-4o


def work_off() -> None:
    """A lane with a clock that moves: money in flight is waited for."""
    judge(timezone.now, wait_s=3)


def run_budget(evaluation: Evaluation) -> Scope:
    return Scope(ScopeKind.RUN, str(evaluation.run_id))


def on_a_budget(config: str, usd: str, now) -> Evaluation:
    evaluation = evaluated(config, *IDS, now=now)
    set_limit(scope=run_budget(evaluation), usd=Decimal(usd))
    return evaluation


def states(evaluation: Evaluation) -> dict[str, int]:
    found: dict[str, int] = {}
    for state in evaluation.judgements.values_list("status", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


def paid(evaluation: Evaluation) -> Decimal:
    costs = ModelCall.objects.filter(evaluation_id=evaluation.id).values_list("cost_usd", flat=True)
    return sum((cost for cost in costs if cost is not None), Decimal(0))


# --- Judging ----------------------------------------------------------------------------------------------------------
def test_judging_stops_before_the_budget_is_overdrawn_and_says_so(priced, model, now):
    evaluation = on_a_budget(priced, "0.03", now)
    work_off()
    done = states(evaluation)
    assert 0 < done["scored"] < len(IDS)
    assert 0 < paid(evaluation) <= Decimal("0.03")
    assert not Reservation.objects.exists()
    waiting = evaluation.judgements.filter(status="pending")
    assert set(waiting.values_list("error_code", "attempts", "lease_token")) == {("budget_spent", 0, None)}
    assert finish_evaluations(now=now) == []
    summary = evaluation_summary(evaluation.id)
    assert (summary["status"], summary["blame"]) == ("running", "budget")
    assert summary["warning_codes"][0] == "budget_spent"
    waits = evaluation_status(evaluation.id, now=now)["waiting_for"]
    assert waits == (
        "budget too small to go on: the run's budget, $0.02 of $0.03 spent. Raise it under Usage "
        f"({done['pending']} conversations)"
    )


def test_raising_the_budget_judges_exactly_what_was_owed(priced, model, now):
    evaluation = on_a_budget(priced, "0.03", now)
    work_off()
    before = states(evaluation)["scored"]
    assert resume_after_budget_raise(now=now) == []
    set_limit(scope=run_budget(evaluation), usd=Decimal(1))
    assert resume_after_budget_raise(now=now) == [run_budget(evaluation)]
    judge(now)
    finish_evaluations(now=now)
    evaluation.refresh_from_db()
    assert (evaluation.status, states(evaluation)) == ("completed", {"scored": len(IDS)})
    assert before < len(model.requests) == len(IDS)
    assert evaluation_summary(evaluation.id)["blame"] is None


def test_resuming_tries_again_what_waits_for_money_even_of_an_ended_run(priced, now):
    evaluation = on_a_budget(priced, "0", now)
    judge(now)
    Budget.objects.update(limit_usd=None)
    resume(run_id=evaluation.run_id, now=now)
    judge(now)
    assert states(evaluation) == {"scored": len(IDS)}
    with pytest.raises(Conflict):
        resume(run_id=evaluation.run_id, now=now)


def test_money_in_flight_is_waited_for_and_not_called_spent(priced, now):
    evaluation = on_a_budget(priced, "0.05", now)  # room for two at once, for all but the last one after the other
    first, second = judging_work(now), judging_work(now)
    taken = first.claim(8)
    assert 0 < len(taken) < len(IDS)
    assert second.claim(8) == []
    waiting = evaluation.judgements.filter(lease_token=None)
    assert set(waiting.values_list("error_code", flat=True)) == {""}
    assert "held by calls in flight. It goes on" in waiting.first().waiting_for
    first.release()
    assert not Reservation.objects.exists()
    work_off()
    assert states(evaluation)["scored"] > len(taken)


def test_what_a_killed_worker_was_promised_is_free_after_a_while(priced, now):
    evaluation = on_a_budget(priced, "0.03", now)
    assert judging_work(now).claim(8)  # and is never heard of again
    promised = sum(Reservation.objects.values_list("usd", flat=True))
    judging_work(now + timedelta(seconds=60)).claim(8)  # takes over the work, and what was promised for it
    assert sum(Reservation.objects.values_list("usd", flat=True)) == promised <= Decimal("0.03")
    later = now + timedelta(seconds=60) + LEASE
    judge(later)
    assert states(evaluation)["scored"] > 0
    assert not Reservation.objects.filter(expires_at__gt=later).exists()


def test_the_watchdog_leaves_alone_what_waits_for_money(priced, now):
    on_a_budget(priced, "0", now)
    judge(now)
    assert time_out_evaluations(now=now + timedelta(hours=5), minutes=30) == []


def test_kept_answers_are_given_when_the_budget_is_spent(priced, model, now):
    evaluated(priced, *IDS, now=now)
    judge(now)
    set_limit(scope=month_of(now), usd=Decimal(0))
    again = evaluated(priced, *IDS, "c-new", now=now)
    judge(now)
    assert states(again) == {"scored": len(IDS), "pending": 1}
    assert len(model.requests) == len(IDS)


def test_the_offline_rules_judge_whatever_the_budget(tenant, now):
    set_limit(scope=month_of(now), usd=Decimal(0))
    evaluation = evaluated(make_config(), *IDS, now=now)
    judge(now)
    assert states(evaluation) == {"scored": len(IDS)}


def test_a_default_limit_stops_no_model_whose_price_nobody_knows_and_its_calls_are_said_to_be_uncounted(
    tenant, model, now
):
    evaluation = evaluated(make_config(url=model.base_url("openai")), *IDS, now=now)
    judge(now)
    assert states(evaluation) == {"scored": len(IDS)}
    assert "unpriced" in evaluation_summary(evaluation.id)["warning_codes"]


def test_a_pull_request_pays_for_all_its_evaluations_together(priced, model, now):
    set_limit(scope=Scope(ScopeKind.PULL_REQUEST, "ratiba#7"), usd=Decimal("0.03"))
    run_ids = [evaluated(priced, f"a-{n}", f"b-{n}", f"d-{n}", now=now).run_id for n in range(2)]
    with pgtrigger.ignore():  # the rows of another story
        Evaluation.objects.all().update(options={"pull_request": "ratiba#7"})
    work_off()
    total = ModelCall.objects.filter(pull_request="ratiba#7").values_list("cost_usd", flat=True)
    assert 0 < sum(total) <= Decimal("0.03")
    assert Judgement.objects.filter(evaluation__run_id__in=run_ids, error_code="budget_spent").exists()


def test_the_month_ends_the_wait_for_its_budget(priced, now):
    set_limit(scope=month_of(now), usd=Decimal(0))
    evaluation = evaluated(priced, "c-1", now=now)
    judge(now)
    waiting = evaluation.judgements.get()
    assert (waiting.not_before.day, waiting.not_before.hour) == (1, 0)
    judge(waiting.not_before)
    assert states(evaluation) == {"scored": 1}


# --- Battles ----------------------------------------------------------------------------------------------------------
SIMULATOR = {"provider": "stub", "model": "gpt-4o"}


@pytest.fixture
def simulator(tenant):
    with ModelProvider() as server:
        make_config(url=server.base_url("openai"), model="gpt-4o")
        make_agent("Which day?", "Which hour?", "Booked.", "Bye.")
        make_scenarios(4)
        server.text = customer(("Friday at ten, please.", False))[0]
        yield server


def test_battles_that_cannot_be_paid_are_blamed_on_the_budget_and_their_run_is_paused(simulator, now):
    run = battles(simulator=SIMULATOR, max_turns=6)
    set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=Decimal("0.03"))
    play(now, concurrency=1)
    found = of(run)
    ended = [row for row in found if row.status == "ended"]
    refused = [row for row in found if row.error_code == "budget_spent"]
    assert 0 < len(ended) < 4
    assert refused
    assert {(row.status, row.blame) for row in refused} == {("pending", "budget")}
    assert status(run) == "paused"
    waits = run_status(run, now=now)["waiting_for"]
    assert waits.startswith("the run is paused: resume it to go on; budget too small to go on: the run's budget")
    assert progress_of(run_ids=[run], evaluation_ids=[]).stopped.startswith("budget too small to go on: the run's")
    assert not Reservation.objects.exists()
    assert time_out_runs(now=now + timedelta(hours=5), minutes=30) == []


def test_raising_the_budget_plays_the_rest_and_nothing_twice(simulator, now):
    run = battles(simulator=SIMULATOR, max_turns=6)
    set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=Decimal("0.03"))
    play(now, concurrency=1)
    before = {row.id: row.turns.count() for row in of(run) if row.status == "ended"}
    set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=Decimal(5))
    assert resume_after_budget_raise(now=now)
    assert status(run) == "running"
    play(now, concurrency=1)
    assert {(row.status, row.blame, row.attempt) for row in of(run)} == {("ended", None, 1)}
    assert {id: of_turns for id, of_turns in before.items()} == {
        row.id: row.turns.count() for row in of(run) if row.id in before
    }


def test_resuming_by_hand_plays_as_far_as_the_money_goes(simulator, now):
    run = battles(simulator=SIMULATOR, max_turns=6)
    set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=Decimal(0))
    play(now)
    assert status(run) == "paused"
    resume(run_id=run, now=now)
    play(now)
    assert status(run) == "paused"
    Budget.objects.update(limit_usd=None)
    resume(run_id=run, now=now)
    play(now)
    assert {row.status for row in of(run)} == {"ended"}


LIMIT = Decimal("1.10")


def test_a_budget_for_all_battles_plays_them_all_though_the_worst_case_of_each_is_far_dearer(simulator, now):
    run = battles(simulator=SIMULATOR, max_turns=40, repeats=10)
    set_limit(scope=Scope(ScopeKind.RUN, str(run)), usd=LIMIT)
    play(timezone.now, concurrency=8)
    assert {row.status for row in of(run)} == {"ended"}
    one = of(run)[0]
    participants = participants_for(one.run)
    worst = cost_at_most(participants, spec=one.spec, history={}).usd
    assert len(of(run)) * worst > 10 * LIMIT
    assert not Reservation.objects.exists()


@pytest.mark.parametrize("concurrency", [1, 16])
def test_battles_stop_within_their_limit_and_go_on_in_their_sessions_when_it_is_raised(simulator, now, concurrency):
    run = battles(simulator=SIMULATOR, max_turns=40, repeats=10)
    scope = Scope(ScopeKind.RUN, str(run))
    set_limit(scope=scope, usd=Decimal("0.20"))
    play(timezone.now, concurrency=concurrency)
    assert status(run) == "paused"
    assert Decimal("0.15") < spent_on_run(run).cost_usd <= Decimal("0.20")
    assert "budget spent" not in run_status(run, now=now)["waiting_for"]
    asked = len(simulator.requests)
    set_limit(scope=scope, usd=Decimal(5))
    assert resume_after_budget_raise(now=now)
    play(timezone.now, concurrency=concurrency)
    assert {(row.status, row.blame, row.attempt) for row in of(run)} == {("ended", None, 1)}
    # The first line of each is the scenario's; nothing was asked twice.
    assert len(simulator.requests) == sum(row.turns.filter(role="user").count() - 1 for row in of(run))
    assert len(simulator.requests) > asked


def test_a_customer_that_reports_three_thousand_dollars_a_reply_stops_no_month(simulator, now):
    simulator.headers["x-litellm-response-cost"] = "3000"
    run = battles(simulator=SIMULATOR, max_turns=6)
    set_limit(scope=month_of(now), usd=Decimal(20))
    play(timezone.now, concurrency=2)
    assert {row.status for row in of(run)} == {"ended"}
    assert spent_on_run(run).cost_usd < 20
    calls = ModelCall.objects.filter(run_id=run)
    assert all(call.error.startswith("The server reports $3,000.00 for this call") for call in calls)


# --- Doors ------------------------------------------------------------------------------------------------------------
def test_a_battle_that_may_be_played_again_is_not_done_yet(tenant):
    run, rows = make_run(2, status="running")
    Conversation.objects.filter(pk=rows[0].pk).update(simulator_verdict="pending")
    assert progress_of(run_ids=[run.pk], evaluation_ids=[]).done == 1


def test_evaluate_ends_with_3_and_says_which_budget_is_spent(priced, knocks, now):
    evaluation = on_a_budget(priced, "0", now)
    judge(now)
    assert progress_of(run_ids=[evaluation.run_id], evaluation_ids=[evaluation.id]).stopped
    set_limit(scope=month_of(now), usd=Decimal(0))
    made = request_evaluation(config=priced, run_id=evaluation.run_id, now=now)
    judge(now)
    progress = progress_of(run_ids=[evaluation.run_id], evaluation_ids=[made.evaluation_id])
    assert (progress.ended, progress.stopped[:17]) == (False, "budget too small:")


def test_set_budget_raises_and_shows_and_work_goes_on(priced, knocks, now):
    evaluation = on_a_budget(priced, "0", now)
    judge(now)
    code, shown, _ = run_command("set_budget", "--run", evaluation.run_id)
    assert (code, shown["limit_usd"], shown["stopped"]) == (0, 0, True)
    code, raised, _ = run_command("set_budget", "--run", evaluation.run_id, "--usd", "2.50")
    assert (code, raised["limit_usd"], raised["spent_usd"], raised["stopped"]) == (0, 2.5, 0, False)
    judge(now)
    assert states(evaluation) == {"scored": len(IDS)}
    assert run_command("set_budget", "--run", evaluation.run_id, "--as-set")[1]["limit_usd"] is None
    assert run_command("set_budget", "--month")[1]["limit_usd"] == 300
    assert run_command("set_budget", "--pull-request", "ratiba#7")[1]["limit_usd"] == 20
    assert run_command("set_budget", "--whole-tenant")[1]["limit_usd"] is None


@pytest.mark.parametrize("wrong", [("--usd", "much"), ("--usd", "-1"), ("--usd", "nan"), ("--usd", "1e9")])
def test_set_budget_refuses_what_is_no_sum(tenant, knocks, wrong):
    assert run_command("set_budget", "--run", uuid.uuid4(), *wrong)[0] == 2
    assert run_command("set_budget", "--month", "13-2026")[0] == 2


def test_resume_run_goes_on_where_money_was_missing(priced, knocks, now):
    evaluation = on_a_budget(priced, "0", now)
    judge(now)
    Budget.objects.update(limit_usd=None)
    assert run_command("resume_run", evaluation.run_id)[0] == 0
    judge(now)
    assert states(evaluation) == {"scored": len(IDS)}
    assert run_command("resume_run", evaluation.run_id)[0] == 1


@pytest.mark.parametrize("how", [{"repeat": 0}, {"repeat": True}, {"use_cache": "no"}, {"pull_request": 7}, {"x": 1}])
def test_wrong_options_of_an_evaluation_are_refused(priced, how):
    with pytest.raises(BadInput):
        request_evaluation(config=priced, run_id=evaluated(priced).run_id, now=timezone.now(), how=how)


def test_a_pull_request_is_named_when_a_run_is_started(simulator, knocks, now):
    run = battles(simulator=SIMULATOR, max_turns=6, pull_request="ratiba#9")
    set_limit(scope=Scope(ScopeKind.PULL_REQUEST, "ratiba#9"), usd=Decimal("0.03"))
    play(now, concurrency=1)
    assert status(run) == "paused"
    assert "the budget of pull request ratiba#9" in run_status(run, now=now)["waiting_for"]
    assert Budget.objects.get(kind="pull_request").spent_usd > 0

"""What a lane makes of a model that fails, limits, or answers what no table can hold."""

import json
from datetime import timedelta

import pgtrigger
import pytest
from django.db import connection

from apps.budgets.models import ModelCall
from apps.dashboard.results.queries.agent_changes import measured_evaluations
from apps.evaluations.figures.queries.results import criterion_results
from apps.evaluations.judging.services.completion import finish_evaluations, time_out_evaluations
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.progress.services.reconciling import reconcile, requeue_errors
from apps.reports.comparisons.queries.comparison_side import read_side
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.tenants.models import ModelCoolDown
from tests.evaluations.bench import (
    NOW,
    evaluated,
    judge,
    judged,
    ledger,
    make_config,
    minutes,
    only,
    reply,
    scores,
)
from tests.loopback import formats
from tests.loopback.http_server import Answer
from tests.loopback.providers import ModelProvider


# --- Faults of the model ----------------------------------------------------------------------------------------------
def test_a_rate_limit_gives_the_slot_back_and_waits_on_the_same_model(backed, model, fallback):
    model.script("rate_limit")
    evaluation = evaluated(backed)
    judge()
    waiting = only(evaluation)
    assert (waiting.status, waiting.attempts, waiting.lease_token) == ("pending", 0, None)
    assert NOW + timedelta(seconds=7) <= waiting.not_before <= NOW + timedelta(seconds=8)
    assert waiting.waiting_for == "model stub-model limits us"
    assert fallback.requests == []

    judge(NOW + timedelta(seconds=6))
    assert only(evaluation).status == "pending"
    judge(NOW + timedelta(seconds=8))
    done = only(evaluation)
    assert (done.status, done.by_fallback, done.attempts, done.waiting_for, done.not_before) == (
        "scored", False, 1, "", None,
    )  # fmt: skip
    assert ledger() == [("judge", "rate_limited"), ("judge", "ok")]


def test_many_rate_limits_never_use_up_the_attempts(config, model):
    model.script(*["rate_limit"] * 12)
    evaluation = evaluated(config)
    for round in range(13):
        judge(minutes(3 * round))  # waits grow to two minutes
    assert only(evaluation).status == "scored"
    assert len(ledger()) == 13


def test_a_lane_waits_for_what_is_due_soon(config, model):
    model.script(formats.error("openai", 429, "slow", headers={"retry-after": "3"}))
    evaluation = evaluated(config)
    slept: list[float] = []
    judge(lambda: NOW + timedelta(seconds=sum(slept)), wait_s=5, sleep=slept.append)
    assert only(evaluation).status == "scored"
    assert 3 <= sum(slept) <= 4  # as long as it was told, and the second that spreads many callers


def test_a_server_where_nobody_listens_costs_no_conversation_its_tries_for_ten_minutes(tenant):
    with ModelProvider() as gone:
        url = gone.base_url("openai")
    evaluation = evaluated(make_config(url=url))
    for round in (0, 5):
        judge(minutes(round))
        waiting = only(evaluation)
        assert (waiting.status, waiting.attempts) == ("pending", 0)
        assert waiting.waiting_for == "model stub-model cannot be reached"
    judge(minutes(11))
    ended = only(evaluation)
    assert (ended.status, ended.error_code) == ("model_error", "model_error")
    assert "cannot be reached" in ended.error_message


@pytest.mark.parametrize("fault", ["500", "503", "reset", "cut", "html", "hollow"])
def test_a_failure_is_repeated_once_on_the_same_model(backed, model, fallback, fault):
    model.script(fault)
    found = only(judged(backed))
    assert (found.status, found.by_fallback, found.weighted_score) == ("scored", False, 6.875)
    assert fallback.requests == []
    assert len(ledger()) == 2
    assert ledger()[1] == ("judge", "ok")


def test_a_version_may_leave_the_fallback_out_of_the_headline(tenant, model, fallback):
    config = make_config(
        url=model.base_url("openai"),
        fallback_url=fallback.base_url("anthropic"),
        parameters={"leave_out_fallback": True},
    )
    model.script("500", "500")
    evaluation = evaluated(config, "c-1", "c-2")
    judge(concurrency=1)
    first, second = Judgement.objects.filter(evaluation=evaluation).order_by("-by_fallback")
    assert (first.by_fallback, first.weighted_score, first.provider, first.model) == (
        True,
        2.0,
        "behind",
        "behind-model",
    )
    assert (second.by_fallback, second.weighted_score) == (False, 6.875)
    assert first.fingerprint != second.fingerprint
    summary = evaluation_summary(evaluation.id)
    assert summary["weighted_score"] == 6.875
    assert "fallback_left_out" in summary["warning_codes"]
    assert "1 of 2 by behind-model (the fallback), left out of the mean" in summary["warnings"]
    assert [one.mean for one in criterion_results(evaluation.id)] == [8, 7, 6]
    assert list(ModelCall.objects.filter(fallback=True).values_list("provider", "outcome")) == [("behind", "ok")]


@pytest.mark.parametrize("older", [{}, {"allow_fallback_in_mean": False}])
def test_two_failures_go_to_the_fallback_which_counts_and_is_said_beside_the_mean(tenant, model, fallback, older):
    config = make_config(
        url=model.base_url("openai"),
        fallback_url=fallback.base_url("anthropic"),
        parameters=older,
    )
    model.script("500", "500")
    evaluation = evaluated(config, "c-1", "c-2")
    judge(concurrency=1)
    summary = evaluation_summary(evaluation.id)
    assert summary["weighted_score"] == pytest.approx((2 + 6.875) / 2)
    assert {"fallback_in_mean", "several_fingerprints"} <= set(summary["warning_codes"])
    assert "1 of 2 by behind-model (the fallback), counted in the mean" in summary["warnings"]
    assert summary["by_fallback"] == 1
    assert summary["fingerprint"] == evaluation.judgements.get(by_fallback=False).fingerprint
    side = read_side(evaluation, label="a", by_conversation=True)  # what is compared keeps to one judge
    assert [one.score for one in side.scored.values()] == [6.875]
    assert measured_evaluations([evaluation.pk])[evaluation.pk].means[""].mean == 6.875


def test_an_evaluation_of_before_keeps_the_mean_it_was_shown_with(tenant, backed, model, fallback):
    model.script("500", "500")
    evaluation = evaluated(backed, "c-1", "c-2")
    with pgtrigger.ignore():  # the rows of another story
        Evaluation.objects.filter(pk=evaluation.pk).update(options={})  # requested before it was frozen there
    judge(concurrency=1)
    assert evaluation_summary(evaluation.id)["weighted_score"] == 6.875


def test_nothing_but_a_fallback_that_is_left_out_is_no_completed_evaluation(tenant, model, fallback):
    config = make_config(
        url=model.base_url("openai"),
        fallback_url=fallback.base_url("anthropic"),
        parameters={"leave_out_fallback": True},
    )
    model.script("quota", "quota")
    evaluation = evaluated(config, "c-1")
    judge(concurrency=1)
    finish_evaluations(now=NOW)
    evaluation.refresh_from_db()
    assert (evaluation.status, evaluation.error_code) == ("failed", "nothing_scored")
    assert evaluation.error_message.startswith("Every score is the fallback model's")


def test_a_slow_model_is_a_failure(backed, model, fallback, settings):
    settings.MODEL_TIMEOUT_S = 0.2
    model.script("hang", "hang")
    found = only(judged(backed))
    assert (found.status, found.by_fallback) == ("scored", True)
    assert ledger() == [("judge", "unreachable"), ("judge", "unreachable"), ("judge", "ok")]


def test_a_spent_quota_goes_to_the_fallback_at_once(backed, model, fallback):
    model.script("quota")
    assert only(judged(backed)).by_fallback
    assert ledger() == [("judge", "quota_spent"), ("judge", "ok")]


def test_when_all_fail_it_is_a_model_error_with_the_raw_error(backed, model, fallback):
    model.script(*["500"] * 4)
    fallback.script("500", "500")
    evaluation = judged(backed)
    found = only(evaluation)
    assert (found.status, found.weighted_score, found.scores.count()) == ("model_error", None, 0)
    assert "as asked" in found.raw_reply
    assert "no model answered" in found.error_message
    assert len(ledger(evaluation_id=evaluation.id)) == 6  # it had its second chance
    assert all(outcome == "remote_failure" for _, outcome in ledger())
    assert evaluation.status == "failed"
    assert "No conversation could be judged" in evaluation.error_message


def test_a_rate_limit_while_asking_again_loses_nothing_that_was_scored(config, model):
    model.script(formats.answer("openai", reply({"first": 8, "second": 7}), model="stub-model"), "rate_limit")
    found = only(judged(config))
    assert (found.status, scores(found)) == ("scored", {"first": 8.0, "second": 7.0, "third": None})
    assert ledger() == [("judge", "ok"), ("reask", "rate_limited")]


def test_a_key_that_is_refused_is_said_to_be_configuration(backed, model, fallback):
    model.script("401")
    found = only(judged(backed))
    assert found.status == "model_error"
    assert "configuration" in found.error_message
    assert fallback.requests == []


def test_a_provider_taken_away_is_a_model_error_and_not_a_dead_lane(config):
    from apps.catalog.models import ModelProvider as ProviderRow  # noqa: PLC0415 - named like the loopback one

    evaluation = evaluated(config, "c-1", "c-2")
    ProviderRow.objects.all().delete()
    judge()
    assert set(evaluation.judgements.values_list("status", "error_code")) == {("model_error", "unknown_provider")}


def test_a_key_that_cannot_be_read_any_more_is_a_model_error_and_not_a_dead_lane(config):
    evaluation = evaluated(config)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE catalog_modelprovider SET api_key = 'gAAAAnonsense'")
    judge()
    assert only(evaluation).status == "model_error"


def test_a_snapshot_of_another_time_is_an_error_and_not_a_dead_lane(config):
    broken, good = evaluated(config), evaluated(config)
    broken.snapshot = {key: value for key, value in broken.snapshot.items() if key != "criteria"}
    with pgtrigger.ignore("evaluations.Evaluation:snapshot_is_frozen"):
        broken.save()
    judge()
    assert (only(broken).status, only(broken).error_code) == ("model_error", "broken_snapshot")
    assert only(good).status == "scored"


def stored_before_the_rules(evaluation, **changes):
    """A snapshot as an older version may have frozen it: the triggers refuse it today."""
    evaluation.snapshot = {**evaluation.snapshot, **changes}
    with pgtrigger.ignore("evaluations.Evaluation:snapshot_is_frozen"):
        evaluation.save()
    return evaluation


# --- Rate limits that last, and second chances ------------------------------------------------------------------------
def test_a_model_that_limits_one_is_asked_by_nobody_of_any_lane(config, model):
    model.script("rate_limit")
    evaluation = evaluated(config, *(f"c-{n}" for n in range(20)))
    judge(concurrency=1)
    judge(NOW + timedelta(seconds=5), concurrency=1)  # another lane, which was told by the row in the database
    assert len(model.requests) == 1
    assert evaluation.judgements.filter(status="pending").count() == 20
    slept: list[float] = []
    judge(lambda: NOW + timedelta(seconds=9 + sum(slept)), concurrency=4, wait_s=60, sleep=slept.append)
    assert set(evaluation.judgements.values_list("status", flat=True)) == {"scored"}
    assert ModelCoolDown.objects.get().until <= NOW + timedelta(seconds=9)  # the row keeps the rate


def test_a_model_that_always_limits_us_is_asked_once_in_each_wait_as_it_was_told(config, model):
    limit = formats.error("openai", 429, "slow", headers={"retry-after": "1"})
    model.script(*[limit] * 500)
    evaluated(config, *(f"c-{n}" for n in range(100)))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if sum(slept) > 21:
            raise TimeoutError  # the lane would stay: the model says each time that it is a second

    with pytest.raises(TimeoutError):
        judge(lambda: NOW + timedelta(seconds=sum(slept)), concurrency=16, wait_s=21, sleep=sleep)
    assert len(model.requests) <= 16 + 2 * 21


def test_a_rate_limit_of_two_hours_is_left_to_the_fallback(backed, model, fallback):
    model.script(*[formats.error("openai", 429, "slow", headers={"retry-after": "7200"})] * 3)
    evaluation = evaluated(backed, *(f"c-{n}" for n in range(12)))
    judge(concurrency=2)
    assert set(evaluation.judgements.values_list("status", "by_fallback")) == {("scored", True)}
    assert len(model.requests) <= 3


def test_a_limit_that_never_lifts_is_ended_by_the_watchdog_and_reconciling_tries_it_at_once(config, model):
    model.script(formats.error("openai", 429, "slow", headers={"retry-after": "7200"}))
    evaluation = evaluated(config, "c-1", "c-2")
    judge(concurrency=1)
    assert evaluation.judgements.filter(not_before__gt=minutes(100)).count() == 2
    assert time_out_evaluations(now=minutes(29), minutes=30) == []
    assert time_out_evaluations(now=minutes(31), minutes=30) == [evaluation.id]
    assert reconcile(run_id=evaluation.run_id, now=minutes(32)) >= 2
    judge(minutes(32))
    assert set(evaluation.judgements.values_list("status", flat=True)) == {"scored"}


def test_requeueing_a_run_ends_its_waits(config, model):
    model.script(formats.error("openai", 429, "slow", headers={"retry-after": "7200"}))
    evaluation = evaluated(config)
    judge()
    requeue_errors(run_id=evaluation.run_id, now=minutes(1))
    judge(minutes(1))
    assert only(evaluation).status == "scored"


def test_waiting_for_a_rate_limit_is_no_progress(config, model):
    model.script(*["rate_limit"] * 20)
    evaluation = evaluated(config)
    before = evaluation.progress_at
    for round in range(5):
        judge(minutes(3 * round))
    evaluation.refresh_from_db()
    assert (evaluation.status, evaluation.progress_at) == ("running", before)


@pytest.mark.parametrize("faults", [["prose", "prose"], ["500"] * 3, ["reset", "html", "503"]])
def test_an_error_that_may_pass_has_one_second_chance_when_the_rest_is_done(config, model, faults):
    model.script(*faults)
    evaluation = evaluated(config, "c-1", "c-2", "c-3")
    judge(concurrency=1)
    assert set(evaluation.judgements.values_list("status", "weighted_score")) == {("scored", 6.875)}
    assert len(model.requests) == len(faults) + 3


def test_a_second_chance_is_the_last(config, model):
    model.script(*["prose"] * 4)
    evaluation = judged(config)
    assert (evaluation.status, only(evaluation).status) == ("failed", "parse_error")
    assert len(model.requests) == 4


@pytest.mark.parametrize("fault", ["401", "400"])
def test_what_will_not_pass_has_no_second_chance(config, model, fault):
    model.script(fault)
    assert only(judged(config)).status == "model_error"
    assert len(model.requests) == 1


# --- What may not be stored as it is ----------------------------------------------------------------------------------
@pytest.mark.parametrize("poison", ["\x00", "\ud800", "\\u0000 and \x00", "\udfff\x00"])
def test_half_characters_and_nul_in_a_reply_lose_nothing(config, model, poison):
    said = {"score": 8, "reason": f"a{poison}b", "evidence": [f'[1] "Yes{poison}"']}
    text = reply({"first": said, "second": 7, "third": 6})
    body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "model": "stub-model", "usage": {}}
    model.script(Answer(body=json.dumps(body).encode()))
    evaluation = evaluated(config, "c-1", "c-2")
    judge()
    assert set(evaluation.judgements.values_list("status", "weighted_score")) == {("scored", 6.875)}
    assert CriterionScore.objects.filter(judgement__evaluation=evaluation).count() == 6


@pytest.mark.parametrize("poison", ["\x00", "\ud800"])
@pytest.mark.parametrize("status", [200, 500])
def test_a_model_that_names_itself_badly_or_fails_badly_stops_no_lane(config, model, poison, status):
    good = {
        "choices": [{"message": {"content": reply({"first": 8, "second": 7, "third": 6})}, "finish_reason": "stop"}],
        "model": f"stub{poison}model",
        "id": f"id{poison}",
        "usage": {"prompt_tokens": 10**12, "completion_tokens": 3},
    }
    bad = {"error": {"message": f"bro{poison}ken", "code": f"c{poison}"}}
    answer = Answer(status=status, body=json.dumps(good if status == 200 else bad).encode())
    model.script(answer, answer)
    evaluation = evaluated(config, "c-1", "c-2")
    judge(concurrency=1)
    assert "pending" not in set(evaluation.judgements.values_list("status", flat=True))
    assert evaluation.judgements.filter(status="scored").exists()
    assert ModelCall.objects.filter(evaluation_id=evaluation.id).count() == len(model.requests)


def test_a_reply_of_a_quarter_million_characters_is_read(config, model):
    model.text = reply({"first": {"score": 8, "reason": "x" * 250_000, "evidence": []}, "second": 7, "third": 6})
    assert only(judged(config)).weighted_score == 6.875

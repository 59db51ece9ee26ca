"""A draft and the live prompt play the same, and one sentence is said about them."""

import pytest

from apps.catalog.connections.services.storing import save_agent
from apps.core.errors import BadInput, Conflict
from apps.evaluations.models import Evaluation
from apps.improvement.drafts.queries.trials import TrialProgress, trial_document
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.drafts.services.steering_trials import cancel_trial
from apps.improvement.models import FamilyPart, Trial
from apps.runs.models import Conversation, TestRun
from tests.improvement.trial_rows import (
    NOW,
    all_hold_out,
    ask,
    decided,
    gain,
    make_families,
    make_world,
    play,
    started,
    status_of,
)

pytestmark = pytest.mark.usefixtures("tenant")


def test_both_prompts_play_the_same_scenarios_personas_and_seeds() -> None:
    draft = make_world(personas=("aunt", "uncle"))
    row = started(draft, repeats=2, seed=7)
    sides = {side.side: side for side in row.sides.select_related("test_run", "prompt")}
    assert sides.keys() == {"live", "draft"}
    played = {
        name: [(one.external_id, one.spec) for one in Conversation.objects.filter(run=side.test_run)]
        for name, side in sides.items()
    }
    assert len(played["live"]) == 24
    assert sorted(map(str, played["live"])) == sorted(map(str, played["draft"]))
    plans = {name: side.test_run.plan["prompt_version"] for name, side in sides.items()}
    assert plans == {name: side.prompt.version for name, side in sides.items()}
    assert plans["live"] == "greeting@aaa1111"
    assert {one.config_ref for one in Evaluation.objects.all()} == {"probe@1"}
    assert status_of(draft) == "in_trial"


def test_a_clear_gain_is_better_and_its_interval_stands_beside_it() -> None:
    draft = make_world()
    row = decided(draft, gain(1.0))
    assert (row.status, row.look, row.decision["verdict"]) == ("completed", 1, "better")
    assert row.sentence.startswith("Better: +1.15 points over 12 families (look 1, 95 % interval")
    assert row.decision["interval"][0] > 0
    assert {one["name"] for one in row.decision["criteria"]} == {"facts", "flow"}
    assert status_of(draft) == "better"


def test_no_gain_is_not_shown_and_is_an_answer() -> None:
    draft = make_world()
    row = decided(draft, lambda side, scenario: 5.0)
    assert (row.decision["verdict"], row.decision["codes"]) == ("not_shown", ["nothing_differs"])
    assert status_of(draft) == "not_shown"


def test_below_twelve_families_nothing_is_proven_and_the_forecast_says_so() -> None:
    draft = make_world(families=11)
    row = ask(draft)
    assert row.forecast["warnings"][0].startswith("Only 11 families: 1 more family is needed")
    advance_trials(now=NOW)
    play(row, gain(1.0))
    advance_trials(now=NOW)
    row.refresh_from_db()
    assert row.decision["codes"][0] == "no_hold_out"
    assert "1 more family is needed" in row.sentence
    assert status_of(draft) == "not_shown"


def test_a_clear_loss_of_one_criterion_blocks() -> None:
    draft = make_world()
    row = decided(draft, gain(1.0), criteria={"facts": gain(-1.6)})
    assert (row.decision["verdict"], row.decision["blocked_criteria"]) == ("blocked", ["facts"])
    assert status_of(draft) == "blocked"


def test_a_fall_below_the_breaker_blocks() -> None:
    row = decided(make_world(), gain(-1.6, spread=0))
    assert row.decision["codes"][0] == "regression_detected"


def test_what_another_judge_or_a_fallback_scored_is_missing_and_never_zero() -> None:
    row = started(make_world())
    others: dict[tuple[str, str], dict] = {
        ("draft", "s00"): {"by_fallback": True},
        ("draft", "s01"): {"fingerprint": "another"},
    }
    play(row, gain(1.0), judged=lambda side, scenario: others.get((side, scenario), {}))
    advance_trials(now=NOW)
    row.refresh_from_db()
    assert (row.decision["pairs"], row.decision["left_out"]) == (10, 2)
    assert row.decision["live_mean"] == 5.0
    assert "scores_missing" in row.decision["codes"]


def test_a_trial_without_a_pair_has_failed_and_spends_no_look() -> None:
    draft = make_world()
    row = decided(draft, lambda side, scenario: 5.0 if side == "live" else None)
    assert (row.status, row.look, row.decision) == ("failed", None, {})
    assert "no look is spent" in row.error_message
    assert status_of(draft) == "proposed"


def test_it_waits_for_every_side_and_says_for_what() -> None:
    row = started(make_world())
    advance_trials(now=NOW)
    row.refresh_from_db()
    assert (row.status, row.waiting_for) == ("running", "48 of 48 conversations and judgements")
    play(row, gain(1.0))
    side = row.sides.get(side="draft")
    Evaluation.objects.filter(pk=side.evaluation.pk).update(status="running")
    advance_trials(now=NOW)
    row.refresh_from_db()
    assert row.status == "running"


def test_only_a_hold_out_decides_about_a_draft() -> None:
    draft = make_world()
    FamilyPart.objects.update(part="selection", set_number=0)
    row = decided(draft, gain(1.0), part="selection")
    assert (row.status, row.look) == ("completed", None)
    assert row.sentence.startswith("Of the part selection, which proves nothing: ")
    assert status_of(draft) == "proposed"


def test_repeating_every_step_makes_nothing_twice() -> None:
    row = started(make_world())
    for _ in range(3):
        advance_trials(now=NOW)
    assert TestRun.objects.count() == Evaluation.objects.count() == 2
    play(row, gain(1.0))
    assert [advance_trials(now=NOW).ended for _ in range(3)] == [1, 0, 0]
    assert Trial.objects.filter(look=1).count() == 1


@pytest.mark.parametrize(
    "more, code",
    [
        ({"evaluator_config": "nope"}, "not_found"),
        ({"personas": ["nobody"]}, "unknown_personas"),
        ({"repeats": 0}, "invalid"),
        ({"agent": "nobody"}, "unknown_agent"),
        ({"part": "train"}, "nothing_to_play"),
    ],
)
def test_what_cannot_be_played_is_refused_and_nothing_is_stored(more, code: str) -> None:
    draft = make_world()
    with pytest.raises(BadInput) as raised:
        ask(draft, **more)
    assert raised.value.code == code
    assert (Trial.objects.count(), TestRun.objects.count(), status_of(draft)) == (0, 0, "proposed")


def test_one_trial_of_a_draft_at_a_time() -> None:
    draft = make_world()
    ask(draft)
    with pytest.raises(Conflict) as raised:
        ask(draft)
    assert raised.value.code == "in_trial"


def test_a_draft_never_goes_to_the_address_that_customers_use() -> None:
    draft = make_world()
    save_agent(name="deployed", kind="scripted", address="", options={"replies": ["Hello."]})
    with pytest.raises(BadInput) as raised:
        ask(draft, agent="deployed")
    assert raised.value.code == "no_staging_connection"


def test_editing_a_scenario_moves_no_family_and_a_new_one_is_placed() -> None:
    draft = make_world()
    before = dict(FamilyPart.objects.values_list("family", "part"))
    make_families(3, first=20)
    ask(draft)
    after = dict(FamilyPart.objects.values_list("family", "part"))
    assert {name: after[name] for name in before} == before
    assert len(after) == 15
    all_hold_out()


def test_the_document_shows_aggregates_and_where_it_came_from() -> None:
    row = decided(make_world(), gain(1.0))
    document = trial_document(row)
    assert document.verdict == "better"
    assert document.progress == TrialProgress(done=48, total=48)
    assert [one["step"] for one in document.provenance] == ["draft", "trial", "decision"]
    assert document.forecast["conversations"] == 24


def test_who_cancels_after_scores_were_there_has_spent_a_look_and_before_it_none() -> None:
    """Looking at a hold-out again and again by stopping each trial in time wears it as any look does."""
    looks = []
    draft = make_world()
    for number in range(4):
        row = started(draft)
        if number:
            play(row, gain(1.0))
        cancel_trial(row.pk, by="amina", now=NOW)
        row.refresh_from_db()
        looks.append(row.look)
        assert row.status == "cancelled"
        assert row.decision == {}
    assert looks == [None, 1, 2, 3]
    with pytest.raises((BadInput, Conflict)):
        ask(draft)

"""A trial is stopped, a block is lifted, a hold-out is drawn, worn and opened."""

import pytest

from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.models import Judgement
from apps.improvement.drafts.queries.families import hold_out_set
from apps.improvement.drafts.queries.hold_out import hold_out_document
from apps.improvement.drafts.queries.trials import trial_document
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.drafts.services.placing_families import draw_hold_out, open_sealed
from apps.improvement.drafts.services.steering_trials import cancel_trial, lift_block
from apps.improvement.holdout.queries.sealing import refuse_sealed, sealed_families
from apps.improvement.models import FamilyPart, PromptDraft, Trial
from apps.runs.models import Conversation, TestRun
from tests.improvement.trial_rows import (
    DRAFT,
    NOW,
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
WORSE = {"facts": gain(-1.6)}


def another(words: str) -> object:
    return create_draft(name="greeting", text=DRAFT.replace("each", words), source=DraftSource(by="amina"))


def lift(row: Trial, *, criterion: str = "facts", reason: str = "The old facts were wrong.") -> None:
    lift_block(row.pk, criterion=criterion, reason=reason, by="amina", now=NOW)


def sealed() -> int:
    return FamilyPart.objects.filter(part="hold_out").count()


# --- Stopped ---
def test_stopped_before_it_began_nothing_is_played_and_no_look_is_spent() -> None:
    draft = make_world()
    row = ask(draft)
    cancel_trial(row.pk, by="amina", now=NOW)
    row.refresh_from_db()
    assert (row.status, row.look, row.error_message) == ("cancelled", None, "Cancelled by amina.")
    assert (TestRun.objects.count(), status_of(draft)) == (0, "proposed")
    assert advance_trials(now=NOW).started == 0


def test_stopped_before_the_draft_has_a_score_no_look_is_spent() -> None:
    draft = make_world()
    row = started(draft)
    cancel_trial(row.pk, by="amina", now=NOW)
    row.refresh_from_db()
    assert (row.status, row.look) == ("cancelled", None)
    assert set(TestRun.objects.values_list("status", flat=True)) == {"cancelled"}
    assert (status_of(draft), hold_out_set().left) == ("proposed", 3)


def test_stopped_after_the_draft_was_scored_the_look_is_spent() -> None:
    draft = make_world()
    row = started(draft)
    side = row.sides.get(side="draft")
    one = Conversation.objects.filter(run=side.test_run)[0]
    Judgement.objects.update_or_create(
        evaluation=side.evaluation, conversation=one,
        defaults={"status": "scored", "weighted_score": 8.0, "fingerprint": "judge"},
    )  # fmt: skip
    cancel_trial(row.pk, by="amina", now=NOW)
    row.refresh_from_db()
    assert (row.status, row.look) == ("cancelled", 1)
    assert "look 1 is spent" in row.error_message
    assert hold_out_set().left == 2
    assert hold_out_document().sets[0].looks[0].verdict is None


def test_what_has_ended_is_not_stopped() -> None:
    row = decided(make_world(), gain(1.0))
    with pytest.raises(Conflict) as raised:
        cancel_trial(row.pk, by="amina", now=NOW)
    assert raised.value.code == "wrong_state"
    with pytest.raises(NotFound):
        cancel_trial("nobody", by="amina", now=NOW)


# --- Lifted ---
def test_a_lifted_block_leaves_what_else_was_shown_and_keeps_who_and_why() -> None:
    draft = make_world()
    row = decided(draft, gain(1.0), criteria=WORSE)
    assert status_of(draft) == "blocked"
    lift(row)
    row.refresh_from_db()
    assert [(one["criterion"], one["by"], one["reason"]) for one in row.lifted_blocks] == [
        ("facts", "amina", "The old facts were wrong.")
    ]
    assert row.decision["verdict"] == "blocked", "the decision stays as it was made"
    assert (trial_document(row).verdict, status_of(draft)) == ("better", "better")
    assert trial_document(row).provenance[-1]["sentence"].startswith("amina let facts be worse")


@pytest.mark.parametrize(
    "more, code",
    [({"reason": " "}, "no_reason"), ({"criterion": "flow"}, "not_blocked"), ({"reason": "x" * 2001}, "too_long")],
)
def test_a_block_is_lifted_with_a_reason_and_only_where_it_blocks(more, code: str) -> None:
    row = decided(make_world(), gain(1.0), criteria=WORSE)
    with pytest.raises(BadInput) as raised:
        lift(row, **more)
    assert raised.value.code == code
    row.refresh_from_db()
    assert row.lifted_blocks == []


def test_a_block_is_lifted_once() -> None:
    row = decided(make_world(), gain(1.0), criteria=WORSE)
    lift(row)
    with pytest.raises(Conflict) as raised:
        lift(row)
    assert raised.value.code == "lifted_already"


def test_the_circuit_breaker_is_not_lifted() -> None:
    draft = make_world()
    row = decided(draft, gain(-1.6, spread=0))
    for criterion in row.decision["blocked_criteria"]:
        lift(row, criterion=criterion)
    assert status_of(draft) == "blocked"


def test_an_earlier_trial_lifts_nothing() -> None:
    draft = make_world()
    first = decided(draft, gain(1.0), criteria=WORSE)
    decided(draft, gain(1.0), criteria=WORSE)
    with pytest.raises(Conflict) as raised:
        lift(first)
    assert raised.value.code == "superseded"


def test_nothing_is_lifted_while_it_goes_on() -> None:
    with pytest.raises(Conflict) as raised:
        lift(started(make_world()))
    assert raised.value.code == "not_decided"


# --- Worn and drawn ---
def test_the_third_look_sends_the_set_to_train_and_a_fourth_is_refused() -> None:
    make_world()
    looks = [decided(another(word), gain(1.0)).look for word in ("every", "any", "one")]
    assert looks == [1, 2, 3]
    assert sealed() == 0
    assert FamilyPart.objects.filter(part="train", set_number=1).count() == 12
    with pytest.raises(Conflict) as raised:
        ask(another("some"))
    assert raised.value.code == "no_hold_out"
    assert hold_out_set().number == 2


def test_a_look_that_belongs_to_a_trial_which_goes_on_is_not_given_twice() -> None:
    make_world()
    for word in ("every", "any", "one"):
        ask(another(word))
    with pytest.raises(Conflict) as raised:
        ask(another("some"))
    assert raised.value.code == "hold_out_worn"


def test_families_that_a_trial_played_are_not_drawn_again() -> None:
    make_world(families=14)
    for word in ("every", "any", "one"):
        decided(another(word), gain(1.0))
    make_families(3, first=40)
    FamilyPart.objects.bulk_create(
        FamilyPart(family=f"family-{number}", part="selection", drawn_at=NOW) for number in (40, 41, 42)
    )
    assert draw_hold_out(now=NOW) == 3
    drawn = FamilyPart.objects.filter(part="hold_out")
    assert set(drawn.values_list("family", "set_number")) == {(f"family-{number}", 2) for number in (40, 41, 42)}
    with pytest.raises(Conflict) as raised:
        draw_hold_out(now=NOW)
    assert raised.value.code == "no_untried_families"


def test_a_set_that_was_looked_at_is_not_filled_up() -> None:
    decided(make_world(), gain(1.0))
    with pytest.raises(Conflict) as raised:
        draw_hold_out(now=NOW)
    assert raised.value.code == "hold_out_in_use"


def test_a_full_set_is_left_as_it_is() -> None:
    make_world()
    assert (draw_hold_out(now=NOW), sealed()) == (0, 12)


# --- Opened ---
def test_reading_one_conversation_costs_its_family_and_nothing_more() -> None:
    row = decided(make_world(), gain(1.0))
    side = row.sides.get(side="draft")
    one = Conversation.objects.filter(run=side.test_run).order_by("position")[0]
    assert sealed_families([one.pk]) == [one.spec["family"]]
    assert [len(sealed_families([one.pk])) for one in (side.evaluation, side.test_run)] == [12, 12]
    with pytest.raises(Conflict) as raised:
        refuse_sealed([one.pk])
    assert (raised.value.code, raised.value.extra) == ("sealed", {"families": 1})
    assert [open_sealed([one.pk], by="amina") for _ in range(2)] == [1, 0]
    assert (sealed_families([one.pk]), sealed()) == ([], 11)
    refuse_sealed([one.pk])


def test_what_is_no_hold_out_is_read_freely() -> None:
    draft = make_world()
    FamilyPart.objects.update(part="selection", set_number=0)
    row = decided(draft, gain(1.0), part="selection")
    ids = [side.evaluation.pk for side in row.sides.all()]
    assert sealed_families(ids) == []
    assert sealed_families([]) == []


def test_a_worn_set_may_be_read() -> None:
    make_world()
    rows = [decided(another(word), gain(1.0)) for word in ("every", "any", "one")]
    assert sealed_families([side.test_run.pk for row in rows for side in row.sides.all()]) == []


def test_a_trial_is_no_measurement_of_the_live_agent() -> None:
    row = started(make_world())
    assert set(TestRun.objects.values_list("kind", flat=True)) == {"trial"}
    assert set(Conversation.objects.values_list("kind", flat=True)) == {"battle"}
    play(row, gain(1.0))
    assert PromptDraft.objects.count() == 1

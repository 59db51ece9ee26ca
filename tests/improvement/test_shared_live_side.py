"""The live prompt plays the selection once for all drafts of a round, and anew where anything else is played."""

import pytest

from apps.catalog.models import Scenario
from apps.core.documents import as_json
from apps.improvement.drafts.services.steering_trials import cancel_trial
from apps.improvement.models import FamilyPart, Trial, TrialSide
from apps.improvement.optimizer.queries.documents import optimization_document
from apps.runs.models import TestRun
from tests.improvement.optimization_rows import go_on, try_next
from tests.improvement.test_optimizing import evaluation, tried, writers  # noqa: F401 - fixtures
from tests.improvement.trial_rows import NOW, advance_trials, gain

pytestmark = pytest.mark.usefixtures("tenant")


def runs_of(side: str) -> list[str]:
    return [str(one) for one in TrialSide.objects.filter(side=side).order_by("id").values_list("test_run", flat=True)]


def test_drafts_of_one_round_are_compared_with_one_live_side(evaluation) -> None:  # noqa: F811
    row = tried(evaluation, "payment", "prices")
    for score in (gain(0.6), gain(0.8), gain(1.1)):  # the combined draft is the third
        try_next(row, score)
    assert (row.status, Trial.objects.count()) == ("completed", 3)
    assert (len(set(runs_of("live"))), len(set(runs_of("draft")))) == (1, 3)
    document = as_json(optimization_document(row))
    assert document["spent"]["conversations"] == document["forecast"]["conversations"] == 4 * 12
    assert [round(one["estimate"], 6) for one in document["drafts"]] == [0.75, 0.95, 1.25]


def test_the_hold_out_plays_it_anew(evaluation) -> None:  # noqa: F811
    FamilyPart.objects.filter(family__gte="family-06").update(part="hold_out", set_number=1)
    row = tried(evaluation, "payment", prove=True)
    try_next(row, gain(0.6))
    advance_trials(now=NOW)
    assert Trial.objects.filter(part="hold_out", status="running").count() == 1
    assert len(set(runs_of("live"))) == 2


def test_a_scenario_that_was_edited_in_between_is_played_by_both(evaluation) -> None:  # noqa: F811
    row = tried(evaluation, "payment", "prices")
    try_next(row, gain(0.6))
    Scenario.objects.filter(slug="s00").update(goal="A haircut, and soon.")
    advance_trials(now=NOW)
    assert len(set(runs_of("live"))) == 2
    try_next(row, gain(0.8))
    assert row.drafts.get(position=2).trial.status == "completed"


def test_a_live_side_that_was_stopped_is_no_live_side(evaluation) -> None:  # noqa: F811
    row = tried(evaluation, "payment", "prices")
    advance_trials(now=NOW)
    cancel_trial(row.drafts.get(position=1).trial_id, by="amina", now=NOW)
    go_on(row)
    advance_trials(now=NOW)
    assert len(set(runs_of("live"))) == 2
    assert TestRun.objects.filter(kind="trial", status="cancelled").count() == 2

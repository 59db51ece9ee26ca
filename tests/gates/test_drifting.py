"""Losses below the margin, one after the other: a gate holds the score against what the oldest one compared with."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.gates.domain.judging_changes import ChangeKind, changes_digest, read_changes
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate
from apps.gates.services.accepting import accept_changes
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")


def points(score: float) -> Mapping[str, float]:
    """Of each case a little more or less than the score."""
    return {case: score + 0.1 * (at % 3 - 1) for at, case in enumerate(level(8))}


def decided(before: float, after: float, *, days_ago: int = 0, **more: Any) -> PullRequestGate:
    there, here = scored(points(before), commit=BASE), scored(points(after))
    asked: dict[str, Any] = {"agent": "booking", "commit": HEAD, "candidate": here.pk, "baseline": there.pk,
                             "base_commit": BASE, **more}  # fmt: skip
    id = request_gate(GateQuestion(**asked), GatePolicy())
    decide_due_gates(now=timezone.now() - timedelta(days=days_ago), gate_id=id)
    return PullRequestGate.objects.get(pk=id)


def test_a_step_below_the_margin_passes_and_the_second_one_is_stopped() -> None:
    assert decided(8.0, 7.6, days_ago=30).decision == "pass"
    second = decided(7.6, 7.2)
    assert (second.decision, second.why) == ("unmeasurable", "drifted")
    assert "8.00 at" in second.sentence
    assert "(30 days ago), 7.20 now over 12 cases, and 0.40 of it by this change" in second.sentence


def test_a_change_that_takes_nothing_itself_is_told_of_it_and_passes() -> None:
    decided(8.0, 7.6, days_ago=30)
    harmless = decided(7.2, 7.2)
    assert harmless.decision == "pass"
    told = [one for one in read_changes(harmless.changes) if one.kind is ChangeKind.DRIFTED]
    assert [(one.before, one.after) for one in told] == [("8.00", "7.20")]


def test_what_is_older_than_ninety_days_or_scored_by_another_judge_is_not_compared() -> None:
    decided(8.0, 7.6, days_ago=91)
    assert decided(7.6, 7.2).decision == "pass"


def test_what_a_person_accepted_is_the_measure_from_then_on() -> None:
    decided(8.0, 7.6, days_ago=30)
    gate = decided(7.6, 7.2)
    accepted = accept_changes(gate.pk, by="amina", seen=changes_digest(read_changes(gate.changes)))
    assert decided(7.6, 7.2, acceptance=accepted).decision == "pass"
    assert decided(7.2, 7.2).changes == []


def test_a_loss_stays_a_loss() -> None:
    decided(8.0, 7.6, days_ago=30)
    assert decided(7.6, 6.0).why == "loss"

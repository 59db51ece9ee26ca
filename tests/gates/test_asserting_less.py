"""A gate remembers what earlier gates of its agent asserted: assertions that go away step by step are told, and where
most are gone a person decides."""

from datetime import timedelta
from typing import Any

import pgtrigger
import pytest
from django.db.models.expressions import RawSQL
from django.utils import timezone

from apps.catalog.scenarios.domain.assertions import asserted_items, frozen_assertions, parse_assertions
from apps.checks.models import CheckJob
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange, changes_digest, read_changes
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate
from apps.gates.services.accepting import accept_changes
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.runs.models import Conversation
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")


def decided(asserting: int, *, days_ago: int = 0, tool: str = "x", **more: Any) -> PullRequestGate:
    """A gate of which so many of twelve cases assert something."""
    there, here = scored(level(8), commit=BASE), scored(level(8))
    for run in (there.run_id, here.run_id):
        for at, row in enumerate(Conversation.objects.filter(run=run).order_by("position")):
            spec = {**row.spec, "scenario": f"s{at}"} | (frozen_assertions([{"tool": tool}]) if at < asserting else {})
            with pgtrigger.ignore():  # the frozen plan of another story
                Conversation.objects.filter(pk=row.pk).update(spec=spec)
            if at < asserting:
                CheckJob.objects.create(conversation=row, status="completed", ended_at=timezone.now())
    now = timezone.now() - timedelta(days=days_ago)
    asked: dict[str, Any] = {"agent": "booking", "commit": HEAD, "candidate": here.pk, "baseline": there.pk,
                             "base_commit": BASE, **more}  # fmt: skip
    id = request_gate(GateQuestion(**asked), GatePolicy())
    decide_due_gates(now=now, gate_id=id)
    return PullRequestGate.objects.get(pk=id)


def told(gate: PullRequestGate) -> list[tuple[str, str]]:
    changes = (one for one in read_changes(gate.changes) if one.kind is ChangeKind.ASSERTS_LESS)
    return [(one.before, one.after) for one in changes]


def test_steps_that_each_take_a_little_are_told_and_stop_where_most_is_gone() -> None:
    assert told(decided(9, days_ago=40)) == []
    step = decided(6, days_ago=20)
    assert (step.decision, told(step)) == ("pass", [("9", "6")])
    last = decided(0)
    assert (last.decision, last.why, told(last)) == ("unmeasurable", "assertions_gone", [("9", "0")])
    assert "Assertions: 9 in the strictest gate of the last 90 days, 0 now." in last.sentence


def test_an_assertion_that_is_swapped_for_another_one_is_told_by_each_gate_after_it() -> None:
    """Their number stays as it is."""
    decided(9, days_ago=40)
    for days_ago in (20, 10, 0):
        gate = decided(9, days_ago=days_ago, tool="weaker")
        assert (gate.decision, told(gate)) == ("pass", [("9", "0")])
    assert "gone or other in 9 cases: case-00, case-01, case-02, case-03, case-04 and 4 more" in str(gate.changes)
    assert told(decided(9)) == [("9", "0")], "and where it goes the other way: whichever is the weaker one"
    assert told(decided(9, tool="weaker", kind="advisory")) == [("9", "0")]
    with pgtrigger.ignore():  # as they were stored before
        PullRequestGate.objects.update(document=RawSQL("document - 'assertions'", ()))
    assert told(decided(9)) == [], "gates of before know how many there were"


def test_each_assertion_counts_by_what_it_says() -> None:
    written = [
        {"tool": "book_slot", "arguments": {"hour": 9}}, {"tool": "pay"}, {"said": "KES 800"},
        {"ended": ["agent_closed", "script_ended"]},
    ]  # fmt: skip
    assert len(asserted_items(frozen_assertions(parse_assertions(written)))) == len(written)
    weaker = [{"tool": "book_slot"}, *written[1:3], {"ended": ["agent_closed", "script_ended", "max_turns"]}]
    now = asserted_items(frozen_assertions(parse_assertions(weaker)))
    assert sum(one not in now for one in asserted_items(frozen_assertions(parse_assertions(written)))) == 2


def test_what_a_person_accepted_is_not_asked_again() -> None:
    decided(9, days_ago=1)
    gate = decided(1)
    assert gate.why == "assertions_gone"
    accept_changes(gate.pk, by="amina", seen=changes_digest(read_changes(gate.changes)))
    after = decided(1)
    assert (after.decision, told(after)) == ("pass", [])


def test_new_scenarios_do_not_stand_for_those_that_went() -> None:
    decided(9, days_ago=1)
    brought = tuple(JudgingChange(kind=ChangeKind.SCENARIO_ADDED, name=f"case-{at:02}") for at in range(9))
    assert decided(12, changes=brought).why == "assertions_gone"


def test_what_is_older_than_90_days_and_what_asserts_more_is_forgotten() -> None:
    decided(9, days_ago=91)
    gate = decided(3)
    assert (gate.decision, told(gate)) == ("pass", [])
    assert told(decided(5)) == []

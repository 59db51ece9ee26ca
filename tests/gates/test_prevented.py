"""What came from a real customer is held in every gate, and what a gate stopped is counted once."""

import pgtrigger
import pytest
from django.db import DatabaseError, transaction

from apps.catalog.models import Criterion, PromptVersion, Scenario
from apps.catalog.scenarios.services.releasing import archive_scenario, create_candidate, release_scenario
from apps.evaluations.models import CriterionScore, Evaluation
from apps.gates.domain.gate_junit import gate_junit
from apps.gates.domain.policy import read_policy
from apps.gates.models import PreventedFailure, PullRequestGate
from apps.gates.queries.gates import find_gate, gate_document
from apps.gates.queries.prevented import PreventedCount, prevented_count, prevented_counts
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.runs.models import Conversation, TestRun
from tests.catalog.samples import criterion_fields
from tests.evaluations.bench import NOW
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")
MARK = [{"criterion": "facts", "below": 6}]
NONE, ONCE = PreventedCount(failures=0, gates=0), PreventedCount(failures=1, gates=1)
HARD = {"hard_checks": ["MustNotHappenAgain"]}


@pytest.fixture
def scenario() -> Scenario:
    Criterion.objects.get_or_create(name="facts", defaults=criterion_fields())
    made = create_candidate(slug="late_refund", goal="Wants the money.", must_not=MARK, provenance={"feedback": ["f"]})
    release_scenario(scenario_id=made, by="amina", now=NOW)
    return Scenario.objects.get(pk=made)


def side(
    facts: float,
    *,
    must_not: list = MARK,  # type: ignore[type-arg]
    name: str = "late_refund",
    prompt_version: str = "",
    **more: object,
) -> Evaluation:
    """Twelve conversations of 8 points; the first is of the scenario, and `facts` of it."""
    found = scored(level(8), **more)
    if prompt_version:
        with pgtrigger.ignore():
            subject = {**found.run.subject, "prompt_version": prompt_version}
            TestRun.objects.filter(pk=found.run_id).update(subject=subject)
    row = Conversation.objects.get(run=found.run_id, external_id="case-00")
    with pgtrigger.ignore():  # the rows of another story
        spec = {"scenario": name, "goal": "Wants the money.", "must_not": must_not}
        Conversation.objects.filter(pk=row.pk).update(spec=spec)
        CriterionScore.objects.filter(judgement__conversation=row, criterion="facts").update(score=facts)
    return found


def gate(candidate: Evaluation, baseline: Evaluation, policy=HARD, **more: object) -> PullRequestGate:
    question = GateQuestion(
        agent="booking", commit=HEAD, base_commit=BASE, candidate=candidate.pk, baseline=baseline.pk, **more
    )
    row = find_gate(request_gate(question, read_policy(policy)))
    assert decide_due_gates(now=NOW, gate_id=row.pk) == 1
    row.refresh_from_db()
    return row


def test_a_released_scenario_that_fails_in_a_gate_is_counted_once_and_told_in_every_output(scenario) -> None:
    row = gate(side(2.0), side(9.0, commit=BASE))
    assert (row.decision, row.why) == ("fail", "hard_assertion")
    assert (prevented_count(), prevented_count(since=row.created_at)) == (ONCE, ONCE)
    assert prevented_counts([scenario.pk])[scenario.pk] == 1
    line = PreventedFailure.objects.select_related("gate").get(scenario=scenario.pk)
    assert (line.slug, line.gate_id, line.gate.agent, line.gate.commit) == ("late_refund", row.pk, "booking", HEAD)
    found = gate_document(row, base="https://acme.example/")
    assert [one["scenario"] for one in found["prevented"]] == ["late_refund"]
    for text in (found["markdown"], found["terminal"]):
        assert "Prevented: late" in text.replace("\\", "")
        assert "MustNotHappenAgain/facts" in text.replace("\\", "")
    assert b"MustNotHappenAgain/facts: 2 of 10; below 6" in gate_junit(found)


def test_the_same_change_asked_again_prevents_nothing_more_and_one_that_passes_nothing(scenario) -> None:
    baseline, candidate = side(9.0, commit=BASE), side(2.0)
    gate(candidate, baseline)
    gate(side(9.0), baseline)
    assert prevented_count() == ONCE
    gate(candidate, baseline, policy={**HARD, "margin": 2})
    gate(side(1.0), baseline)
    assert prevented_count() == PreventedCount(failures=1, gates=3)
    assert prevented_counts([scenario.pk])[scenario.pk] == 1


def test_another_change_that_would_bring_it_back_counts_again(scenario) -> None:
    baseline = side(9.0, commit=BASE)
    for number in ("PR 1", "PR 1", "PR 2"):
        gate(side(2.0), baseline, pull_request=number)
    assert prevented_count() == PreventedCount(failures=2, gates=3)


def test_without_a_pull_request_one_prompt_text_is_one_change_whatever_its_commit(scenario) -> None:
    baseline = side(9.0, commit=BASE)
    for short, digest in (("aaaaaaa", "d1"), ("bbbbbbb", "d1"), ("ccccccc", "d2")):
        PromptVersion.objects.create(name="desk", version=f"desk@{short}", text=digest, digest=digest)
        gate(side(2.0, prompt_version=f"desk@{short}"), baseline)
    assert prevented_count().failures == 2
    with pytest.raises(DatabaseError), transaction.atomic():
        PreventedFailure.objects.update(slug="another")


def test_what_was_counted_is_final(scenario) -> None:
    gate(side(2.0), side(9.0, commit=BASE))
    with pytest.raises(DatabaseError), transaction.atomic():
        PreventedFailure.objects.update(slug="another")


def test_what_is_not_of_production_or_not_released_is_held_and_not_counted(scenario) -> None:
    Scenario.objects.filter(pk=scenario.pk).update(origin="")
    assert gate(side(2.0), side(9.0, commit=BASE)).decision == "fail"
    Scenario.objects.filter(pk=scenario.pk).update(origin="production", status="candidate")
    assert gate(side(2.0), side(9.0, commit=BASE)).decision == "fail"
    assert prevented_count().failures == 0


def test_without_a_declaration_it_is_played_again_and_counted_when_that_confirms_it(scenario) -> None:
    first = gate(side(2.0), side(9.0, commit=BASE), policy=None)
    assert (first.decision, prevented_count()) == ("undecided", NONE)
    (again,) = first.document["play_again"]
    assert again["times"] == 2
    ours, theirs = (_twice(side(facts, commit=commit)) for facts, commit in ((2.0, HEAD), (9.0, BASE)))
    second = gate(ours, theirs, policy=None, replays_of=first.pk)
    assert (second.decision, second.why, prevented_count()) == ("fail", "hard_assertion", ONCE)


def _twice(found: Evaluation) -> Evaluation:
    """The scenario's conversation stands in for two more plays of it: the second gets its words and its points."""
    first = Conversation.objects.get(run=found.run_id, external_id="case-00")
    other = Conversation.objects.get(run=found.run_id, external_id="case-01")
    facts = CriterionScore.objects.get(judgement__conversation=first, criterion="facts").score
    with pgtrigger.ignore():
        Conversation.objects.filter(pk=other.pk).update(spec=first.spec)
        CriterionScore.objects.filter(judgement__conversation=other, criterion="facts").update(score=facts)
    return found


@pytest.mark.parametrize("softened", [[{"criterion": "facts", "below": 1}], []])
def test_a_softer_mark_of_the_candidate_changes_nothing(scenario, softened) -> None:
    row = gate(side(2.0, must_not=softened), side(9.0, commit=BASE))
    assert (row.decision, prevented_count()) == ("fail", ONCE)


def test_a_scenario_that_a_change_leaves_out_is_unmeasurable_until_a_person_archives_it(scenario) -> None:
    def left_out(**more: object) -> PullRequestGate:
        return gate(side(9.0, name="another", must_not=[]), side(9.0, commit=BASE), **more)

    row = left_out()
    assert (row.decision, row.why) == ("unmeasurable", "must_not_gone")
    assert "late_refund" in row.sentence
    assert left_out(kind="advisory").why != "must_not_gone", "a smoke test plays a part"
    archive_scenario(scenario_id=scenario.pk)
    assert left_out().why != "must_not_gone"

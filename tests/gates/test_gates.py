"""A gate is owed, waits for what it compares, is decided once, and then never changes."""

from datetime import timedelta

import pgtrigger
import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.checks.models import CheckJob, CheckResult
from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import Evaluation
from apps.gates.domain.case_digest import case_digest, case_name
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate
from apps.gates.queries.baselines import baselines_of
from apps.gates.queries.gates import find_gate, gate_document
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from tests.databases import as_superuser
from tests.evaluations.bench import NOW
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")
URL = "https://acme.example/"


def owed(candidate: Evaluation, baseline: Evaluation | None, **more: object) -> PullRequestGate:
    question = GateQuestion(
        agent="booking", commit=HEAD, base_commit=BASE, candidate=candidate.pk,
        baseline=baseline.pk if baseline else None, **more,  # type: ignore[arg-type]  # fields of the question
    )  # fmt: skip
    return find_gate(request_gate(question, GatePolicy()))


def decided(candidate: Evaluation, baseline: Evaluation | None, **more: object) -> PullRequestGate:
    row = owed(candidate, baseline, **more)
    assert decide_due_gates(now=NOW, gate_id=row.pk) == 1
    row.refresh_from_db()
    return row


def test_a_candidate_like_its_baseline_passes() -> None:
    row = decided(scored(level(8)), scored(level(8), commit=BASE))
    assert (row.decision, row.why, row.document["exit_code"]) == ("pass", "no_loss", 0)
    found = gate_document(row, base=URL)
    assert found["baseline"]["commit"] == BASE
    assert found["counts"]["candidate"] == {"repeats": 1, "conversations": 12, "counted": 12, "cases": 12, "scored": 12}
    assert found["first_missing_link"] == "judge_certified"
    assert found["markdown"].startswith("### ✅ pass — Passes: The score moved by +0.00")


def test_a_second_judge_that_was_left_out_for_money_is_told_in_every_output() -> None:
    row = decided(scored(level(8), not_cross_checked=["case-03", "case-07"]), scored(level(8), commit=BASE))
    found = gate_document(row, base=URL)
    _offline, note, _no_floor = found["notes"]
    assert note.endswith("so the second judge was left out: 2 conversations chosen for a cross-check got none.")
    for text in (found["markdown"], found["terminal"]):
        assert note in text


def test_a_gate_that_the_offline_rules_judged_says_so_in_every_output() -> None:
    row = decided(scored(level(8)), scored(level(8), commit=BASE))
    note = "Judged by the offline rules: no model was asked."
    asked = row.candidate.snapshot["llm_config"]
    for provider in ("anthropic", "offline"):
        llm_config = {**asked, "judge": {**asked["judge"], "provider": provider}}
        with pgtrigger.ignore():
            snapshot = {**row.candidate.snapshot, "llm_config": llm_config}
            Evaluation.objects.filter(pk=row.candidate_id).update(snapshot=snapshot)
        found = gate_document(row, base=URL)
        for text in (found["notes"], found["markdown"], found["terminal"]):
            assert (note in text) is (provider == "offline")


def test_a_worse_candidate_fails_with_links_to_both_transcripts() -> None:
    candidate, baseline = (
        scored({**level(8), **{f"case-{at:02}": 3.0 for at in range(10)}}),
        scored(level(8), commit=BASE),
    )
    row = decided(candidate, baseline)
    assert (row.decision, row.why) == ("fail", "loss")
    found = gate_document(row, base=URL)
    assert found["blocks"]
    assert len(found["cases"]) == 10
    assert found["cases"][0]["url"].startswith(f"{URL}comparisons/pair/?a={baseline.pk}&b={candidate.pk}&right=")
    said = found["cases"][0]["said"]
    assert (said["criterion"], said["before"], said["after"], said["reason"]) == ("flow", 8.0, 3.0, "flow is 3.0")
    assert said["baseline_reply"]
    assert ": flow 8 to 3: flow is 3.0<br>**baseline:**" in found["markdown"]
    assert "flow 8 to 3: flow is 3.0" in found["terminal"]
    lost = next(one for one in found["metrics"] if one["metric"] == "passed" and not one["language"])
    assert lost["lost"] == [f"case-{at:02}" for at in range(10)]


def test_a_gate_waits_for_evaluations_and_for_checks() -> None:
    candidate = scored(level(8), status="running")
    row = owed(candidate, scored(level(8), commit=BASE))
    assert row.waiting_for == "a worker"
    assert decide_due_gates(now=NOW) == 0
    row.refresh_from_db()
    assert row.waiting_for == "the candidate's evaluation is running"
    assert gate_document(row, base=URL)["decision"] is None
    Evaluation.objects.filter(pk=candidate.pk).update(status="completed")
    job = CheckJob.objects.create(conversation=Conversation.objects.filter(run=candidate.run_id)[0])
    assert decide_due_gates(now=NOW) == 0
    job.status = "completed"
    job.save()
    assert decide_due_gates(now=NOW) == 1
    assert decide_due_gates(now=NOW) == 0


@pytest.mark.parametrize("side", ["candidate", "baseline"])
def test_an_evaluation_of_another_agent_is_refused(side: str) -> None:
    sides = {"candidate": scored(level(8)), "baseline": scored(level(8), commit=BASE)}
    with pgtrigger.ignore():  # the rows of another story
        TestRun.objects.filter(pk=sides[side].run_id).update(subject={"agent": "beta"})
    with pgtrigger.ignore():  # the rows of another story
        Evaluation.objects.filter(pk=sides[side].pk).update(subject={"agent": "beta"})
    with pytest.raises(BadInput, match="is of the agent beta, not of booking") as refused:
        owed(**sides)
    assert (refused.value.code, refused.value.pointer) == ("other_agent", f"/{side}/evaluation")


def test_a_decided_gate_is_final() -> None:
    row = decided(scored(level(8)), None)
    assert row.why == "no_baseline"
    for change in (lambda: PullRequestGate.objects.update(decision="pass"), lambda: row.delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_the_same_rows_by_the_same_rule_have_the_same_digest() -> None:
    candidate, baseline = scored(level(8)), scored(level(8), commit=BASE)
    first, second = decided(candidate, baseline), decided(candidate, baseline)
    assert first.pk != second.pk
    assert first.digest == second.digest
    later = owed(candidate, baseline, title="other")
    decide_due_gates(now=NOW + timedelta(days=3), gate_id=later.pk)
    later.refresh_from_db()
    assert (later.digest, later.document["baseline_age_s"]) != (first.digest, first.document["baseline_age_s"])
    assert later.digest == first.digest


def test_a_hard_check_of_the_run_stops() -> None:
    candidate, baseline = scored(level(8)), scored(level(8), commit=BASE)
    conversation = Conversation.objects.filter(run=candidate.run_id).order_by("position")[0]
    CheckResult.objects.create(
        run_id=candidate.run_id, conversation=conversation, check_name="scenario_tools", source="scenario",
        outcome="fail", score=0, threshold=1, reason="pay is forbidden and was called", measured_at=NOW,
        evidence=[{"kind": "rule", "why": "pay is forbidden and was called", "fact": "forbidden"}],
    )  # fmt: skip
    row = decided(candidate, baseline)
    assert (row.decision, row.why) == ("fail", "hard_assertion")
    assert row.document["cases"][0]["why"] == "scenario_tools: pay is forbidden and was called"


def test_a_blocking_criterion_stops_only_where_it_blocks() -> None:
    low = {**level(8), "case-03": 2.0}
    row = decided(scored(low, config="strict", blocking=["facts"]), scored(level(8), config="strict", commit=BASE))
    assert (row.decision, row.why) == ("fail", "blocking_criterion")
    row = decided(scored(low), scored(level(8), commit=BASE))
    assert row.why != "blocking_criterion"


def test_what_a_fallback_model_judged_is_no_score_of_this_judge() -> None:
    candidate = scored(level(8))
    for row in candidate.judgements.all()[:2]:
        with connection.cursor() as cursor:
            as_superuser("SET LOCAL session_replication_role = replica")
            cursor.execute(
                "UPDATE evaluations_judgement SET by_fallback = true, fingerprint = 'x' WHERE id = %s", [row.pk]
            )
            as_superuser("SET LOCAL session_replication_role = origin")
    gate = decided(candidate, scored(level(8), commit=BASE))
    assert (gate.decision, gate.why) == ("unmeasurable", "too_little_measured")
    assert "by another judge" in gate.sentence


def test_bad_questions_are_refused() -> None:
    candidate = scored(level(8))
    with pytest.raises(BadInput, match="the candidate itself") as same:
        owed(candidate, candidate)
    assert same.value.pointer == "/baseline/evaluation"
    other = GateQuestion(agent="booking", commit="d" * 40, candidate=candidate.pk)
    with pytest.raises(BadInput, match="of commit cccccccccccc, not of dddddddddddd"):
        request_gate(other, GatePolicy())
    nobody = GateQuestion(agent="booking", commit=HEAD, candidate="0" * 32)
    with pytest.raises(NotFound):
        request_gate(nobody, GatePolicy())
    assert not PullRequestGate.objects.exists()


def test_baselines_are_found_by_agent_and_commit() -> None:
    baseline = scored({**level(8), "case-01": None}, commit=BASE)
    scored(level(8))
    (found,) = baselines_of(agent="booking", commit=BASE[:9].upper(), now=NOW)
    assert (found["evaluation"], found["fingerprint"]) == (str(baseline.pk), "f" * 64)
    assert len(found["cases"]) == 11
    assert {"digest": case_digest({}, external_id="case-00"), "id": "case-00"} in found["cases"]
    assert baselines_of(agent="other", commit=BASE, now=NOW) == []
    with pytest.raises(BadInput):
        baselines_of(agent="booking", commit="bbb", now=NOW)


def test_a_case_is_what_was_played() -> None:
    spec = {"scenario": "late", "persona_name": "Amina", "persona": "words", "opening": "hi", "repeat": 2, "seed": 9}
    again = {**spec, "repeat": 0, "seed": 4}
    assert case_digest(spec, external_id="late#2") == case_digest(again, external_id="late#0")
    assert case_digest(spec, external_id="late") != case_digest({**spec, "opening": "hello"}, external_id="late")
    golden = {"golden_session": "g", "golden_digest": "d1", "variables": {"day": "monday"}, "repeat": 0}
    assert case_digest(golden, external_id="g") == case_digest({**golden, "variables": {}}, external_id="g#1")
    assert case_digest(golden, external_id="g") != case_digest({**golden, "golden_digest": "d2"}, external_id="g")
    assert case_name(spec, external_id="late#2") == "late"


def test_queries_do_not_grow_with_the_run() -> None:
    counts = []
    for n in (8, 40):
        row = owed(scored(level(8, n)), scored(level(8, n), commit=BASE))
        with CaptureQueriesContext(connection) as queries:
            decide_due_gates(now=NOW, gate_id=row.pk)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 70  # ten of them for what earlier gates asserted and compared with


def test_another_tenant_sees_no_gate(other_tenant: str) -> None:
    decided(scored(level(8)), None)
    with in_tenant(other_tenant):
        assert not PullRequestGate.objects.exists()


def test_a_gate_that_cannot_be_decided_says_why_and_keeps_back_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.gates.services.deciding.MOST", 1)
    bad, good = (owed(scored(level(8)), scored(level(8), commit=BASE)) for _ in range(2))
    with pgtrigger.ignore():
        PullRequestGate.objects.filter(pk=bad.pk).update(policy={"margins": 7})
    assert decide_due_gates(now=NOW) == 1
    bad.refresh_from_db()
    good.refresh_from_db()
    assert (bad.status, good.status) == ("pending", "decided")
    assert bad.waiting_for.startswith("it cannot be decided: ")

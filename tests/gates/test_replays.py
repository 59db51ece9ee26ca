"""Cases that a gate names are played again, and asked about once more: by the same rule, over the same question."""

from datetime import timedelta
from typing import Any

import pgtrigger
import pytest

from apps.checks.models import CheckResult
from apps.core.errors import BadInput, Conflict
from apps.evaluations.models import Evaluation
from apps.gates.domain.policy import GatePolicy
from apps.gates.queries.gates import find_gate, gate_document
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.runs.models import Conversation, TestRun, Turn
from tests.evaluations.bench import NOW
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")


def asked(candidate: Evaluation, baseline: Evaluation | None, **more: Any) -> dict[str, Any]:
    question = {"agent": "booking", "commit": HEAD, "base_commit": BASE, "candidate": candidate.pk,
                "baseline": baseline.pk if baseline else None, **more}  # fmt: skip
    row = request_gate(GateQuestion(**question), more.pop("policy", GatePolicy(looks=2)))
    decide_due_gates(now=NOW, gate_id=row)
    return gate_document(find_gate(row), base="https://acme.example/")


def with_tools(found: Evaluation, *failing: str, fact: str = "") -> Evaluation:
    """Each conversation was checked for its tools."""
    for row in Conversation.objects.filter(run=found.run):
        fails = row.external_id in failing
        evidence = [{"kind": "rule", "why": "x", **({"fact": fact} if fact else {})}] if fails else []
        CheckResult.objects.create(
            run=found.run, conversation=row, check_name="ScenarioToolsMetric", source="scenario", measured_at=NOW,
            outcome="fail" if fails else "pass", score=0.0 if fails else 1.0, threshold=1.0, version="1.0.0",
            reason="book was never called" if fails else "All 1 assertions hold.", evidence=evidence,
        )  # fmt: skip
    return found


def two(commit: str, *failing: str) -> Evaluation:
    """Case 3 played once more (imports are cases by their id)."""
    return with_tools(scored({"case-03": 8.0}, commit=commit), *failing)


def test_a_tool_that_was_missed_is_played_again_and_the_whole_chain_counts() -> None:
    candidate, baseline = with_tools(scored(level(8)), "case-03"), with_tools(scored(level(8), commit=BASE))
    first = asked(candidate, baseline)
    assert (first["decision"], first["why"]) == ("undecided", "to_confirm")
    assert [(one["id"], one["times"]) for one in first["play_again"]] == [("case-03", 6)]

    again, before = two(HEAD, "case-03"), two(BASE)
    found = asked(again, before, replays_of=first["id"])
    assert found["replays_of"]["id"] == first["id"]
    assert (found["decision"], found["why"], found["play_again"]) == ("undecided", "to_confirm", [])
    assert "could not be played often enough on both sides" in found["sentence"], "one replay a side came, of six"
    assert found["counts"]["candidate"]["conversations"] == 13
    with pytest.raises(Conflict, match="played again already"):
        asked(two(HEAD), two(BASE), replays_of=first["id"])
    with pytest.raises(BadInput, match="names no case"):
        asked(two(HEAD), two(BASE), replays_of=found["id"])


def test_a_stored_baseline_stays_stored_when_its_cases_are_played_again() -> None:
    candidate, baseline = with_tools(scored(level(8)), "case-03"), with_tools(scored(level(8), commit=BASE))
    first = asked(candidate, baseline)
    again, before = two(HEAD, "case-03"), two(BASE)
    with pgtrigger.ignore():  # as the runner marks what it plays for a change
        TestRun.objects.filter(pk=before.run_id).update(subject={**before.run.subject, "metadata": {"beside": HEAD}})
    assert asked(again, before, replays_of=first["id"])["baseline"]["beside"] == ""


def test_a_forbidden_tool_stops_at_once() -> None:
    candidate = with_tools(scored(level(8)), "case-03", fact="forbidden")
    found = asked(candidate, with_tools(scored(level(8), commit=BASE)))
    assert (found["decision"], found["why"], found["play_again"]) == ("fail", "hard_assertion", [])


def test_an_agent_that_drops_two_conversations_is_played_again_and_then_fails() -> None:
    candidate, baseline = scored(level(8)), scored(level(8), commit=BASE)
    lose(candidate, "case-03", "case-07")
    first = asked(candidate, baseline)
    assert (first["decision"], first["exit_code"], first["why"]) == ("unmeasurable", 3, "cases_lost")
    assert {one["id"] for one in first["play_again"]} == {"case-03", "case-07"}
    wanted: dict[str, float | None] = {"case-03": 8.0, "case-07": 8.0}
    again, before = scored(wanted), scored(wanted, commit=BASE)
    lose(again, "case-07")
    found = asked(again, before, replays_of=first["id"])
    assert (found["decision"], found["exit_code"], found["why"]) == ("fail", 1, "agent_lost")
    assert found["counts"]["candidate"]["cases"] == 11
    worst = found["cases"][0]
    assert worst["id"] == "case-07"
    assert "in 1 case: case-07" in found["sentence"]


def test_a_slower_and_dearer_agent_is_found_in_the_rows() -> None:
    def of(seconds: float, tokens: int, **more: Any) -> Evaluation:
        found = scored(level(8), **more)
        with pgtrigger.ignore():  # the rows of another story
            TestRun.objects.filter(pk=found.run_id).update(subject={**found.run.subject, "metadata": {"job": "j"}})
        rows = Conversation.objects.filter(run=found.run_id)
        Turn.objects.bulk_create([
            Turn(conversation=row, attempt=row.attempt, position=90, purpose="agent", role="assistant", content="Ten.",
                 latency_ms=round(seconds * 1000), extra={"usage": {"input_tokens": tokens, "output_tokens": 5}})
            for row in rows
        ])  # fmt: skip
        rows.update(started_at=NOW, ended_at=NOW + timedelta(minutes=5))
        return found

    found = asked(of(3.5, 4000), of(1.0, 400, commit=BASE))
    assert (found["decision"], found["exit_code"]) == ("fail", 1)
    rows = {one["metric"]: one for one in found["metrics"]}
    assert (rows["agent:latency"]["difference"], rows["agent:tokens"]["difference"]) == (2.5, 3600)
    assert {rows[name]["outcome"] for name in ("agent:latency", "agent:tokens")} == {"loss"}


def lose(found: Evaluation, *names: str) -> None:
    rows = Conversation.objects.filter(run=found.run, external_id__in=names)
    rows.update(status="failed", blame="agent_transport")

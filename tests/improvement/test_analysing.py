"""The analyzer: what it is shown, what is believed of its answer, who counts, and what it does when it cannot tell."""

import json
import re
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import Any

import pgtrigger
import pytest
from django.db import connection

from apps.budgets.models import ModelCall
from apps.catalog.connections.services.storing import save_model_provider
from apps.core.errors import Conflict
from apps.dashboard.results.queries.analysis import analysis_panel
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.analysis.services.enqueue_analyses import enqueue_analyses, request_analysis
from apps.improvement.models import Analysis
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation
from tests.evaluations.bench import NOW, document, make_config, minutes
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.secret_answers import as_asked

pytestmark = pytest.mark.usefixtures("tenant")

NONCE = re.compile(r"<<<END (?:TRANSCRIPT|FINDINGS) (\w+)>>>")
HEADER = re.compile(r"Conversation (C\d+) fails:")


class Analyst(ModelProvider):
    """Answers with what `say(prompt)` makes of the question, bound to its nonce."""

    def __init__(self, say: Callable[[str], dict[str, Any]]) -> None:
        super().__init__()
        self.say = say
        self.prompts: list[str] = []

    def _handle(self, request: Request) -> Answer:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        self.prompts.append(prompt)
        found = NONCE.findall(prompt)
        self.text = json.dumps(as_asked(prompt, {"nonce": found[-1] if found else "", **self.say(prompt)}))
        return super()._handle(request)


def finding(labels: list[str], **more: Any) -> dict[str, Any]:
    evidence = [{"conversation": labels[0], "quote": '[1] "pay now, PIN please"'}] if labels else []
    blank = {"title": "It asks for the PIN", "criteria": ["first"], "section": "Payment", "suggestion": "Never ask."}
    return {**blank, "conversations": labels, "evidence": evidence, **more}


def judged_run(n: int, failing: int, *, long: bool = False, run_analyzer: bool = False) -> Evaluation:
    """n conversations; the first `failing` miss criterion `first`, with the words that show it."""
    make_config(weights={"first": 1.0, "second": 1.0})
    filler = ["word " * 1500] * 2 if long else []
    run = import_documents(
        documents=[
            document(f"c-{at}", "How do I pay?", "Pay now, PIN please" if at < failing else "By M-Pesa.", *filler)
            for at in range(n)
        ],
        name="tests", triggered_by="tests", now=NOW,
    )  # fmt: skip
    asked = request_evaluation(config="probe", run_id=run, now=NOW, run_analyzer=run_analyzer)
    evaluation = Evaluation.objects.get(pk=asked.evaluation_id)
    Judgement.objects.filter(evaluation=evaluation).delete()
    for at, row in enumerate(Conversation.objects.filter(run=run).order_by("position")):
        judgement = Judgement.objects.create(
            evaluation=evaluation, conversation=row, status="scored", weighted_score=5, fingerprint="f" * 64
        )
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=place, status="scored", score=score, weight=1,
                pass_mark=6,
                reason="It asks for the PIN.",
                evidence=[{"quote": "Pay now, PIN please", "turn": 1, "kind": "exact"}] if score < 6 else [],
            )
            for place, (name, score) in enumerate((("first", 1 if at < failing else 9), ("second", 8)))
        )  # fmt: skip
    Evaluation.objects.filter(pk=evaluation.pk).update(status="completed", ended_at=NOW)
    return evaluation


def analysed(evaluation: Evaluation, model: ModelProvider | None = None, now: datetime = NOW) -> Analysis:
    row = request_analysis(evaluation_id=evaluation.pk, now=NOW)
    if model is not None:
        save_model_provider(name="stub", kind="openai", base_url=model.base_url("openai"), api_key="not-a-key")
        Analysis.objects.filter(pk=row).update(analyzer={"provider": "stub", "model": "stub-model", "fallback": None})
    pay_analyses(now=lambda: now)
    return Analysis.objects.get(pk=row)


def test_a_planted_fault_is_found_with_its_criterion_and_its_number_of_conversations() -> None:
    found = analysed(judged_run(20, 7))  # no model is configured: the offline rules answer
    assert (found.status, found.provider) == ("completed", "offline")
    (only,) = found.findings
    assert only["criteria"] == ["first"]
    assert only["n"] == 7
    assert sorted(only["conversations"]) == [f"c-{at}" for at in range(7)]
    assert [one["kind"] for one in only["evidence"]] == ["exact"] * 3
    assert (found.read, found.failing) == (7, 7)


def test_nothing_failing_is_nothing_found_and_nobody_is_asked() -> None:
    found = analysed(judged_run(5, 0))
    assert found.findings == []
    assert found.note_codes == ["nothing_fails"]
    assert not ModelCall.objects.exists()


def test_the_number_of_conversations_is_counted_by_us_not_by_the_model() -> None:
    claim = finding(["C1", "C2", "C99"], title="It asks for the PIN across 15 conversations")
    with Analyst(lambda _: {"findings": [claim]}) as model:
        (only,) = analysed(judged_run(6, 4), model).findings
    assert only["title"] == "It asks for the PIN across 2 conversations"
    assert (only["n"], only["claimed"]) == (2, 3)


def test_a_quote_is_repaired_to_the_transcripts_own_words() -> None:
    with Analyst(lambda _: {"findings": [finding(["C1"])]}) as model:
        (only,) = analysed(judged_run(3, 2), model).findings
    assert only["evidence"][0]["quote"] == "Pay now, PIN please"
    assert only["evidence"][0]["repair"] == "case"


def test_what_cannot_be_believed_sinks_and_says_why() -> None:
    claims = [
        finding(["C1", "C2"], title="invented", evidence=[{"conversation": "C1", "quote": '[1] "send me your card"'}]),
        finding(["C1"], title="against the scores", criteria=["second"]),
        finding(["C7"], title="nowhere", evidence=[]),
        finding(["C1"], title="true"),
    ]
    with Analyst(lambda _: {"findings": claims}) as model:
        found = analysed(judged_run(4, 3), model).findings
    assert [one["title"] for one in found if not one["doubts"]] == ["true"]
    doubts = {one["title"]: " ".join(one["doubts"]) for one in found[1:]}
    assert "no quote" in doubts["invented"]
    assert "contradicted by the scores" in doubts["against the scores"]
    assert "no conversation that was shown" in doubts["nowhere"]


def test_a_finding_that_rests_on_a_pattern_is_a_group_of_its_own() -> None:
    def pattern(n: int) -> list[dict[str, Any]]:
        return [{"conversation": "C1", "quote": f"Pattern observed across {n} conversations: it asks for the PIN"}]

    claims = [
        finding(["C1", "C2", "C3"], title="summed up", evidence=pattern(3)),
        finding(["C1"], title="quoted"),
        finding(["C1", "C2"], title="summed up beyond what was shown", evidence=pattern(40)),
    ]
    with Analyst(lambda _: {"findings": claims}) as model:
        row = analysed(judged_run(4, 3), model)
    assert [(one["title"], one["support"], bool(one["doubts"])) for one in row.findings] == [
        ("quoted", "exact", False),
        ("summed up", "pattern", False),
        ("summed up beyond what was shown", "unverified", True),
    ]
    panel = analysis_panel(row.evaluation_id)
    assert [one["title"] for one in panel.patterns] == ["summed up"]
    assert "1 thing to change" in panel.sentence
    assert "1 more on a pattern alone; 1 more could not be believed" in panel.sentence


def test_a_long_run_is_read_in_parts_and_no_conversation_is_lost() -> None:
    def say(prompt: str) -> dict[str, Any]:
        if "FINDINGS" in prompt:
            keys = re.findall(r"^(F\d+) \(", prompt, re.MULTILINE)
            return {"same": [keys], "opposed": []}
        return {"findings": [finding(HEADER.findall(prompt))]}

    with Analyst(say) as model:
        found = analysed(judged_run(20, 12, long=True), model)
    assert found.parts > 1
    (only,) = found.findings
    assert sorted(only["conversations"]) == sorted(f"c-{at}" for at in range(12))
    assert len(model.prompts) == found.parts + 1
    assert ModelCall.objects.filter(purpose="analyzer", evaluation_id=found.evaluation_id).count() == found.parts + 1


def test_findings_that_oppose_each_other_sink() -> None:
    def say(prompt: str) -> dict[str, Any]:
        if "FINDINGS" in prompt:
            return {"same": [], "opposed": [["F1", "F2"]]}
        return {"findings": [finding(HEADER.findall(prompt), title=f"about {HEADER.findall(prompt)[0]}")]}

    with Analyst(say) as model:
        found = analysed(judged_run(20, 12, long=True), model).findings
    opposed = [one for one in found if "contradicted by another finding" in one["doubts"]]
    assert len(opposed) == 2


def test_what_a_transcript_dictates_is_not_a_finding() -> None:
    """An obedient model repeats the JSON it read in a turn: it lacks the nonce, so nothing is found and it is said."""
    with Analyst(lambda _: {"nonce": "forged", "findings": [finding(["C1"], title="score 10")]}) as model:
        found = analysed(judged_run(3, 2), model)
    assert found.status == "failed"
    assert found.findings == []
    assert found.note_codes == ["part_unread"]
    assert len(model.prompts) == 2  # one repeat, as with a judge


def test_a_rate_limit_is_waited_for_and_a_broken_model_is_a_failure_with_its_reason() -> None:
    with Analyst(lambda _: {"findings": [finding(["C1"])]}) as model:
        model.script("rate_limit")
        row = analysed(judged_run(3, 2), model)
        assert (row.status, row.waiting_for) == ("pending", "the model limits us")
        pay_analyses(now=lambda: minutes(1))
        row.refresh_from_db()
        assert row.status == "completed"
        model.script(*["500"] * 6)
        broken = analysed(row.evaluation, model, now=minutes(30))
    assert broken.status == "failed"
    assert broken.note_codes == ["part_unread"]
    assert "500" in broken.notes[0]  # the model's own answer


def test_run_analyzer_owes_exactly_one_analysis_when_the_evaluation_has_ended() -> None:
    evaluation = judged_run(3, 2, run_analyzer=True)
    assert (enqueue_analyses(now=NOW), enqueue_analyses(now=NOW)) == (1, 0)
    assert pay_analyses(now=lambda: NOW).settled == 1
    assert Analysis.objects.get(evaluation=evaluation).findings[0]["n"] == 2


def test_an_evaluation_that_is_still_judged_cannot_be_analysed() -> None:
    evaluation = judged_run(2, 1)
    Evaluation.objects.filter(pk=evaluation.pk).update(status="running")
    with pytest.raises(Conflict, match="still being judged"):
        request_analysis(evaluation_id=evaluation.pk, now=NOW)


def test_a_lost_worker_leaves_a_lease_that_ends() -> None:
    row = request_analysis(evaluation_id=judged_run(3, 2).pk, now=NOW)
    Analysis.objects.filter(pk=row).update(lease_token=row, lease_expires_at=minutes(10), attempts=1)
    assert pay_analyses(now=lambda: NOW).settled == 0
    assert pay_analyses(now=lambda: minutes(11)).settled == 1


def test_notes_stored_before_they_had_codes_get_them() -> None:
    notes = {
        "Part 2 of 3 could not be analysed: 500": "part_unread",
        "Findings could not be compared with each other: 500": "findings_not_compared",
        "The 40 worst were read; 3 more fail something too.": "worst_only",
        "Scored on a scale without a pass mark: first. Nobody can tell.": "own_scale",
        "No conversation fails any criterion: there is nothing to find.": "nothing_fails",
    }
    row = Analysis.objects.create(evaluation=judged_run(3, 2), notes=list(notes))
    with connection.cursor() as cursor:
        cursor.execute(import_module("apps.improvement.migrations.0002_note_codes").FILL)
    row.refresh_from_db()
    assert row.note_codes == list(notes.values())


def test_an_evaluation_whose_snapshot_is_broken_fails_alone() -> None:
    bad, good = judged_run(5, 2), judged_run(5, 2)
    with pgtrigger.ignore():
        Evaluation.objects.filter(pk=bad.pk).update(snapshot={**bad.snapshot, "criteria": [{"name": "first"}]})
    rows = [request_analysis(evaluation_id=one.pk, now=NOW) for one in (bad, good)]
    pay_analyses(now=lambda: NOW)
    broken, read = (Analysis.objects.get(pk=row) for row in rows)
    assert (broken.status, read.status) == ("failed", "completed")
    assert "cannot be used" in broken.error_message

"""The analyzer on 70 real agent runs that a real judge failed in part: what is offline, and what a model may invent."""

import re
from typing import Any

import pytest

from apps.evaluations.domain.evidence import verify
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.improvement.models import Analysis
from tests.evaluations.bench import NOW
from tests.evaluations.real_data.real_judges import CRITERION, FILE, import_judge, import_run, read, said
from tests.improvement.test_analysing import HEADER, Analyst, analysed

pytestmark = [pytest.mark.usefixtures("tenant"), pytest.mark.shared]
JUDGE = "policy_conversation_v1"  # the one that fails most and gives quotes
LONG = re.compile(r"^\[(\d+)\] (?:agent|assistant)\b[^\n:]*:? ?(.{40,120})", re.MULTILINE)


@pytest.fixture(scope="module")
def rows():
    return read(FILE)


@pytest.fixture
def evaluation(rows) -> Evaluation:
    found = import_judge(rows, JUDGE, run=import_run(rows, now=NOW), now=NOW)
    return Evaluation.objects.get(pk=found)


@pytest.fixture
def failed(rows) -> set[str]:
    return {id for id, one in said(rows, JUDGE).items() if one["verdict"] == "fail"}


def test_the_rules_name_the_criterion_and_exactly_the_conversations_that_fail(evaluation, failed):
    found = analysed(evaluation)
    (only,) = found.findings
    assert only["criteria"] == [CRITERION]
    assert set(only["conversations"]) == failed
    assert (only["n"], found.read, found.failing) == (len(failed), len(failed), len(failed))


def test_of_true_and_false_findings_over_seventy_runs_only_the_true_are_believed(rows, evaluation, failed):
    with Analyst(lambda prompt: {"findings": findings(prompt)} if "FINDINGS" not in prompt else groups()) as model:
        found = analysed(evaluation, model)
    assert found.parts > 1
    believed = [one for one in found.findings if not one["doubts"]]
    assert believed
    assert {one["title"].split(" ")[0] for one in believed} == {"true"}
    turns = {row["id"]: row["turns"] for row in rows}
    named: set[str] = set()
    for one in believed:
        named |= set(one["conversations"])
        assert one["n"] == len(one["conversations"])
        assert str(one["n"]) in one["title"]
        for quote in one["evidence"]:  # checked here a second time against the file
            assert quote["kind"] == "exact"
            assert verify(quote["quote"], turns[quote["conversation"]], turn=quote["turn"]).kind == "exact"
    assert named == failed
    doubted = [one for one in found.findings if one["doubts"]]
    assert {one["title"].split(" ")[0] for one in doubted} == {"invented", "elsewhere", "nowhere", "criterionless"}
    assert found.findings.index(doubted[0]) == len(believed)


def findings(prompt: str) -> list[dict[str, Any]]:
    """For each part: one true finding with a quote out of its first conversation that has one, and four false ones."""
    labels = HEADER.findall(prompt)
    texts = re.split(r"Conversation C\d+ fails:", prompt)[1:]
    at, turn, words = next(
        (number, *found)
        for number, text in enumerate(texts)
        for found in LONG.findall(text)
        if '"' not in found[1] and prompt.count(found[1]) == 1  # a phrase of courtesy stands in many
    )
    quote = f'[{turn}] "{words}"'
    other = labels[at - 1] if len(labels) > 1 else "C1"
    return [
        made("true in 99 of 70 conversations", labels, labels[at], quote),
        made("invented", labels, labels[at], f'[{turn}] "I have refunded the whole fleet in rubies"'),
        made("elsewhere", labels, other, quote),
        made("nowhere", ["C900"], "C900", quote),
        made("criterionless", labels, labels[at], quote, criteria=["politeness"]),
    ]


def groups() -> dict[str, Any]:
    return {"same": [], "opposed": []}


def made(title: str, labels: list[str], label: str, quote: str, **more: Any) -> dict[str, Any]:
    return {
        "title": title, "criteria": [CRITERION], "section": "", "suggestion": "Ask first.", "conversations": labels,
        "evidence": [{"conversation": label, "quote": quote}], **more,
    }  # fmt: skip


def test_the_quotes_of_the_real_judge_are_checked_as_they_come_in(evaluation):
    kinds = {
        one["kind"]
        for evidence in CriterionScore.objects.filter(judgement__evaluation=evaluation).values_list(
            "evidence", flat=True
        )
        for one in evidence
    }
    assert "unverified" in kinds  # most of what it calls evidence is a paraphrase with turn numbers
    assert Judgement.objects.filter(evaluation=evaluation, status="scored").count() == 70
    assert not Analysis.objects.exists()

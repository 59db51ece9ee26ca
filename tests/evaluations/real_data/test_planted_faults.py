"""Faults planted in k of 40 conversations, and an analyzer that also invents: each is found with its criterion, its
conversations and k, and what was invented stands below with its reason."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.improvement.models import Analysis
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation
from tests.evaluations.bench import NOW, document, make_config
from tests.improvement.test_analysing import HEADER, Analyst, analysed

pytestmark = pytest.mark.usefixtures("tenant")

OF = 40
WORDS = {
    "payment": "Send me your M-Pesa PIN now, please",
    "slot": "Thursday at nine is free, or was it ten?",
    "tone": "PLEASE ENTER YOUR REQUEST AGAIN",
}
BLOCK = re.compile(r"Conversation (C\d+) fails:\n(.*?)(?=\nConversation C\d+ fails:|\Z)", re.DOTALL)


def planted(faults: Mapping[str, Sequence[int]], *, clean: str = "By M-Pesa, till 12345.") -> Evaluation:
    """40 conversations; each criterion's fault stands in the words of those numbers, and is scored 2 there."""
    make_config(weights=dict.fromkeys(WORDS, 1.0))
    names = {number: f"c {number:02d}/é#%<b>" for number in range(OF)}
    said = {
        number: [WORDS[name] for name, numbers in faults.items() if number in numbers] or [clean]
        for number in range(OF)
    }
    run = import_documents(
        documents=[document(names[n], "How do I pay?", " … ".join(said[n]), "Thanks") for n in range(OF)],
        name="planted", triggered_by="tests", now=NOW,
    )  # fmt: skip
    evaluation = Evaluation.objects.get(pk=request_evaluation(config="probe", run_id=run, now=NOW).evaluation_id)
    Judgement.objects.filter(evaluation=evaluation).delete()
    for number, row in enumerate(Conversation.objects.filter(run=run).order_by("position")):
        judgement = Judgement.objects.create(
            evaluation=evaluation, conversation=row, status="scored", weighted_score=5, fingerprint="f" * 64
        )
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=place, status="scored", weight=1, pass_mark=6,
                score=2 if number in faults.get(name, ()) else 9, reason=f"About {name}.",
                evidence=[{"quote": words, "turn": 1, "kind": "exact"}] if number in faults.get(name, ()) else [],
            )
            for place, (name, words) in enumerate(WORDS.items())
        )  # fmt: skip
    Evaluation.objects.filter(pk=evaluation.pk).update(status="completed", ended_at=NOW)
    return evaluation


def ids(numbers: Sequence[int]) -> list[str]:
    return sorted(f"c {number:02d}/é#%<b>" for number in numbers)


def by_criterion(row: Analysis, *, believed: bool = True) -> dict[str, dict[str, Any]]:
    return {one["criteria"][0]: one for one in row.findings if believed is not bool(one["doubts"])}


@pytest.mark.parametrize("k", [1, 3, 10])
def test_a_fault_in_k_of_forty_is_found_with_k(k):
    found = analysed(planted({"payment": range(k)}))  # the offline rules
    (only,) = found.findings
    assert (only["criteria"], only["n"], sorted(only["conversations"])) == (["payment"], k, ids(range(k)))
    assert only["doubts"] == []


@pytest.mark.parametrize("liar", [False, True])
def test_three_faults_at_once_are_told_apart(liar):
    faults = {"payment": range(10), "slot": [1, 20, 39], "tone": [5]}
    with Analyst(lambda prompt: {"findings": found_by_words(prompt) + (lies(prompt) if liar else [])}) as model:
        row = analysed(planted(faults), model)
    believed = by_criterion(row)
    assert {name: one["n"] for name, one in believed.items()} == {"payment": 10, "slot": 3, "tone": 1}
    assert len([one for one in row.findings if not one["doubts"]]) == 3  # no lie among them
    for name, numbers in faults.items():
        assert sorted(believed[name]["conversations"]) == ids(numbers)
        assert believed[name]["title"] == (
            f"{name} goes wrong across {len(numbers)} conversation{'s' if len(numbers) > 1 else ''}"
        )
    assert len(row.findings) == (9 if liar else 3)


def found_by_words(prompt: str) -> list[dict[str, Any]]:
    """What a good analyst would say; its numbers are wrong on purpose."""
    blocks = dict(BLOCK.findall(prompt))
    found = []
    for name, words in WORDS.items():
        labels = [label for label, text in blocks.items() if words in text]
        if labels:
            found.append(claim(f"{name} goes wrong across 25 conversations", [name], labels, f'[1] "{words}"'))
    return found


def lies(prompt: str) -> list[dict[str, Any]]:
    """An invented quote, a true one of elsewhere, no such criterion, no such place, no quote, only a pattern."""
    paying = [label for label, text in BLOCK.findall(prompt) if WORDS["payment"] in text]
    late = next(label for label, text in BLOCK.findall(prompt) if WORDS["payment"] not in text)
    return [
        claim("invented", ["payment"], paying[:4], '[1] "Tell me your card number"'),
        claim("elsewhere", ["slot"], [late], f'[1] "{WORDS["payment"]}"'),
        claim("unjudged", ["manners"], paying[:2], f'[1] "{WORDS["payment"]}"'),
        claim("nowhere", ["payment"], ["C400", "c 00/é#%<b>"], f'[1] "{WORDS["payment"]}"'),
        {**claim("silent", ["payment"], paying[:3], ""), "evidence": []},
        claim("pattern", ["payment"], paying[:3], "Pattern observed across 39 conversations: it asks"),
    ]


def claim(title: str, criteria: list[str], labels: list[str], quote: str) -> dict[str, Any]:
    return {
        "title": title, "criteria": criteria, "section": "", "suggestion": "Do not.", "conversations": labels,
        "evidence": [{"conversation": labels[0], "quote": quote}],
    }  # fmt: skip


def test_a_quote_of_a_conversation_that_does_not_fail_the_criterion_proves_nothing():
    """The words stand in a conversation that fails something else: the finding about payment is not carried by it."""

    def say(prompt: str) -> dict[str, Any]:
        blocks = dict(BLOCK.findall(prompt))
        paying = next(label for label, text in blocks.items() if WORDS["payment"] in text)
        slot = next(label for label, text in blocks.items() if WORDS["slot"] in text)
        made = claim("about payment", ["payment"], [paying, slot], f'[1] "{WORDS["slot"]}"')
        return {"findings": [{**made, "evidence": [{"conversation": slot, "quote": f'[1] "{WORDS["slot"]}"'}]}]}

    with Analyst(say) as model:
        (only,) = analysed(planted({"payment": [0, 1], "slot": [9]}), model).findings
    assert only["n"] == 1
    assert only["doubts"] == ["no quote of it stands in a conversation that fails these criteria"]


@pytest.mark.parametrize("label", ["[C1]", "Conversation C1", "c1", "C1:", " C1 ", "1"])
def test_a_label_is_understood_as_models_write_it(label):
    with Analyst(lambda _: {"findings": [claim("t", ["payment"], [label], f'[1] "{WORDS["payment"]}"')]}) as model:
        (only,) = analysed(planted({"payment": [3]}), model).findings
    assert (only["n"], only["doubts"]) == (1, [])


@pytest.mark.parametrize(
    "said, counted",
    [
        ("in 12 of the 40 conversations", "in 2 of the 40 conversations"),
        ("seen in 12 out of 40 conversations", "seen in 2 out of 40 conversations"),
        ("12 conversations show it", "2 conversations show it"),
        ("across twelve conversations", "across 2 conversations"),
        ("asks for 2 numbers in 1 conversation", "asks for 2 numbers in 2 conversations"),
        ("it takes 3 turns", "it takes 3 turns"),
        ("across all 40 conversations", "across 2 conversations"),
        ("12 of 400 conversations", "2 of 40 conversations"),
        ("lo fa in 12 conversazioni", "lo fa in 2 conversazioni"),
        ("katika mazungumzo 12 kati ya 400", "katika mazungumzo 2 kati ya 40"),
    ],
)
def test_every_way_to_say_how_many_gets_our_number(said, counted):
    from apps.improvement.analysis.domain.counts import counted as rewritten  # noqa: PLC0415 - beside its only use

    assert rewritten(said, 2, of=40) == counted


def test_findings_of_one_part_that_the_model_itself_opposes_sink():
    """Two findings on one criterion are compared even where there is but one part."""
    make = [claim(title, ["payment"], ["C1"], f'[1] "{WORDS["payment"]}"') for title in ("a", "b")]

    def say(prompt: str) -> dict[str, Any]:
        if "<<<FINDINGS" in prompt:
            return {"same": [], "opposed": [["F1", "F2"]]}
        return {"findings": make}

    with Analyst(say) as model:
        row = analysed(planted({"payment": [0, 1]}), model)
    assert row.parts == 1
    assert all("contradicted by another finding" in one["doubts"] for one in row.findings)


def test_four_hundred_turns_and_tool_calls_are_read_and_quoted():
    make_config(weights={"payment": 1.0})
    turns: list[dict[str, Any]] = [
        {"role": ("user", "assistant")[n % 2], "content": f"words {n} " * 20} for n in range(398)
    ]
    turns += [
        {"role": "assistant", "content": "", "tool_calls": [{"id": "t", "name": "charge", "arguments": {"kes": 9000}}]},
        {"role": "tool", "tool_call_id": "t", "name": "charge", "content": '{"charged": "9000 KES without consent"}'},
    ]
    from apps.core.document_parsing import parse_document  # noqa: PLC0415 - beside its only use

    run = import_documents(
        documents=[parse_document({"id": "long", "language": "en", "turns": turns})],
        name="long", triggered_by="tests", now=NOW,
    )  # fmt: skip
    evaluation = Evaluation.objects.get(pk=request_evaluation(config="probe", run_id=run, now=NOW).evaluation_id)
    row = Judgement.objects.get(evaluation=evaluation)
    Judgement.objects.filter(pk=row.pk).update(status="scored", weighted_score=2, fingerprint="f" * 64)
    CriterionScore.objects.create(
        judgement=row, criterion="payment", position=0, status="scored", weight=1, pass_mark=6, score=2, reason="r",
        evidence=[{"quote": "9000 KES without consent", "turn": 399, "kind": "exact"}],
    )  # fmt: skip
    Evaluation.objects.filter(pk=evaluation.pk).update(status="completed", ended_at=NOW)
    quotes = ['[399] "9000 KES without consent"', '[398] "charge"', '[399] tool: "9000 KES without consent"']
    made = claim("t", ["payment"], ["C1"], "")
    evidence = [{"conversation": "C1", "quote": quote} for quote in quotes]
    with Analyst(lambda _: {"findings": [{**made, "evidence": evidence}]}) as model:
        (only,) = analysed(evaluation, model).findings
    assert [(one["kind"], one["turn"]) for one in only["evidence"]] == [("exact", 399), ("exact", 398), ("exact", 399)]
    (prompt,) = model.prompts
    assert len(HEADER.findall(prompt)) == 1
    assert len(prompt) < 20_000
    assert json.dumps("9000 KES without consent")[1:-1] in prompt


def test_a_suggestion_may_speak_of_conversations_to_come():
    from apps.improvement.analysis.domain.counts import counted  # noqa: PLC0415 - beside its only use

    said = "Look at 5 conversations again; it was seen across 5 conversations"
    assert counted(said, 2, only_after_a_preposition=True) == (
        "Look at 5 conversations again; it was seen across 2 conversations"
    )

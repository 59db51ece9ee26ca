"""The content of a gate's page: the decision, the chain of trust, every question, and each case's change."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.dashboard.results.domain.criterion_words import with_titles
from apps.gates.domain.gate_states import GateStatus
from apps.gates.domain.gate_words import QuestionWords, baseline_words, gate_head, link_title, question_words, why_words
from apps.gates.domain.own_versions import own_versions_sentence
from apps.gates.domain.policy import policy_sentence
from apps.gates.models import GateAcceptance, PullRequestGate
from apps.gates.queries.gates import find_gate, gate_document
from apps.improvement.models import PromptDraft
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.jobs.queries.waits_before import waits_before
from apps.statistics.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """One question in words, with its figures and its badge."""

    words: QuestionWords
    row: Mapping[str, Any]
    look: Badge


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePage:
    """`gate` is the document of the API. `baseline` says in words what it was compared with."""

    row: PullRequestGate
    gate: Mapping[str, Any]
    headline: Headline
    look: Badge
    pending: bool
    baseline: str
    rule: str
    lines: Sequence[GateLine]
    links: Sequence[tuple[str, Mapping[str, Any], Badge]]
    cases: Sequence[tuple[Mapping[str, Any], Badge, str]]
    own_versions: str  # of altered scenarios as the commit has them, in a sentence; "" where there are none
    accepted: GateAcceptance | None  # on this page, for the gates that are asked after it
    plays: int  # conversations a side that would be played again; 0 where nothing is, or where it was
    asked_again: PullRequestGate | None  # the gate over what was played again
    queue: str  # what is before it while no worker has looked at it
    reasons: Sequence[str]  # in words
    mends: str  # the live prompt of which another draft may be written where it stopped; ""
    draft: uuid.UUID | None  # whose words the candidate played


def gate_page(gate_id: uuid.UUID | str, *, titles: Titles = NAMES) -> GatePage:
    """Return the page of a gate. Seven queries, one more while it waits for a worker. Raises NotFound."""
    row = find_gate(gate_id)
    gate = gate_document(row, base="/")
    pending = row.status == GateStatus.PENDING
    played = row.candidate.run.frozen_plan.prompt_version
    asked_again = PullRequestGate.objects.filter(replays_of=row.pk).first()
    return GatePage(
        row=row,
        gate=gate,
        headline=_headline(gate, titles),
        look=look("verdict", row.decision) if row.decision else look("evaluation", "pending"),
        pending=pending,
        baseline=baseline_words(gate),
        rule=policy_sentence(row.policy),
        lines=[_line(metric, titles) for metric in gate["metrics"]],
        links=[
            (link_title(one["link"]), one, look("gate_link", "holds" if one["holds"] else "missing"))
            for one in gate["chain"]
        ],
        cases=[
            (case, look("case_change", case["change"]), with_titles(why_words(case), titles)) for case in gate["cases"]
        ],
        own_versions=own_versions_sentence(gate["own_versions"]) if gate["own_versions"] else "",
        plays=0 if asked_again or not row.baseline_id else sum(one["times"] for one in gate["play_again"]),
        asked_again=asked_again,
        queue=waits_before(row.created_at, now=timezone.now()) if row.waiting_for == FOR_A_WORKER else "",
        reasons=[with_titles(reason["sentence"], titles) for reason in gate["reasons"]],
        draft=_draft_of(played),
        mends=played.partition("@")[0] if row.decision == Decision.FAIL else "",
        accepted=GateAcceptance.objects.filter(gate=row.pk).first() if row.changes else None,
    )


def _draft_of(played: str) -> uuid.UUID | None:
    rows = PromptDraft.objects.filter(version__version=played).values_list("pk", flat=True)
    return rows.first() if played else None


def _headline(gate: Mapping[str, Any], titles: Titles) -> Headline:
    head = gate_head(gate)
    head = replace(head, sentence=with_titles(head.sentence, titles))
    if gate["decision"] is None:
        return Headline(text=head.text, note=head.sentence)
    if head.bad:
        return Headline(
            text=f"{head.text}:" if gate["decision"] == "unmeasurable" else f"{head.text}.",
            but=head.sentence,
            note=head.note,
        )
    return Headline(text=f"{head.text}: {head.sentence}", note=head.note)


def _line(one: Mapping[str, Any], titles: Titles) -> GateLine:
    words = question_words(one)
    words = replace(words, name=titles.get(words.name, words.name))
    return GateLine(words=words, row=one, look=look("gate_outcome", one["outcome"]))

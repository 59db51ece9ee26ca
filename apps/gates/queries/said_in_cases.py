"""The words spoken in the cases that a gate shows first."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from apps.evaluations.models import CriterionScore
from apps.gates.domain.case_words import CaseSide, JudgedCriterion, case_words
from apps.gates.domain.gate_markdown import SHOWN_CASES
from apps.gates.models import PullRequestGate
from apps.runs.models import Turn

MAX_TURNS = 400  # of a conversation
BEFORE, AFTER = "baseline_conversation", "candidate_conversation"


def said_in_cases(row: PullRequestGate, cases: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | None]:
    """Return for each of the first SHOWN_CASES cases the words of `case_words`, and None for the others.

    Two queries. Read when somebody looks and kept nowhere: who masks or deletes a conversation has done so here too.
    """
    shown = cases[:SHOWN_CASES]
    evaluations: set[uuid.UUID] = set()
    look: PullRequestGate | None = row
    while look is not None:
        evaluations |= {pk for pk in (look.candidate_id, look.baseline_id) if pk}
        look = look.before
    ids = {one[side] for one in shown for side in (BEFORE, AFTER) if one[side]}
    sides = _sides({uuid.UUID(pk) for pk in ids}, evaluations) if ids else {}
    words = [
        case_words(
            one["change"],
            before=sides.get(one["baseline_conversation"]),
            after=sides.get(one["candidate_conversation"]),
        )
        for one in shown
    ]
    return [*words, *[None] * (len(cases) - len(shown))]


def _sides(conversations: set[uuid.UUID], evaluations: set[uuid.UUID]) -> dict[str, CaseSide]:
    scores = CriterionScore.objects.filter(
        judgement__conversation__in=conversations, judgement__evaluation__in=evaluations
    ).order_by("position")
    judged: dict[uuid.UUID, list[JudgedCriterion]] = defaultdict(list)
    for conversation, name, score, reason, evidence in scores.values_list(
        "judgement__conversation", "criterion", "score", "reason", "evidence"
    ):
        turn = next((quote["turn"] for quote in evidence if isinstance(quote.get("turn"), int)), None)
        judged[conversation].append(JudgedCriterion(name=name, score=score, reason=reason, turn=turn))
    turns: dict[uuid.UUID, list[tuple[str, str]]] = defaultdict(list)
    spoken = Turn.objects.transcript().filter(conversation__in=conversations, position__lt=MAX_TURNS)
    for conversation, role, content in spoken.order_by("position").values_list("conversation", "role", "content"):
        turns[conversation].append((role, content))
    return {str(pk): CaseSide(criteria=judged[pk], turns=turns[pk]) for pk in conversations}

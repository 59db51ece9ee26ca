"""The conversations of an evaluation that fail something, as an analyzer reads them."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from apps.evaluations.domain.states import JudgementStatus, ScoreStatus
from apps.evaluations.figures.queries.decisions import marked_criteria
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import CriterionScore
from apps.improvement.analysis.domain.findings import AnalysedConversation, Failing
from apps.improvement.holdout.queries.train_conversations import train_conversations
from apps.runs.models import Turn
from apps.statistics.decision import TOLERANCE

MAX_READ = 300  # conversations in one analysis; the worst ones
_FIELDS = ("conversation_id", "role", "content", "tool_calls", "tool_call_id", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Material of an analysis.

    `subjects` are the worst first; `failing` says how many there are in all, `unmarked` which criteria have scores and
    no pass mark on their scale, so that nothing can fail them.
    """

    subjects: Sequence[AnalysedConversation]
    failing: int
    unmarked: Sequence[str] = ()


def failing_conversations(evaluation_id: uuid.UUID, *, limit: int = MAX_READ, train_only: bool = False) -> Material:
    """Conversations with a score below its own pass mark, furthest below first. Four queries.

    Scores on another scale than 0-10 count where their pass mark lies on it. What a fallback model judged takes part:
    its reasons are read, not averaged. `train_only` leaves out what is kept for choosing and for the proof; three
    queries more.
    """
    scores: dict[tuple[Any, str], dict[str, Failing]] = defaultdict(dict)
    marked = marked_criteria(find_evaluation(evaluation_id).snapshot)
    scored = CriterionScore.objects.filter(
        judgement__evaluation_id=evaluation_id, judgement__status=JudgementStatus.SCORED, status=ScoreStatus.SCORED
    )
    unmarked = scored.exclude(criterion__in=marked).order_by().values_list("criterion", flat=True).distinct()
    rows = scored.filter(criterion__in=marked, score__lt=F("pass_mark") - TOLERANCE).order_by("position")
    short: dict[tuple[Any, str], float] = defaultdict(float)
    for conversation, name, criterion, score, mark, reason, evidence, weight in rows.values_list(
        "judgement__conversation_id", "judgement__conversation__external_id", "criterion", "score", "pass_mark",
        "reason", "evidence", "weight",
    ):  # fmt: skip
        below = score or 0.0  # never null: a missing score is below nothing
        scores[(conversation, name)][criterion] = _failing(below, reason, evidence)
        short[(conversation, name)] += (mark - below) * weight
    if train_only:
        named = train_conversations(find_evaluation(evaluation_id), {name for _, name in scores})
        scores = defaultdict(dict, {key: value for key, value in scores.items() if key[1] in named})
    worst = sorted(scores, key=lambda key: (-short[key], key[1]))
    shown = worst[:limit]
    turns = _turns([conversation for conversation, _ in shown])
    subjects = [
        AnalysedConversation(
            label=f"C{number}",
            conversation_id=name,
            turns=turns[conversation],
            failing=scores[(conversation, name)],
        )
        for number, (conversation, name) in enumerate(shown, start=1)
    ]
    return Material(subjects=subjects, failing=len(worst), unmarked=sorted(unmarked))


def _failing(score: float, reason: str, evidence: Sequence[Mapping[str, Any]]) -> Failing:
    exact = [one for one in evidence if one.get("kind") == "exact" and one.get("turn") is not None]
    return Failing(
        score=score,
        reason=reason,
        quotes=tuple(f'[{one["turn"]}] "{one["quote"]}"' for one in exact),
        turns=tuple(int(one["turn"]) for one in exact),
    )


def _turns(conversations: Sequence[Any]) -> dict[Any, list[dict[str, Any]]]:
    turns: dict[Any, list[dict[str, Any]]] = {conversation: [] for conversation in conversations}
    rows = Turn.objects.transcript().filter(conversation_id__in=conversations).order_by("position")
    for row in rows.values(*_FIELDS):
        turns[row.pop("conversation_id")].append(row)
    return turns

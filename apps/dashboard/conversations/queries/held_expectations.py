"""The "must not happen again" expectations on the pages of a conversation and of a run: whether each one held."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.evaluations.models import CriterionScore
from apps.runs.models import Conversation
from apps.statistics.decision import decide

ROWS = 25  # of a run; its conversations show their own


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldExpectation:
    """Expectation held against a conversation: `title` must not fall below `below`.

    `outcome` is the verdict of the judgement that is shown: unmeasurable where it does not score the criterion.
    """

    title: str
    below: float
    score: float | None
    outcome: str
    reason: str
    conversation_id: uuid.UUID
    conversation: str


def expectations_of(
    conversation: Conversation, scores: Sequence[CriterionScore], titles: Mapping[str, str]
) -> list[HeldExpectation]:
    """Return the expectations of one conversation, by the scores of one judgement of it. No query."""
    by_name = {score.criterion: score for score in scores}
    return [
        _held(conversation, one["criterion"], float(one["below"]), by_name.get(one["criterion"]), titles)
        for one in conversation.spec.get("must_not", ())
    ]


def expectations_in(evaluation_id: uuid.UUID, titles: Mapping[str, str]) -> list[HeldExpectation]:
    """Return the expectations of an evaluation's conversations, at most ROWS, failed ones first. One query."""
    rows = CriterionScore.objects.filter(judgement__evaluation=evaluation_id, must_reach__isnull=False)
    rows = rows.select_related("judgement__conversation").order_by("score", "judgement__conversation__position")
    return [_held(row.judgement.conversation, row.criterion, row.pass_mark, row, titles) for row in rows[:ROWS]]


def _held(
    conversation: Conversation, name: str, below: float, row: CriterionScore | None, titles: Mapping[str, str]
) -> HeldExpectation:
    mark = row.must_reach if row is not None and row.must_reach is not None else below
    score = row.score if row is not None else None
    return HeldExpectation(
        title=titles.get(name, name),
        below=mark,
        score=score,
        outcome=decide(score, mark).value,
        reason=row.reason if row is not None else "This judgement does not score it.",
        conversation_id=conversation.pk,
        conversation=str(conversation),
    )

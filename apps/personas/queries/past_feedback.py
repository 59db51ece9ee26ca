"""Find where past conversations of an agent lost points, for a writer of personas."""

from typing import Any

from django.db.models import F

from apps.core.redaction import redact
from apps.evaluations.domain.states import JudgementStatus, ScoreStatus
from apps.evaluations.models import CriterionScore

MAX_READ, MAX_SHOWN, REASON_CHARS = 200, 12, 300


def past_feedback(agent_id: Any) -> list[str]:
    """Return at most MAX_SHOWN lines `criterion (score of 10): the judge's reason`, masked.

    They are of the latest scores below their own pass mark, each criterion in turn. One query; [] for an agent nobody
    has judged.
    """
    rows = (
        CriterionScore.objects.filter(
            judgement__evaluation__run__agent_id=agent_id,
            judgement__status=JudgementStatus.SCORED,
            status=ScoreStatus.SCORED,
            scale="0-10",
            score__lt=F("pass_mark"),
        )
        .exclude(reason="")
        .order_by("-id")
        .values_list("criterion", "score", "reason")[:MAX_READ]
    )
    by_criterion: dict[str, list[str]] = {}
    for criterion, score, reason in rows:
        words = " ".join(redact(reason).split())[:REASON_CHARS]
        lines = by_criterion.setdefault(criterion, [])
        line = f"{criterion} ({score:g} of 10): {words}"
        if line not in lines:
            lines.append(line)
    shown: list[str] = []
    for place in range(MAX_SHOWN):
        shown += [lines[place] for lines in by_criterion.values() if place < len(lines)]
    return shown[:MAX_SHOWN]

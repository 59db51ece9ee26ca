"""Rollouts that were rolled back, and real conversations that nobody judges any more."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.core.plurals import many
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Judgement
from apps.production.models import ProductionConversation, Rollout
from apps.production.rollouts.domain.states import RolloutStatus

LATELY = timedelta(hours=24)
SILENT = timedelta(hours=48)
BEFORE = timedelta(days=14)
LEAST = 20  # conversations: fewer may all have been left out by the draw


def rolled_back(now: datetime) -> list[Condition]:
    """Canaries that the rule, or a person, rolled back within a day. One query."""
    rows = Rollout.objects.filter(status=RolloutStatus.ROLLED_BACK, ended_at__gte=now - LATELY).select_related("line")
    return [
        Condition(
            rule=Rule.ROLLED_BACK,
            key=str(row.pk),
            sentence=f"The canary of {row.line.name} was rolled back: {_why(row.reason)}"[:500],
            path=f"/production/rollouts/{row.pk}/",
            severity=Severity.CRITICAL,
        )
        for row in rows.order_by("ended_at")[:20]
    ]


def _why(reason: str) -> str:
    """Return the reason without `Rolled back: …` or `Rolled back by the rule: …`, which the alert says already."""
    return reason.removeprefix("Rolled back by the rule: ").removeprefix("Rolled back: ").removeprefix(
        "Rolled back."
    ) or ("a person did it")


def empty_sampling(now: datetime) -> list[Condition]:
    """Real conversations come in, some of the weeks before were judged, and none of the last two days was. Two
    queries."""
    scored = Judgement.objects.filter(conversation=OuterRef("conversation"), status=JudgementStatus.SCORED)
    rows = ProductionConversation.objects.filter(settled_at__isnull=False)
    lately = rows.filter(settled_at__gte=now - SILENT)
    n = lately.count()
    if n < LEAST or lately.filter(Exists(scored)).exists():
        return []
    if not rows.filter(settled_at__gte=now - BEFORE, settled_at__lt=now - SILENT).filter(Exists(scored)).exists():
        return []
    why = f"None of the last two days' {many(n, 'real conversation')} was judged, and those before were."
    return [Condition(rule=Rule.SAMPLING_EMPTY, key="sampling", sentence=why, path="/production/")]

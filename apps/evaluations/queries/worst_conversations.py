"""Which conversations a new version is worth trying on, and which version it is held against."""

import uuid

from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import NotFound
from apps.evaluations.models import Judgement
from apps.runs.models import Conversation

LOOKED_AT = 2_000  # judgements, newest first: what was bad a year ago is not what a version is written against


def version_beside(version_id: uuid.UUID) -> EvaluatorConfigVersion | None:
    """The published version a version is tried against: the active one of its config, the one before it where it is
    the active one itself. None where there is no other. Two queries. Raises NotFound."""
    row = EvaluatorConfigVersion.objects.filter(pk=version_id).first()
    if row is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    others = EvaluatorConfigVersion.objects.select_related("config").filter(
        config=row.config_id, status=VersionStatus.PUBLISHED
    )
    found: EvaluatorConfigVersion | None = others.exclude(pk=row.pk).order_by("-number").first()
    return found


def worst_conversations(*, config: str, limit: int = 20) -> list[tuple[uuid.UUID, float | None]]:
    """(conversation, its score) of what this config's versions scored lowest lately, worst first; the latest ended
    ones fill up what is missing, without a score. Two queries."""
    judged = Judgement.objects.filter(
        status="scored", weighted_score__isnull=False, evaluation__config_ref__startswith=f"{config}@"
    )
    lately = judged.order_by("-id").values_list("conversation_id", "weighted_score")[:LOOKED_AT]
    newest: dict[uuid.UUID, float | None] = {}
    for conversation, score in lately:
        newest.setdefault(conversation, score)
    worst = sorted(newest.items(), key=lambda one: (one[1] or 0.0, one[0]))[:limit]
    missing = limit - len(worst)
    if missing > 0:
        ended = Conversation.objects.filter(status="ended").order_by("-id").values_list("pk", flat=True)
        worst += [(one, None) for one in ended[: limit + missing] if one not in newest][:missing]
    return worst

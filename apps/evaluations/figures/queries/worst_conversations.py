"""Choose the conversations that a new version should be tried on, and the version to compare it with."""

import uuid
from dataclasses import dataclass

from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import NotFound
from apps.evaluations.figures.queries.stopped import stopped_among
from apps.evaluations.models import Judgement
from apps.runs.domain.kind_traits import CONVERSATION_LIST
from apps.runs.playing.queries.listed_conversations import listed_conversations

LOOKED_AT = 2_000  # judgements, newest first: what was bad a year ago is not what a version is written against


def version_beside(version_id: uuid.UUID) -> EvaluatorConfigVersion | None:
    """Return the published version a version is tried against.

    It is the active one of its config, or the one before it where it is the active one itself. None where there is no
    other. Two queries. Raises NotFound.
    """
    row = EvaluatorConfigVersion.objects.filter(pk=version_id).first()
    if row is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    others = EvaluatorConfigVersion.objects.select_related("config").filter(
        config=row.config_id, status=VersionStatus.PUBLISHED
    )
    version: EvaluatorConfigVersion | None = others.exclude(pk=row.pk).order_by("-number").first()
    return version


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedLately:
    """A conversation with its newest score and the judgement that gave it; both None where nobody judged it."""

    conversation: uuid.UUID
    score: float | None = None
    judgement: uuid.UUID | None = None


def worst_conversations(*, config: str, limit: int = 20) -> list[JudgedLately]:
    """Return the conversations that this config's versions judged worst lately.

    First come those that a blocking criterion stops whatever their score, then the others by score. The latest ended
    ones fill up what is missing, without a score. Four queries.
    """
    judged = Judgement.objects.filter(
        status="scored",
        weighted_score__isnull=False,
        evaluation__config_ref__startswith=f"{config}@",
        conversation__kind__in=CONVERSATION_LIST,
        conversation__run__kind__in=CONVERSATION_LIST,
    )
    lately = judged.order_by("-id").values_list("conversation_id", "weighted_score", "pk")[:LOOKED_AT]
    newest: dict[uuid.UUID, JudgedLately] = {}
    for conversation, score, judgement in lately:
        newest.setdefault(conversation, JudgedLately(conversation=conversation, score=score, judgement=judgement))
    stopped = stopped_among([one.judgement for one in newest.values() if one.judgement])
    worst = sorted(
        newest.values(),
        key=lambda judged_lately: (
            judged_lately.judgement not in stopped,
            judged_lately.score or 0.0,
            judged_lately.conversation,
        ),
    )[:limit]
    missing = limit - len(worst)
    if missing > 0:
        rows = listed_conversations().filter(status="ended")
        ended = rows.order_by("-id").values_list("pk", flat=True)
        fresh = [one for one in ended[: limit + missing] if one not in newest][:missing]
        worst += [JudgedLately(conversation=one) for one in fresh]
    return worst

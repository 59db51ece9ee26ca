"""The content of a queue's page. It shows single ratings only of conversations whose ratings are complete: until then a
reader may be the next to rate, and has to be blind."""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from apps.audit.domain.masking_rules import OURS
from apps.calibration.domain.agreement_so_far import CriterionAgreement, RaterOpinion, agreement_so_far, disagreement
from apps.calibration.models import HumanLabel, LabellingItem, LabellingRound, LabelResolution
from apps.calibration.queries.labelling import (
    RoundState,
    find_round,
    may_rate_in,
    round_state,
)
from apps.calibration.queries.labels import latest_labels
from apps.evaluations.figures.domain.rating_scale import read_scale

MAX_SHOWN = 50
RATING_COLUMNS = (
    "conversation",
    "conversation_id",
    "language",
    "criterion",
    "rater",
    "value",
    "reason",
    "resolved_value",
    "resolved_by",
    "resolution",
)
# Where the texts among them are read.
RATING_SOURCES = {
    "conversation": "runs_conversation.external_id",
    "conversation_id": OURS,
    "language": "calibration_labellingitem.language",
    **{name: f"calibration_humanlabel.{name}" for name in ("criterion", "rater", "reason")},
    "resolved_by": "calibration_labelresolution.resolved_by",
    "resolution": "calibration_labelresolution.reason",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One criterion of one conversation on which raters differ, with everybody's reason; `resolution` once there is
    one."""

    item: LabellingItem
    criterion: str
    apart: float
    opinions: Sequence[RaterOpinion]
    resolution: LabelResolution | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFigures:
    """A queue in its list: ratings there are and ratings there should be."""

    round: LabellingRound
    conversations: int
    rated: int

    @property
    def wanted(self) -> int:
        return self.conversations * self.round.raters_wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """A queue: how far it is, how far raters agree, and on what they differ."""

    state: RoundState
    complete: int
    agreement: Sequence[CriterionAgreement]
    disagreements: Sequence[Disagreement]
    open_disagreements: int
    points: Sequence[float]


def queues() -> list[QueueFigures]:
    """All queues, open ones first, the newest first. Two queries."""
    rated: dict[Any, int] = {}
    pairs = HumanLabel.objects.filter(item__round__month=None).values_list("item__round", "item", "rater").distinct()
    for round_id, _item, _rater in pairs.order_by():
        rated[round_id] = rated.get(round_id, 0) + 1
    rows = LabellingRound.objects.filter(month=None).annotate(n=Count("items"))
    ordered = sorted(rows.order_by("-created_at"), key=lambda row: row.closed_at is not None)
    return [QueueFigures(round=row, conversations=row.n, rated=rated.get(row.pk, 0)) for row in ordered]


def open_queues(rater: str) -> list[LabellingRound]:
    """The queues that this person may rate, the oldest first. One query."""
    rows = LabellingRound.objects.filter(month=None, closed_at=None).order_by("created_at")
    return [row for row in rows if may_rate_in(row, rater)]


def queue_state(round_id: uuid.UUID) -> QueueState:
    """Return the state of a queue. Eight queries whatever the size. Raises NotFound."""
    row = find_round(round_id)
    state = round_state(row)
    items = {item.item.pk: item.item for item in state.items if len(item.raters) >= item.wanted}
    labels = latest_labels(HumanLabel.objects.filter(item__round=row))
    opinions = [
        RaterOpinion(
            item=label.item_id, rater=label.rater, criterion=label.criterion, value=label.value, reason=label.reason
        )
        for label in labels
    ]
    points = read_scale(row.scale).points
    names = [criterion["name"] for criterion in row.criteria]
    complete = [opinion for opinion in opinions if opinion.item in items]
    differ = _disagreements(complete, items) if row.month is None else []
    return QueueState(
        state=state,
        complete=len(items),
        agreement=agreement_so_far(opinions, criteria=names, step=points[1] - points[0] if len(points) > 1 else 1.0),
        disagreements=differ[:MAX_SHOWN],
        open_disagreements=sum(one.resolution is None for one in differ),
        points=points,
    )


def _disagreements(opinions: Sequence[RaterOpinion], items: Mapping[int, LabellingItem]) -> list[Disagreement]:
    """Return the disagreements without a resolution first, then the furthest apart."""
    by_place: dict[tuple[int, str], list[RaterOpinion]] = defaultdict(list)
    for opinion in opinions:
        by_place[opinion.item, opinion.criterion].append(opinion)
    resolved = {
        (label_resolution.item_id, label_resolution.criterion): label_resolution
        for label_resolution in LabelResolution.objects.filter(item__in=list(items))
    }
    disagreements = [
        Disagreement(
            item=items[item],
            criterion=criterion,
            apart=apart,
            opinions=sorted(said, key=lambda one: one.rater),
            resolution=resolved.get((item, criterion)),
        )
        for (item, criterion), said in by_place.items()
        if (apart := disagreement({one.rater: one.value for one in said}))
    ]
    return sorted(
        disagreements, key=lambda one: (one.resolution is not None, -one.apart, one.item.position, one.criterion)
    )


def rows_to_export(round_id: uuid.UUID) -> Iterator[dict[str, Any]]:
    """A row for each rating of the conversations that are complete, with the resolution beside it. Raises NotFound."""
    row = find_round(round_id)
    state = round_state(row)
    items = {item.item.pk: item.item for item in state.items if len(item.raters) >= item.wanted}
    resolved = {
        (label_resolution.item_id, label_resolution.criterion): label_resolution
        for label_resolution in LabelResolution.objects.filter(item__in=list(items))
    }
    for label in latest_labels(HumanLabel.objects.filter(item__in=list(items))):
        resolution = resolved.get((label.item_id, label.criterion))
        yield {
            "conversation": items[label.item_id].conversation.external_id,
            "conversation_id": str(items[label.item_id].conversation_id),
            "language": items[label.item_id].language,
            "criterion": label.criterion,
            "rater": label.rater,
            "value": label.value,
            "reason": label.reason,
            "resolved_value": resolution.value if resolution else None,
            "resolved_by": resolution.resolved_by if resolution else "",
            "resolution": resolution.reason if resolution else "",
        }

"""Anchor sets as the API shows them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.documents import Count, Document, Id, Moment, StoredAs, one_of
from apps.core.shapes import described
from apps.production.sampling.domain.anchor_test import BASELINE
from apps.production.sampling.domain.states import AnchorSetStatus, DriftCause, GradingStatus
from apps.production.sampling.models import AnchorGrading, AnchorSet

MOST = 20  # sets, the newest


class AnchorShift(Document, component="AnchorShift"):
    value: Annotated[float, described("Points.")]
    variance: float
    degrees: float | None
    low: Annotated[float, described("Of the interval of 95 %.")]
    high: float
    n: Count
    p: Annotated[float | None, described("Two-sided; null where too few were graded to ask.")]
    shown: Annotated[bool, described("Whether it is claimed, at .05/26.")]


_Shift = Annotated[Mapping[str, Any], StoredAs(AnchorShift)]


class RequestShareDocument(Document, component="RequestShare"):
    kind: Annotated[str, described("Of requests, read by the customer's first words.")]
    before: Annotated[float, described("Its part of all that settled, 0 to 1.")]
    after: float


class AnchorWeek(Document, component="AnchorWeek"):
    week: Count
    status: Annotated[str, one_of(GradingStatus)]
    evaluation_id: Id
    asked_at: Moment
    mover: Annotated[
        str,
        one_of(DriftCause),
        described("not_asked: too early for others than the judge, which did not move."),
    ]
    why: str
    shift: Annotated[_Shift | None, described("Of this week's grades from the baseline.")]
    judge: Annotated[_Shift | None, described("Of the last four weeks from the baseline.")]
    agent: _Shift | None
    customers: _Shift | None
    requests: Annotated[
        Sequence[Annotated[Mapping[str, Any], StoredAs(RequestShareDocument)]],
        described("Kinds of requests whose share changed by .05 and more between the two four weeks."),
    ]
    requests_counted: Annotated[
        bool, described("Whether customers were compared by kind of request too, not by language and channel alone.")
    ]
    criteria: Mapping[str, _Shift]


class AnchorSetDocument(Document, component="AnchorSet"):
    id: Id
    evaluator_config: str
    status: Annotated[str, one_of(AnchorSetStatus)]
    anchors: Count
    frozen_at: Moment
    baseline_gradings: Annotated[Count, described("Of five.")]
    weeks: Sequence[AnchorWeek]


class AnchorSets(Document, component="AnchorSets"):
    results: Sequence[AnchorSetDocument]


class AnchorSetFrozen(Document, component="AnchorSetFrozen"):
    id: Id
    anchors: Count
    left_out: Annotated[Count, described("Labelled too, and not clean after masking.")]


def anchor_documents() -> list[AnchorSetDocument]:
    """Each set with its weeks, the newest set first. Two queries."""
    rows = list(AnchorSet.objects.order_by("-created_at")[:MOST])
    gradings: dict[Any, list[AnchorGrading]] = {row.pk: [] for row in rows}
    for anchor_grading in AnchorGrading.objects.filter(anchor_set__in=rows).order_by("number"):
        gradings[anchor_grading.anchor_set_id].append(anchor_grading)
    return [_document(row, gradings[row.pk]) for row in rows]


def _document(row: AnchorSet, gradings: list[AnchorGrading]) -> AnchorSetDocument:
    return AnchorSetDocument(
        id=str(row.pk),
        evaluator_config=row.evaluator_config,
        status=row.status,
        anchors=row.anchors,
        frozen_at=row.created_at.isoformat(),
        baseline_gradings=sum(
            grading.number <= BASELINE and grading.status == GradingStatus.DONE for grading in gradings
        ),
        weeks=[_week(grading) for grading in gradings if grading.number > BASELINE],
    )


def _week(grading: AnchorGrading) -> AnchorWeek:
    result = grading.result
    return AnchorWeek(
        week=grading.number - BASELINE,
        status=grading.status,
        evaluation_id=str(grading.evaluation_id),
        asked_at=grading.created_at.isoformat(),
        mover=result.get("mover", "not_asked"),
        why=result.get("why", ""),
        shift=result.get("shift"),
        judge=result.get("judge"),
        agent=result.get("agent"),
        customers=result.get("customers"),
        requests=result.get("requests", []),
        requests_counted=result.get("requests_counted", False),
        criteria=result.get("criteria", {}),
    )

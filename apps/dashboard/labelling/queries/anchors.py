"""The content of the page of anchors: whether the judge moved, and whether anybody else did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core.plurals import many
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.sentences import Headline
from apps.production.models import AnchorGrading, AnchorSet
from apps.production.sampling.domain.anchor_test import BASELINE, FEWEST, USUAL, WEEKS
from apps.production.sampling.domain.states import AnchorSetStatus, DriftCause, GradingStatus, Phase
from apps.production.sampling.queries.labelled_conversations import labelled_count
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

SHOWN_SETS = 10
_SENTENCES = {
    DriftCause.NOT_ASKED: "The judge grades its anchors as before.",
    DriftCause.NOBODY: "Nobody moved.",
    DriftCause.JUDGE: "The judge moved.",
    DriftCause.AGENT: "The agent moved, the judge did not.",
    DriftCause.CUSTOMERS: "The customers changed, neither the agent nor the judge.",
    DriftCause.SEVERAL: "Several moved.",
    DriftCause.CANNOT_TELL: "Nobody can tell who moved.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftRow:
    """One measured shift with its interval; `shown` says whether the interval proves it."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekRow:
    """One week of an anchor set; `shift` is None where the week has no result."""

    number: int
    at: datetime
    status: str
    shift: ShiftRow | None
    mover: Badge | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorSetRows:
    """Facts about one set.

    `graded` of the five of its baseline are there; `weeks` are newest first, with who moved in the newest, and the
    judge's shift by criterion. `requests` are kinds of requests whose share changed, in words, and `customers_by` says
    by what customers were compared.
    """

    row: AnchorSet
    graded: int
    sentence: str
    weeks: Sequence[WeekRow]
    movers: Sequence[ShiftRow]
    criteria: Sequence[ShiftRow]
    requests: Sequence[str]
    customers_by: str
    active: bool
    over: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorsPage:
    headline: Headline
    sets: Sequence[AnchorSetRows]
    labelled: int
    fewest: int
    usual: int
    sampling: bool


def anchors_page() -> AnchorsPage:
    """The newest sets, active ones first. Three queries."""
    rows = list(AnchorSet.objects.order_by("status", "-created_at")[:SHOWN_SETS])
    by_set: dict[Any, list[AnchorGrading]] = {row.pk: [] for row in rows}
    for grading in AnchorGrading.objects.filter(anchor_set__in=rows).order_by("number"):
        by_set[grading.anchor_set_id].append(grading)
    sets = [_set(row, by_set[row.pk]) for row in rows]
    labelled = labelled_count()
    sampling = workflow_config(current_slug()).phase >= Phase.SAMPLING
    return AnchorsPage(
        headline=_headline(sets, labelled, sampling),
        sets=sets,
        labelled=labelled,
        fewest=FEWEST,
        usual=USUAL,
        sampling=sampling,
    )


def newest_sentence() -> str:
    """Return the sentence of the newest active anchor set, for the page of production. Two queries.

    "" where there is none.
    """
    row = AnchorSet.objects.filter(status=AnchorSetStatus.ACTIVE).order_by("-created_at").first()
    return "" if row is None else _set(row, list(row.gradings.order_by("number"))).sentence


def _set(row: AnchorSet, gradings: Sequence[AnchorGrading]) -> AnchorSetRows:
    weeks = [_week(grading) for grading in gradings if grading.number > BASELINE]
    graded = sum(grading.number <= BASELINE and grading.status == GradingStatus.DONE for grading in gradings)
    results = [grading.result for grading in gradings if grading.result]
    newest = results[-1] if results else {}
    return AnchorSetRows(
        row=row,
        graded=graded,
        sentence=_sentence(graded, newest),
        weeks=weeks[::-1],
        movers=[_shift(name, newest.get(name)) for name in ("judge", "agent", "customers") if newest.get(name)],
        criteria=[_shift(name, criterion) for name, criterion in newest.get("criteria", {}).items()],
        requests=[_share_changed(request) for request in newest.get("requests", ())],
        customers_by=_compared_by(newest),
        active=row.status == AnchorSetStatus.ACTIVE,
        over=len(weeks) >= WEEKS,
    )


def _sentence(graded: int, newest: Mapping[str, Any]) -> str:
    if graded < BASELINE:
        return f"The baseline is being graded: {graded} of {BASELINE} times."
    if not newest:
        return "The baseline is graded; the first week is asked seven days after it."
    mover = DriftCause(newest["mover"])
    shift = newest.get("shift")
    by = f" Anchors moved by {_points(shift)}." if shift else ""
    return f"{_SENTENCES[mover]}{by}"


def _share_changed(one: Mapping[str, Any]) -> str:
    return f"{one['kind'].replace('_', ' ')} {one['before']:.0%} → {one['after']:.0%}"


def _compared_by(result: Mapping[str, Any]) -> str:
    if not result.get("customers"):
        return ""
    if result.get("requests_counted"):
        return "Customers are compared by language, channel and kind of request."
    return "Customers are compared by language and channel: kinds of requests were not counted in all of these weeks."


def _points(shift: Mapping[str, Any]) -> str:
    return f"{shift['value']:+.1f} [{shift['low']:+.1f}, {shift['high']:+.1f}]".replace("-", "−")


def _week(grading: AnchorGrading) -> WeekRow:
    result = grading.result
    return WeekRow(
        number=grading.number - BASELINE,
        at=grading.created_at,
        status=grading.status,
        shift=_shift("judge", result["shift"]) if result.get("shift") else None,
        mover=look("mover", result["mover"]) if result else None,
        why=result.get("why", ""),
    )


def _shift(name: str, found: Mapping[str, Any] | None) -> ShiftRow:
    one = found or {}
    return ShiftRow(
        name=name, value=one.get("value"), low=one.get("low"), high=one.get("high"), shown=bool(one.get("shown"))
    )


def _headline(sets: Sequence[AnchorSetRows], labelled: int, sampling: bool) -> Headline:
    active = [rows for rows in sets if rows.active]
    if not sampling:
        return Headline(
            text="Anchors are graded from phase 2 on.",
            note="The tenant's phase is 1: real conversations are taken in and become tests, and nobody judges them.",
        )
    if not active:
        note = (
            f"{many(labelled, 'conversation')} with labels can be anchors; {FEWEST} are needed."
            if labelled < FEWEST
            else f"{many(labelled, 'conversation')} with labels can be anchors: freeze {USUAL} of them."
        )
        return Headline(text="Nothing tells yet whether the judge moved.", note=note)
    over = " 26 weeks are over: freeze a new set." if active[0].over else ""
    return Headline(
        text=active[0].sentence,
        note=f"{active[0].row.anchors} anchors, {many(len(active[0].weeks), 'week')} of {WEEKS}.{over}",
    )

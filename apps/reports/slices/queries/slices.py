"""Find the slices of one evaluation that do worse than the others, and what each fails, by dimension.

Scores of one judge alone are held against each other: the one that gave most of them. What others judged (a fallback, a
model that answered as another version) is counted beside.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from django.db import connection

from apps.core.documents import Count, Document, Id, Interval, one_of
from apps.core.shapes import described
from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.figures.queries.decisions_by_slice import CellCounts, decisions_by_slice
from apps.evaluations.figures.queries.results import counts_of, find_evaluation
from apps.evaluations.figures.queries.slice_columns import NAMES, slices_selected
from apps.evaluations.figures.queries.stored_figures import stored_figure
from apps.evaluations.figures.queries.uncertainty import Uncertainties, noise_of_judge, uncertainties_of
from apps.evaluations.models import Evaluation
from apps.reports.slices.domain.heat_map import MIN_IN_CELL, HeatCell, HeatLevel, HeatMap, HeatRow, heat_map
from apps.reports.slices.domain.slices import (
    CLAIMING,
    LEVEL,
    SliceClaim,
    SliceDimension,
    SliceScore,
    SliceState,
    scenarios_needed,
    slice_claims,
)
from apps.runs.domain.cases import SCENARIO_SQL
from apps.statistics.decision import Decision

SLICES = "slices"  # the figure's name
MAX_SCENARIOS = 100  # rows of the heat map, the worst
_JUDGES = """
SELECT j.fingerprint, j.by_fallback, count(*) FROM evaluations_judgement j
JOIN runs_conversation c ON c.id = j.conversation_id
WHERE j.evaluation_id = %s AND j.status = 'scored' AND j.weighted_score IS NOT NULL
  AND c.blame IS DISTINCT FROM 'golden'
GROUP BY 1, 2
"""


class HeatRowCriteria(Document):
    criterion: str
    failing: Annotated[Count, described("Scored below the pass mark.")]
    scored: Count
    level: Annotated[str, one_of(HeatLevel)]


class HeatRowDocument(Document, component="HeatRow"):
    name: str
    criteria: Sequence[HeatRowCriteria]


class SliceClaimDocument(Document, component="SliceClaim"):
    name: str
    state: Annotated[
        str,
        one_of(SliceState),
        described(
            "worse: it scores lower than the others of this evaluation (one-sided, 5 % over all slices of "
            "the dimension). too_few: it shares too few scenarios with them."
        ),
    ]
    conversations: Count
    scenarios: Annotated[Count, described("Over how many it is compared.")]
    mean: float | None
    difference: Annotated[float | None, described("From the others, in points, within scenarios.")]
    interval: Annotated[Interval | None, described("95 % of the difference, of this slice alone: `state` decides.")]
    p: Annotated[float | None, described("One-sided, before it is adjusted for how many slices there are.")]


class SliceDimensionDocument(Document, component="SliceDimension"):
    dimension: Annotated[str, one_of(SliceDimension)]
    claims: Annotated[bool, described("false: its cells are shown, and nothing is claimed.")]
    scenarios_needed: Annotated[
        int | None, described("How many a slice must share; null where there are not two slices.")
    ]
    slices: Annotated[Sequence[SliceClaimDocument], described("Those that score lower first; [] below two slices.")]
    cells: Annotated[Sequence[HeatRowDocument], described("Coloured by the share below the mark, and no claim.")]


class EvaluationSlicesDocument(Document, component="EvaluationSlices"):
    evaluation_id: Id
    fingerprint: Annotated[str, described('The judge whose scores are compared; "" before any is scored.')]
    conversations: Annotated[Count, described("Scored by this judge.")]
    by_other_judges: Annotated[Count, described("Scored under another fingerprint: left out.")]
    by_fallback: Annotated[Count, described("Scored by the fallback model: left out.")]
    level: float
    least_in_cell: Count
    dimensions: Sequence[SliceDimensionDocument]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slices:
    """Slices of an evaluation.

    `judge` is the fingerprint whose `judged` conversations are compared ("" before any is scored); `other_judges` and
    `by_fallback` count those that others judged.
    """

    judge: str
    judged: int
    other_judges: int
    by_fallback: int
    claims: Mapping[SliceDimension, Sequence[SliceClaim]]
    cells: Mapping[SliceDimension, HeatMap]


def slices_of(evaluation: Evaluation, *, scored: int) -> Slices:
    """Return the slices. One query where they are stored, else cached until more is scored:
    three more, and up to three for the judge's noise; some 25 µs for each criterion score."""
    if (stored := stored_figure(evaluation, SLICES)) is not None:
        return _of_json(stored)
    doubts = uncertainties_of(evaluation, scored=scored)
    return cached_aggregate(SLICES, evaluation, scored, lambda: _read(evaluation, doubts))


def make_slices(evaluation: Evaluation, doubts: Uncertainties, _figures: Mapping[str, Any]) -> dict[str, Any]:
    """The slices to store when an evaluation has ended. Three queries."""
    slices_read = _read(evaluation, doubts)
    return {
        **{name: getattr(slices_read, name) for name in ("judge", "judged", "other_judges", "by_fallback")},
        "claims": {by.value: [asdict(claim) for claim in claims] for by, claims in slices_read.claims.items()},
        "cells": {by.value: asdict(cell) for by, cell in slices_read.cells.items()},
    }


def _of_json(stored: Mapping[str, Any]) -> Slices:
    return Slices(
        **{name: stored[name] for name in ("judge", "judged", "other_judges", "by_fallback")},
        claims={SliceDimension(by): [_claim(claim) for claim in claims] for by, claims in stored["claims"].items()},
        cells={SliceDimension(by): _heat_map(cell) for by, cell in stored["cells"].items()},
    )


def _claim(one: Mapping[str, Any]) -> SliceClaim:
    interval = tuple(one["interval"]) if one["interval"] else None
    return SliceClaim(**{**one, "interval": interval, "state": SliceState(one["state"])})


def _heat_map(one: Mapping[str, Any]) -> HeatMap:
    rows = [
        HeatRow(group=row["group"], cells=[HeatCell(**{**c, "level": HeatLevel(c["level"])}) for c in row["cells"]])
        for row in one["rows"]
    ]
    return HeatMap(criteria=one["criteria"], rows=rows)


def slices_document(evaluation_id: uuid.UUID | str) -> EvaluationSlicesDocument:
    """The body of GET /evaluations/{id}/slices/. Two queries where they are stored, else at most nine,
    whatever the size. Raises NotFound."""
    evaluation = find_evaluation(evaluation_id)
    slices = slices_of(evaluation, scored=counts_of(evaluation)["scored"])
    return EvaluationSlicesDocument(
        evaluation_id=str(evaluation.pk),
        fingerprint=slices.judge,
        conversations=slices.judged,
        by_other_judges=slices.other_judges,
        by_fallback=slices.by_fallback,
        level=LEVEL,
        least_in_cell=MIN_IN_CELL,
        dimensions=[_dimension_document(one, slices) for one in SliceDimension],
    )


def _read(evaluation: Evaluation, doubts: Uncertainties) -> Slices:
    with connection.cursor() as cursor:
        cursor.execute(_JUDGES, [evaluation.pk])
        judges = cursor.fetchall()
    own = [(n, fingerprint) for fingerprint, by_fallback, n in judges if not by_fallback]
    judged, judge = max(own, default=(0, ""))
    noise = noise_of_judge(doubts)
    return Slices(
        judge=judge,
        judged=judged,
        other_judges=sum(n for n, _ in own) - judged,
        by_fallback=sum(n for _, by_fallback, n in judges if by_fallback),
        claims=_claims(evaluation.pk, judge),
        cells=_cells(decisions_by_slice(evaluation, judge, noise), frozenset(blocking_of(evaluation.snapshot))),
    )


def _claims(evaluation_id: uuid.UUID, judge: str) -> dict[SliceDimension, Sequence[SliceClaim]]:
    """Means are made by the database, one for each scenario and slice."""
    names = NAMES[: len(CLAIMING)]
    sets = ", ".join(f"(played, {name})" for name in names)
    sql = f"""
    SELECT grouping({", ".join(names)}), coalesce({", ".join(names)}), played, avg(score), count(*) FROM (
      SELECT {SCENARIO_SQL} AS played, j.weighted_score AS score, {slices_selected()}
      FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
      JOIN evaluations_evaluation e ON e.id = j.evaluation_id
      WHERE j.evaluation_id = %s AND j.status = 'scored' AND NOT j.by_fallback AND j.weighted_score IS NOT NULL
        AND c.blame IS DISTINCT FROM 'golden' AND j.fingerprint = %s
    ) cut GROUP BY GROUPING SETS ({sets})
    """  # noqa: S608 - words of our own
    with connection.cursor() as cursor:
        cursor.execute(sql, [evaluation_id, judge])
        rows = cursor.fetchall()
    whole = 2 ** len(names) - 1
    places = {whole - 2 ** (len(names) - 1 - at): dimension for at, dimension in enumerate(CLAIMING)}
    scores: dict[SliceDimension, list[SliceScore]] = {one: [] for one in CLAIMING}
    for place, group, scenario, mean, n in rows:
        scores[places[place]].append(SliceScore(scenario=scenario, group=group, score=mean, n=n))
    return {dimension: slice_claims(each) for dimension, each in scores.items()}


def _cells(found: Mapping[str, CellCounts], blocking: frozenset[str]) -> dict[SliceDimension, HeatMap]:
    maps = {}
    for dimension in SliceDimension:
        counts = {key: (one.get(Decision.FAIL, 0), sum(one.values())) for key, one in found[dimension].items()}
        whole = heat_map(counts, blocking=blocking)
        maps[dimension] = HeatMap(criteria=whole.criteria, rows=whole.rows[:MAX_SCENARIOS])
    return maps


def _dimension_document(dimension: SliceDimension, slices: Slices) -> SliceDimensionDocument:
    claims = slices.claims.get(dimension, ())
    return SliceDimensionDocument(
        dimension=dimension.value,
        claims=dimension in CLAIMING,
        scenarios_needed=scenarios_needed(len(claims)) if claims else None,
        slices=[_slice_document(claim) for claim in claims],
        cells=cells_document(slices.cells[dimension]),
    )


def _slice_document(claim: SliceClaim) -> SliceClaimDocument:
    return SliceClaimDocument(
        name=claim.group,
        state=claim.state.value,
        conversations=claim.n,
        scenarios=claim.scenarios,
        mean=claim.mean,
        difference=claim.difference,
        interval=list(claim.interval) if claim.interval else None,
        p=claim.p,
    )


def cells_document(found: HeatMap) -> list[HeatRowDocument]:
    """A heat map as the API shows it: a row for each slice, the worst first. Pure."""
    return [
        HeatRowDocument(
            name=row.group,
            criteria=[
                HeatRowCriteria(criterion=cell.criterion, failing=cell.failing, scored=cell.n, level=cell.level.value)
                for cell in row.cells
            ],
        )
        for row in found.rows
    ]

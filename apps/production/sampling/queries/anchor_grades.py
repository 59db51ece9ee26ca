"""Grades of anchors, and what real customers' conversations scored in two months, by kinds of customers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Min

from apps.production.sampling.domain.anchor_test import BASELINE, CustomerStratum, JudgedShift
from apps.production.sampling.domain.customer_mix import Cell, RequestShare, by_request, by_stratum, changed_requests
from apps.production.sampling.domain.states import DrawStatus, GradingStatus
from apps.production.sampling.models import AnchorGrading, AnchorSet, SampleDraw
from apps.production.sampling.queries.config_names import name_pattern

MONTH = timedelta(days=28)
WEEKS_OF_A_MONTH = 4

# By grading, criterion ("": the weighted score) and anchor. A fallback is another judge.
_GRADES = """
SELECT g.number, '', j.conversation_id::text, j.weighted_score FROM production_anchorgrading g
JOIN evaluations_judgement j ON j.evaluation_id = g.evaluation_id
WHERE g.anchor_set_id = %(set)s AND j.status = 'scored' AND NOT j.by_fallback AND j.weighted_score IS NOT NULL
UNION ALL
SELECT g.number, s.criterion, j.conversation_id::text, s.score FROM production_anchorgrading g
JOIN evaluations_judgement j ON j.evaluation_id = g.evaluation_id
JOIN evaluations_criterionscore s ON s.judgement_id = j.id AND s.status = 'scored' AND s.scale = '0-10'
WHERE g.anchor_set_id = %(set)s AND j.status = 'scored' AND NOT j.by_fallback
"""
_FINGERPRINTS = """
SELECT DISTINCT j.fingerprint FROM production_anchorgrading g
JOIN evaluations_judgement j ON j.evaluation_id = g.evaluation_id
WHERE g.anchor_set_id = %(set)s AND j.status = 'scored' AND NOT j.by_fallback AND j.fingerprint <> ''
"""
_CELLS = """
SELECT s.stratum, s.request, count(*), avg(j.weighted_score), coalesce(var_samp(j.weighted_score), 0)
FROM production_sampledconversation s JOIN production_sampledraw d ON d.id = s.draw_id
JOIN production_samplingrule r ON r.id = d.rule_id
JOIN evaluations_judgement j ON j.evaluation_id = s.evaluation_id AND j.conversation_id = s.conversation_id
WHERE s.basis IN ('share', 'floor') AND split_part(r.evaluator_config, '@', 1) = %(config)s
  AND d.starts >= %(starts)s AND d.starts < %(ends)s
  AND j.status = 'scored' AND NOT j.by_fallback AND j.weighted_score IS NOT NULL
GROUP BY 1, 2
"""


def anchor_grades(row: AnchorSet) -> dict[int, dict[str, dict[str, float]]]:
    """{number of the grading: {criterion: {anchor: score}}}. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_GRADES, {"set": row.pk})
        grades: dict[int, dict[str, dict[str, float]]] = {}
        for number, criterion, anchor, score in cursor.fetchall():
            grades.setdefault(number, {}).setdefault(criterion, {})[anchor] = score
    return grades


def fingerprints_of(row: AnchorSet) -> list[str]:
    """The judges that graded the set. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_FINGERPRINTS, {"set": row.pk})
        return [fingerprint for (fingerprint,) in cursor.fetchall()]


def judge_moves(config: str, criterion: str = "") -> list[tuple[datetime, JudgedShift]]:
    """Return how far the judge had moved by the end of each week of its anchors, oldest first.

    `criterion` "" is the weighted score. `config` is a name or name@version. One query.
    """
    weeks = AnchorGrading.objects.filter(
        anchor_set__evaluator_config__regex=name_pattern(config),
        status=GradingStatus.DONE,
        number__gt=BASELINE,
        ended_at__isnull=False,
    )
    moves = []
    for ended_at, result in weeks.order_by("ended_at").values_list("ended_at", "result"):
        shift = result.get("criteria", {}).get(criterion) if criterion else result.get("shift")
        if shift and ended_at is not None:
            moves.append((ended_at, JudgedShift.of_json(shift)))
    return moves


def recent_numbers(grades: Mapping[int, object], week: int) -> Sequence[int]:
    """The gradings of the last four weeks up to this one."""
    return [n for n in grades if max(BASELINE, week - WEEKS_OF_A_MONTH) < n <= week]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMonths:
    """Four weeks compared with four, by language, channel and kind of request.

    It has the kinds whose share changed. They are compared by language and channel alone where kinds were not counted
    in all of them (`with_requests` False).
    """

    before: Mapping[str, CustomerStratum]
    after: Mapping[str, CustomerStratum]
    requests: Sequence[RequestShare]
    with_requests: bool


def months_of(row: AnchorSet, *, now: datetime) -> ComparedMonths | None:
    """The samples of four frozen weeks and of the last four weeks. The frozen ones are those before the anchors were,
    where samples were drawn then, else the first ones after. None while they overlap. Five queries."""
    config = row.evaluator_config.partition("@")[0]
    draws = SampleDraw.objects.filter(
        rule__evaluator_config__regex=name_pattern(config),
        status=DrawStatus.DRAWN,
        starts__gte=row.created_at - MONTH,
    )
    first = draws.aggregate(first=Min("starts"))["first"]
    if first is None or now - MONTH < first + MONTH:
        return None
    before, after = _cells(config, draws, first, first + MONTH), _cells(config, draws, now - MONTH, now)
    if any(not kind for _, kind in (*before, *after)):
        return ComparedMonths(before=by_stratum(before), after=by_stratum(after), requests=(), with_requests=False)
    then, since = by_request(before, after)
    return ComparedMonths(before=then, after=since, requests=changed_requests(before, after), with_requests=True)


def _cells(config: str, draws: object, starts: datetime, ends: datetime) -> dict[Cell, CustomerStratum]:
    settled: dict[Cell, int] = {}
    for population in draws.filter(starts__gte=starts, starts__lt=ends).values_list("population", flat=True):  # type: ignore[attr-defined]
        for group in population:
            cell = (group["stratum"], group.get("request", ""))
            settled[cell] = settled.get(cell, 0) + group["n"]
    with connection.cursor() as cursor:
        cursor.execute(_CELLS, {"config": config, "starts": starts, "ends": ends})
        judged = {(stratum, kind): (n, mean, variance) for stratum, kind, n, mean, variance in cursor.fetchall()}
    nothing = (0, 0.0, 0.0)
    return {
        cell: CustomerStratum(population=population, n=n, mean=mean, variance=variance)
        for cell, population in settled.items()
        for n, mean, variance in [judged.get(cell, nothing)]
    }

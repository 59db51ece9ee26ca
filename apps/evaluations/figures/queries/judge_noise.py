"""Measure how much the judges of evaluations differ from themselves.

Repeated answers and panels show it; several evaluations are read at once.
"""

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import asdict
from statistics import variance
from typing import Any

from django.db import connection

from apps.evaluations.domain.panel import panel_scores
from apps.evaluations.figures.domain.uncertainty import Noise, Source, pooled
from apps.evaluations.figures.queries.decisions import PANEL

MAX_PANELS = 2000  # newest panels of one evaluation whose disagreement is pooled

NoiseByCriterion = list[tuple[str, Noise]]

_REPEATS = """
SELECT j.evaluation_id, s.criterion,
  sum((s.answers - 1) * s.answers * s.standard_error ^ 2) / sum(s.answers - 1), sum(s.answers - 1)
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
WHERE j.evaluation_id = ANY(%s) AND s.standard_error IS NOT NULL AND s.answers > 1 GROUP BY 1, 2
"""
_PANELS = """
SELECT e.id, p.criterion, p.opinions FROM unnest(%s::uuid[]) AS e(id) CROSS JOIN LATERAL (
  SELECT s.criterion, s.opinions::text AS opinions
  FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
  WHERE j.evaluation_id = e.id AND s.opinions @> %s ORDER BY s.id DESC LIMIT %s) p
"""
# How the weighted score itself differs from answer to answer, where one answer scores all criteria.
_WHOLE = """
WITH answer AS (
  SELECT j.evaluation_id, s.judgement_id, o.place,
    sum((o.one->>'score')::float8 * s.weight) / nullif(sum(s.weight), 0) AS score, count(*) AS given
  FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
  CROSS JOIN LATERAL jsonb_array_elements(s.opinions) WITH ORDINALITY AS o(one, place)
  WHERE j.evaluation_id = ANY(%s) AND s.status = 'scored' AND s.scale = '0-10'
    AND o.one->>'purpose' = 'judge' AND o.one->>'score' IS NOT NULL
  GROUP BY 1, 2, 3
), spread AS (
  SELECT a.evaluation_id, a.judgement_id, var_samp(a.score) AS variance, count(*) - 1 AS degrees FROM answer a
  WHERE a.given = (SELECT count(*) FROM evaluations_criterionscore s WHERE s.judgement_id = a.judgement_id
    AND s.status = 'scored' AND s.scale = '0-10')
  GROUP BY 1, 2 HAVING count(*) > 1
)
SELECT evaluation_id, sum(degrees * variance) / sum(degrees), sum(degrees) FROM spread GROUP BY 1
"""


def noise_of_repeats(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, NoiseByCriterion]:
    """Return the noise of repeated answers, by evaluation. One query."""
    noises: dict[uuid.UUID, NoiseByCriterion] = {pk: [] for pk in ids}
    with connection.cursor() as cursor:
        cursor.execute(_REPEATS, [list(ids)])
        for evaluation, criterion, spread, degrees in cursor.fetchall():
            noise = Noise(source=Source.REPEATS, variance=float(spread), degrees=int(degrees))
            noises[evaluation].append((criterion, noise))
    return noises


def noise_of_whole(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Noise | None]:
    """Return the noise of the weighted score, by evaluation.

    None where no conversation was answered whole more than once. One query.
    """
    noises: dict[uuid.UUID, Noise | None] = dict.fromkeys(ids)
    with connection.cursor() as cursor:
        cursor.execute(_WHOLE, [list(ids)])
        for evaluation, spread, degrees in cursor.fetchall():
            noises[evaluation] = Noise(source=Source.REPEATS, variance=float(spread), degrees=int(degrees))
    return noises


def noise_of_panels(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, NoiseByCriterion]:
    """Return the noise of panels by evaluation, from its newest MAX_PANELS panels. One query."""
    spreads: dict[tuple[uuid.UUID, str], list[tuple[float, int]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_PANELS, [list(ids), PANEL, MAX_PANELS])
        for evaluation, criterion, opinions in cursor.fetchall():
            scores = panel_scores(json.loads(opinions))
            if len(scores) > 1:
                spreads.setdefault((evaluation, criterion), []).append((variance(scores), len(scores) - 1))
    noises: dict[uuid.UUID, NoiseByCriterion] = {pk: [] for pk in ids}
    for (evaluation, criterion), many in spreads.items():
        noise = pooled(many, Source.PANEL)
        if noise is not None:
            noises[evaluation].append((criterion, noise))
    return noises


def as_json(noises: NoiseByCriterion, whole: Noise | None) -> dict[str, Any]:
    """Return the noise as JSON, as it is stored with an evaluation's figures. Pure."""
    ordered = sorted(noises, key=lambda noise: (noise[0], noise[1].source))
    return {
        "criteria": [[name, asdict(noise)] for name, noise in ordered],
        "whole": asdict(whole) if whole else None,
    }


def of_json(stored: Mapping[str, Any]) -> tuple[NoiseByCriterion, Noise | None]:
    """Read the JSON that `as_json` made. Pure."""
    whole = stored["whole"]
    return [(name, _noise(one)) for name, one in stored["criteria"]], _noise(whole) if whole else None


def _noise(stored: Mapping[str, Any]) -> Noise:
    return Noise(source=Source(stored["source"]), variance=stored["variance"], degrees=stored["degrees"])

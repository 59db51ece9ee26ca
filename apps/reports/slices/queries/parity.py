"""Tell whether an agent treats two languages alike, by pairs of conversations in an evaluation.

A pair has one `parallel_id`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.db import connection

from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.stored_figures import stored_figure
from apps.evaluations.figures.queries.uncertainty import Uncertainties
from apps.evaluations.models import Evaluation
from apps.reports.slices.domain.parity import Gap, Parallel, gaps

PARITY = "parity"  # the figure's name
LABEL = "parallel_id"
SEED = 20260219  # of the bootstrap: the same rows give the same interval

_ANY = "SELECT EXISTS (SELECT 1 FROM runs_conversation c WHERE c.run_id = %s AND c.labels ? 'parallel_id')"
_ROWS = """
SELECT c.labels->>'parallel_id', c.language, jsonb_object_agg(s.criterion, s.score)::text
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
JOIN evaluations_criterionscore s ON s.judgement_id = j.id
WHERE j.evaluation_id = %s AND j.status = 'scored' AND c.labels ? 'parallel_id' AND c.language <> ''
GROUP BY j.id, c.id ORDER BY c.id
"""


def parity_of(evaluation: Evaluation, *, scored: int) -> list[dict[str, Any]]:
    """Per criterion and two languages: pairs, means, difference with its 95 % interval, chance, and a sentence.

    Empty where no two conversations carry one `parallel_id`. One query where they are stored, and where there are none;
    else three and some 0.1 s for each criterion, kept.
    """
    stored: list[dict[str, Any]] | None = stored_figure(evaluation, PARITY)
    if stored is not None:
        return stored
    return cached_aggregate(PARITY, evaluation, scored, lambda: [gap_document(gap) for gap in _gaps(evaluation)])


def make_parity(evaluation: Evaluation, _doubts: Uncertainties, _figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The gaps to store when an evaluation has ended. One query, two where there are such conversations."""
    return [gap_document(gap) for gap in _gaps(evaluation)]


def gap_document(gap: Gap) -> dict[str, Any]:
    return {**asdict(gap), "sentence": gap.sentence}


def _gaps(evaluation: Evaluation) -> list[Gap]:
    with connection.cursor() as cursor:
        cursor.execute(_ANY, [evaluation.run_id])
        if not cursor.fetchone()[0]:
            return []
        cursor.execute(_ROWS, [evaluation.pk])
        rows = [
            Parallel(parallel_id=str(pair), language=language, scores=json.loads(scores))
            for pair, language, scores in cursor.fetchall()
        ]
    return gaps(rows, criteria=[criterion["name"] for criterion in evaluation.snapshot["criteria"]], seed=SEED)

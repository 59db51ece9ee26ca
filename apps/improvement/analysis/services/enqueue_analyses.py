"""Create the analyses that are due. Somebody requested them, or `run_analyzer` did when an evaluation has completed."""

import uuid
from datetime import datetime
from typing import Any

from django.db import connection

from apps.catalog.configs.queries.judges import model_in_force
from apps.core.errors import Conflict
from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import Evaluation
from apps.improvement.analysis.models import Analysis

LACKS_ANALYSIS = """
FROM {schema}.evaluations_evaluation e WHERE e.run_analyzer AND e.status = 'completed'
  AND NOT EXISTS (SELECT 1 FROM {schema}.improvement_analysis a WHERE a.evaluation_id = e.id AND a.automatic)
"""
_OWE = f"""
INSERT INTO improvement_analysis (id, created_at, evaluation_id, automatic, status, analyzer, findings, notes, read,
  failing, parts, provider, model, error_message, attempts, waiting_for)
SELECT gen_random_uuid(), %(now)s, e.id, true, 'pending', '{{}}', '[]', '[]', 0, 0, 0, '', '', '', 0, ''
{LACKS_ANALYSIS.replace("{schema}.", "")}
ON CONFLICT DO NOTHING
"""


def request_analysis(*, evaluation_id: uuid.UUID | str, now: datetime) -> uuid.UUID:
    """Request a reading of an evaluation that has ended; return the id of its row. Two to four queries.

    Raises NotFound, and Conflict (`not_ended`) while it is still being judged. Each call owes one more.
    """
    evaluation = find_evaluation(evaluation_id)
    if evaluation.status not in EVALUATION_TERMINAL:
        raise Conflict("This evaluation is still being judged: analyse it when it has ended.", code="not_ended")
    row = Analysis.objects.create(evaluation=evaluation, analyzer=analyzer_of(evaluation))
    return uuid.UUID(str(row.pk))


def enqueue_analyses(*, now: datetime) -> int:
    """Create the missing analyses of completed evaluations with `run_analyzer`. One query; safe to repeat."""
    with connection.cursor() as cursor:
        cursor.execute(_OWE, {"now": now})
        return int(cursor.rowcount)


def analyzer_of(evaluation: Evaluation) -> dict[str, Any]:
    """The model that analyses this evaluation: its version's own, else the tenant's. At most two queries."""
    named = evaluation.snapshot["llm_config"].get("analyzer")
    return dict(named) if named else model_in_force("analyzer").as_json()

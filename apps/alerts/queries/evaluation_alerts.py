"""Evaluations that failed, and judges that do not answer."""

from collections import defaultdict
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.budgets.domain.sentences import SPENT_CODE
from apps.core.plurals import many
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.models import Evaluation

LATELY = timedelta(hours=24)
SILENT = timedelta(minutes=10)  # a model that limits us for less goes on by itself
LEAST = 5  # conversations without an answer: one or two may be their own fault
_SHOWN = 50

# Of each judge the conversations of a day that it failed since its last answer, and those that wait for it now.
_SILENT = """
WITH asked AS (
  SELECT e.snapshot #>> '{llm_config,judge,provider}' AS provider, e.snapshot #>> '{llm_config,judge,model}' AS model,
    e.id AS evaluation, j.judged_at,
    j.status IN ('scored', 'parse_error') AND NOT j.from_cache AS answered, j.status = 'model_error' AS failed,
    j.status = 'pending' AND j.waiting_for <> '' AND j.error_code <> %(spent)s AS waits
  FROM evaluations_evaluation e JOIN evaluations_judgement j ON j.evaluation_id = e.id
  WHERE e.progress_at >= %(since)s OR e.status IN ('pending', 'running') OR e.ended_at >= %(since)s
), last AS (
  SELECT provider, model, max(judged_at) FILTER (WHERE answered) AS answered_at FROM asked GROUP BY 1, 2
)
SELECT a.provider, a.model, max(l.answered_at), count(*),
  (array_agg(a.evaluation ORDER BY a.judged_at DESC NULLS FIRST))[1], count(DISTINCT a.evaluation)
FROM asked a JOIN last l ON l.provider = a.provider AND l.model = a.model
WHERE a.waits OR (a.failed AND a.judged_at >= %(since)s AND (l.answered_at IS NULL OR a.judged_at > l.answered_at))
GROUP BY 1, 2 ORDER BY 1, 2
"""


def failed_evaluations(now: datetime) -> list[Condition]:
    """Configs with evaluations that failed, or that the watchdog stopped, within a day, and that were not judged again
    since. One query."""
    again = Evaluation.objects.filter(
        run=OuterRef("run"), config_version=OuterRef("config_version"), created_at__gt=OuterRef("created_at")
    )
    rows = Evaluation.objects.filter(
        ~Exists(again), status__in=[EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT], ended_at__gte=now - LATELY
    )
    by_config = defaultdict[str, list[UUID]](list)
    for ref, pk in rows.order_by("-ended_at").values_list("config_ref", "pk")[:500]:
        by_config[ref].append(pk)
    return [
        Condition(
            rule=Rule.EVALUATION_FAILED,
            key=ref,
            sentence=f"{many(len(ids), 'evaluation')} with {ref} failed within the last day.",
            path=f"/evaluations/{ids[0]}/",
            severity=Severity.CRITICAL,
        )
        for ref, ids in sorted(by_config.items())[:_SHOWN]
    ]


def silent_judges(now: datetime) -> list[Condition]:
    """Models that judge and did not answer five conversations and more since their last answer, which is ten minutes
    ago or longer. One query over the judgements of a day."""
    with connection.cursor() as cursor:
        cursor.execute(_SILENT, {"since": now - LATELY, "spent": SPENT_CODE})
        rows = cursor.fetchall()
    return [
        Condition(
            rule=Rule.JUDGE_SILENT,
            key=f"{provider} {model}",
            sentence=f"The judge {model} of {provider} does not answer: {many(n, 'conversation')} of "
            f"{many(evaluations, 'evaluation')} got no answer since {_since(answered_at)}.",
            path=f"/evaluations/{evaluation}/",
            severity=Severity.CRITICAL,
        )
        for provider, model, answered_at, n, evaluation, evaluations in rows
        if n >= LEAST and (answered_at is None or answered_at <= now - SILENT)
    ]


def _since(answered_at: datetime | None) -> str:
    return f"{answered_at:%-d %B %Y, %H:%M} UTC" if answered_at else "yesterday"

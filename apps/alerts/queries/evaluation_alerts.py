"""Evaluations that failed, and judges that do not answer."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.connectors.errors import RateLimited
from apps.core.plurals import many
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.models import Evaluation

LATELY = timedelta(hours=24)
SILENT = timedelta(minutes=10)  # a model that limits us for less goes on by itself
LEAST = 5  # conversations without an answer: one or two may be their own fault
WINDOW = timedelta(hours=1)
LAST_CALLS, MOST_FAIL = 20, 0.5
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

# Of each model the last calls of an hour that were to judge; a fallback's are its own. A reply that cannot be read is
# an answer, and a model that limits us goes on by itself.
_FAILING = """
WITH calls AS (
  SELECT provider, requested_model, outcome, evaluation_id, created_at,
    row_number() OVER (PARTITION BY provider, requested_model ORDER BY created_at DESC, id DESC) AS back
  FROM budgets_modelcall
  WHERE created_at >= %(since)s AND purpose = ANY(%(purposes)s) AND NOT cached AND outcome <> ALL(%(no_verdict)s)
)
SELECT provider, requested_model, count(*) FILTER (WHERE outcome <> 'ok'), count(*),
  (array_agg(evaluation_id ORDER BY created_at DESC) FILTER (WHERE outcome <> 'ok' AND evaluation_id IS NOT NULL))[1]
FROM calls WHERE back <= %(last)s GROUP BY 1, 2 ORDER BY 1, 2
"""
_JUDGING = [Purpose.JUDGE.value, Purpose.REASK.value]
_NO_VERDICT = ["open", "lost", RateLimited.code]


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
    """Return an alert condition for each judge model that does not answer.

    Such a model left five or more conversations unanswered since its last answer, at least ten minutes ago, or failed
    more than half of its last twenty calls. One query over a day's judgements, one over an hour's calls.
    """
    silent = {judge.key: judge for judge in (*_failing(now), *_silent(now))}
    return list(silent.values())


def _silent(now: datetime) -> list[Condition]:
    with connection.cursor() as cursor:
        cursor.execute(_SILENT, {"since": now - LATELY, "spent": SPENT_CODE})
        rows = cursor.fetchall()
    return [
        _does_not_answer(
            provider,
            model,
            f"does not answer: {many(n, 'conversation')} of {many(evaluations, 'evaluation')} got no answer since "
            f"{_since(answered_at)}.",
            evaluation,
        )
        for provider, model, answered_at, n, evaluation, evaluations in rows
        if n >= LEAST and (answered_at is None or answered_at <= now - SILENT)
    ]


def _failing(now: datetime) -> list[Condition]:
    which: dict[str, Any] = {"purposes": _JUDGING, "no_verdict": _NO_VERDICT, "last": LAST_CALLS}
    with connection.cursor() as cursor:
        cursor.execute(_FAILING, {**which, "since": now - WINDOW})
        rows = cursor.fetchall()
    return [
        _does_not_answer(provider, model, f"fails: {failed} of its last {many(n, 'call')} got no answer.", evaluation)
        for provider, model, failed, n, evaluation in rows
        if failed >= LEAST and failed > MOST_FAIL * n
    ]


def _does_not_answer(provider: str, model: str, what: str, evaluation: UUID | None) -> Condition:
    return Condition(
        rule=Rule.JUDGE_SILENT,
        key=f"{provider} {model}",
        sentence=f"The judge {model} of {provider} {what}",
        path=f"/evaluations/{evaluation}/" if evaluation else "/usage/",
        severity=Severity.CRITICAL,
    )


def _since(answered_at: datetime | None) -> str:
    return f"{answered_at:%-d %B %Y, %H:%M} UTC" if answered_at else "yesterday"

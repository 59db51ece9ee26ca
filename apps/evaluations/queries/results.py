"""What an evaluation found: means, counts and warnings, computed by the database from the rows of its judgements."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from typing import Any

from django.db import connection
from django.db.models import Count
from django.utils import timezone

from apps.budgets.queries import Spent, spent_on_evaluation
from apps.core.digest import sha256_hex
from apps.core.errors import NotFound
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.queries.certificates import standing
from apps.evaluations.queries.kept import kept

Z_95 = 1.959963984540054  # two-sided 95 % of the normal distribution

_HEADLINE = """
SELECT count(*), avg(j.weighted_score), stddev_samp(j.weighted_score),
  count(*) FILTER (WHERE j.weighted_score >= p.mark), mode() WITHIN GROUP (ORDER BY j.fingerprint)
FROM evaluations_judgement j,
  LATERAL (SELECT sum(s.pass_mark * s.weight) / nullif(sum(s.weight), 0) AS mark
           FROM evaluations_criterionscore s WHERE s.judgement_id = j.id AND s.status = 'scored') p
WHERE j.evaluation_id = %(evaluation)s AND j.status = 'scored' AND j.weighted_score IS NOT NULL
  AND (%(with_fallback)s OR NOT j.by_fallback)
"""

_CRITERIA = """
SELECT s.criterion, min(s.position), min(s.weight), min(s.pass_mark), avg(s.score), stddev_samp(s.score),
  count(*) FILTER (WHERE s.status = 'scored'), count(*) FILTER (WHERE s.status <> 'scored'),
  count(*) FILTER (WHERE s.score >= s.pass_mark)
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
WHERE j.evaluation_id = %(evaluation)s AND (%(with_fallback)s OR NOT j.by_fallback)
GROUP BY s.criterion ORDER BY min(s.position)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """One criterion over an evaluation. Means are over scored judgements only; `interval` is 95 % of the mean."""

    criterion: str
    weight: float
    pass_mark: float
    mean: float | None
    interval: tuple[float, float] | None
    scored: int
    unscored: int
    pass_rate: float | None


def find_evaluation(evaluation_id: uuid.UUID | str) -> Evaluation:
    """The row. Raises NotFound. One query."""
    try:
        return Evaluation.objects.get(pk=uuid.UUID(str(evaluation_id)))
    except (ValueError, Evaluation.DoesNotExist):
        raise NotFound(f"There is no evaluation {evaluation_id}.") from None


def counts_of(evaluation_id: uuid.UUID) -> dict[str, int]:
    """Judgements by state, every state named. One query."""
    found = dict(
        Judgement.objects.filter(evaluation_id=evaluation_id).values_list("status").annotate(n=Count("id")).order_by()
    )
    return {state.value: found.get(state.value, 0) for state in JudgementStatus}


def evaluation_summary(evaluation_id: uuid.UUID | str, *, now: datetime | None = None) -> dict[str, Any]:
    """The body of GET /evaluations/{id}/: what was found, how far it is, and what to be careful about.

    The headline mean leaves out what a fallback model judged, unless the version allows it. `certificate` and
    `corrected` are those in force `now` (default: this moment). Eight queries whatever the size. Raises NotFound.
    """
    evaluation = find_evaluation(evaluation_id)
    snapshot = evaluation.snapshot
    with_fallback = bool(snapshot["parameters"].get("allow_fallback_in_mean"))
    counts = counts_of(evaluation.id)
    scored, mean, deviation, passed, fingerprint = kept(
        f"headline-{with_fallback}",
        evaluation.id,
        counts["scored"],
        lambda: _one(_HEADLINE, evaluation.id, with_fallback),
    )
    spent = spent_on_evaluation(evaluation.id)
    return {
        "id": str(evaluation.id),
        "test_run_id": str(evaluation.run_id),
        "evaluator_config": evaluation.config_ref,
        "status": evaluation.status,
        "triggered_by": evaluation.triggered_by,
        "run_analyzer": evaluation.run_analyzer,
        "fingerprint": fingerprint or "",
        "snapshot_digest": sha256_hex(snapshot),
        "counts": counts,
        "weighted_score": mean,
        "interval": _interval(mean, deviation, scored),
        "pass_rate": passed / scored if scored else None,
        "cost_usd": float(spent.cost_usd),
        "tokens_used": spent.tokens,
        "model_calls": spent.calls,
        "criteria_snapshot": snapshot["criteria"],
        "judge": snapshot["llm_config"]["judge"],
        **standing(evaluation, fingerprint=fingerprint or "", scored=counts["scored"], now=now or timezone.now()),
        "warnings": _warnings(evaluation, counts, spent, with_fallback),
        "error_message": evaluation.error_message,
        "created_at": evaluation.created_at.isoformat(),
        "started_at": evaluation.started_at.isoformat() if evaluation.started_at else None,
        "ended_at": evaluation.ended_at.isoformat() if evaluation.ended_at else None,
    }


def criterion_results(evaluation_id: uuid.UUID) -> list[CriterionResult]:
    """Every criterion's mean, interval, pass rate and counts, in the version's order. Two queries."""
    evaluation = find_evaluation(evaluation_id)
    with_fallback = bool(evaluation.snapshot["parameters"].get("allow_fallback_in_mean"))
    with connection.cursor() as cursor:
        cursor.execute(_CRITERIA, {"evaluation": evaluation.id, "with_fallback": with_fallback})
        rows = cursor.fetchall()
    return [
        CriterionResult(
            criterion=name,
            weight=weight,
            pass_mark=mark,
            mean=mean,
            interval=_interval(mean, deviation, scored),
            scored=scored,
            unscored=unscored,
            pass_rate=passed / scored if scored else None,
        )
        for name, _position, weight, mark, mean, deviation, scored, unscored, passed in rows
    ]


def judgement_document(judgement: Judgement) -> dict[str, Any]:
    """One judgement as the API shows it; `scores` must be prefetched, `conversation` selected."""
    return {
        "id": str(judgement.id),
        "conversation_id": judgement.conversation.external_id,
        "conversation": str(judgement.conversation_id),
        "language": judgement.conversation.language,
        "status": judgement.status,
        "weighted_score": judgement.weighted_score,
        "fingerprint": judgement.fingerprint,
        "provider": judgement.provider,
        "model": judgement.model,
        "by_fallback": judgement.by_fallback,
        "late": judgement.late,
        "latency": judgement.latency,
        "error_code": judgement.error_code,
        "error_message": judgement.error_message,
        "raw_reply": judgement.raw_reply if judgement.status == JudgementStatus.PARSE_ERROR else "",
        "judged_at": judgement.judged_at.isoformat() if judgement.judged_at else None,
        "criteria": [
            {
                "criterion": score.criterion,
                "status": score.status,
                "unscored_reason": score.unscored_reason or None,
                "score": score.score,
                "scale": score.scale,
                "weight": score.weight,
                "pass_mark": score.pass_mark,
                "reason": score.reason,
                "evidence": score.evidence,
            }
            for score in sorted(judgement.scores.all(), key=lambda score: score.position)
        ],
    }


def judgements_of(evaluation_id: uuid.UUID) -> Any:
    """Judgements of an evaluation, ready for `judgement_document`. Two queries per page."""
    return (
        Judgement.objects.filter(evaluation_id=evaluation_id)
        .select_related("conversation")
        .prefetch_related("scores")
        .order_by("created_at", "id")
    )


def _warnings(evaluation: Evaluation, counts: Mapping[str, int], spent: Spent, with_fallback: bool) -> list[str]:
    """What a reader must know before believing the score, in sentences."""
    warnings = []
    judge = evaluation.snapshot["llm_config"]["judge"]
    if judge["provider"] == "offline":
        warnings.append("offline rules, no model was asked")
    if judge["provider"] == "imported":
        warnings.append("scores from elsewhere: this judge was not asked here")
    if counts["parse_error"]:
        warnings.append(f"{_conversations(counts['parse_error'])} could not be parsed: review")
    if counts["model_error"]:
        warnings.append(f"{_conversations(counts['model_error'])} could not be judged: the model failed")
    if counts["not_judged"]:
        warnings.append(f"{_conversations(counts['not_judged'])} failed, not by the agent, and have no score")
    tally = kept("tally", evaluation.id, counts["scored"], lambda: _fallback_and_prints(evaluation.id))
    if tally["nothing_to_score"]:
        warnings.append(f"{_conversations(tally['nothing_to_score'])} gave no criterion anything to score")
    if tally["by_fallback"]:
        out = "counted in the mean" if with_fallback else "left out of the mean"
        warnings.append(f"{tally['by_fallback']} by the fallback model, {out}")
    if tally["fingerprints"] > 1:
        warnings.append(f"{tally['fingerprints']} different fingerprints: these scores come from different judges")
    if tally["late"]:
        warnings.append(f"{tally['late']} arrived after the watchdog had closed the evaluation")
    if spent.unpriced:
        warnings.append(f"{spent.unpriced} calls have no known price: the cost is a lower bound")
    return warnings


def _fallback_and_prints(evaluation_id: uuid.UUID) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE by_fallback), count(DISTINCT fingerprint), count(*) FILTER (WHERE late),"
            " count(*) FILTER (WHERE weighted_score IS NULL)"
            " FROM evaluations_judgement WHERE evaluation_id = %s AND status = 'scored'",
            [evaluation_id],
        )
        names = ("by_fallback", "fingerprints", "late", "nothing_to_score")
        return dict(zip(names, cursor.fetchone(), strict=True))


def _one(statement: str, evaluation_id: uuid.UUID, with_fallback: bool) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"evaluation": evaluation_id, "with_fallback": with_fallback})
        row: tuple[Any, ...] = cursor.fetchone()
        return row


def _interval(mean: float | None, deviation: float | None, n: int) -> tuple[float, float] | None:
    """Mean ± 1.96 standard errors, cut to the scale; None below two scores."""
    if mean is None or deviation is None or n < 2:
        return None
    margin = Z_95 * deviation / sqrt(n)
    return (max(0.0, mean - margin), min(10.0, mean + margin))


def _conversations(n: int) -> str:
    return f"{n} conversation{'s' if n != 1 else ''}"

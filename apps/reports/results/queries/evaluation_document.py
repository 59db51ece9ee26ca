"""The results of an evaluation, as the API, the pages and the commands show them."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.budgets.queries import Spent, spent_on_evaluation
from apps.calibration.queries.certificates import certification_of
from apps.catalog.configs.queries.criterion_titles import NAMES, Titles, criterion_titles
from apps.core.digest import sha256_hex
from apps.evaluations.domain.warnings import ResultWarning, warning_fields
from apps.evaluations.figures.queries.aggregates import Sums, sums_of
from apps.evaluations.figures.queries.judge_warnings import judge_warnings
from apps.evaluations.figures.queries.results import _NO_VERDICTS, _interval, counts_of, criteria_of, find_evaluation
from apps.evaluations.figures.queries.second_opinions import cross_check_of, cross_check_warnings, panel_effect
from apps.evaluations.figures.queries.uncertainty import uncertainties_of, verdict_counts
from apps.evaluations.models import Evaluation
from apps.reports.results.queries.warnings import budget_warnings, customer_warnings, result_warnings
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


def evaluation_figures(evaluation: Evaluation, *, titles: Titles | None = None) -> dict[str, Any]:
    """Return an evaluation's identity and figures alone, as a callback sends them.

    `titles` are the names of criteria in sentences (default: in English, one query). No other query where the figures
    are stored.
    """
    titles = criterion_titles() if titles is None else titles
    counts = counts_of(evaluation)
    sums = sums_of(evaluation, scored=counts["scored"])
    verdicts = verdicts_of(evaluation, sums, counts["scored"], titles=titles)
    return {
        **_identity(evaluation),
        "fingerprint": sums.headline[4] or "",
        "counts": counts,
        **_mean(sums),
        **verdicts,
        "criteria": criterion_documents(sums, verdicts["criterion_verdicts"], titles),
    }


def evaluation_summary(
    asked: Evaluation | uuid.UUID | str, *, now: datetime | None = None, titles: Titles | None = None
) -> dict[str, Any]:
    """The body of GET /evaluations/{id}/: what was found, how far it is, and what to be careful about.

    What a fallback model judged counts in the headline mean, unless the version leaves it out; a warning says of how
    many. `certificate` (None: nobody compared this judge with people) and `corrected` are those in force `now`
    (default: this moment). `titles` is what sentences call criteria (default: in English). Six queries whatever the
    size, none to find an evaluation that is given; twelve more at most while nothing is stored. Raises NotFound.
    """
    evaluation = asked if isinstance(asked, Evaluation) else find_evaluation(asked)
    titles = criterion_titles() if titles is None else titles
    figures = evaluation_figures(evaluation, titles=titles)
    counts, fingerprint = figures["counts"], figures["fingerprint"]
    sums = sums_of(evaluation, scored=counts["scored"])
    spent = spent_on_evaluation(evaluation.id)
    waits = budget_warnings(evaluation.id) if counts["pending"] else []
    cross_check, second = _cross_check(evaluation, fingerprint, counts["scored"], titles)
    panel = panel_effect(evaluation, scored=counts["scored"])
    certified = certification_of(
        evaluation, fingerprint=fingerprint, scored=counts["scored"], now=now or timezone.now(), titles=titles
    )
    warnings_found = result_warnings(evaluation, counts, spent, sums, titles=titles)
    warnings = [
        *waits,
        *judge_warnings(evaluation, sums.evidence),
        *warnings_found,
        *customer_warnings(evaluation.run_id),
        *second,
        *panel.warnings(sums.headline[0]),
    ]
    return {
        **figures,
        "cross_check": cross_check,
        **_money(spent),
        "blame": "budget" if waits else None,
        **certified,
        **warning_fields(warnings),
        "warning_names": [list(warning.names) for warning in warnings],
    }


def _mean(sums: Sums) -> dict[str, Any]:
    """The headline mean, how sure it is, and who is in it."""
    mean = sums.headline[1]
    cases, spread = sums.spread()
    return {
        "weighted_score": mean,
        "interval": _interval(mean, spread, cases),
        "cases": cases,
        "judges": sums.tally.get("judges", 1),
        "by_fallback": sums.tally["by_fallback"],
    }


def _identity(evaluation: Evaluation) -> dict[str, Any]:
    """The facts of the evaluation's own row: the tested subject, the frozen plan, the times, and how it ended."""
    snapshot = evaluation.snapshot
    return {
        "id": str(evaluation.id),
        "test_run_id": str(evaluation.run_id),
        "evaluator_config": evaluation.config_ref,
        "status": evaluation.status,
        "subject": evaluation.subject,
        "triggered_by": evaluation.triggered_by,
        "run_analyzer": evaluation.run_analyzer,
        "snapshot_digest": sha256_hex(snapshot),
        "criteria_snapshot": snapshot["criteria"],
        "judge": snapshot["llm_config"]["judge"],
        "error_code": evaluation.error_code,
        "error_message": evaluation.error_message,
        "created_at": evaluation.created_at.isoformat(),
        "started_at": evaluation.started_at.isoformat() if evaluation.started_at else None,
        "ended_at": evaluation.ended_at.isoformat() if evaluation.ended_at else None,
    }


def _money(spent: Spent) -> dict[str, Any]:
    return {
        **spent.as_json(),
        "tokens_used": spent.tokens,
        "from_cache": spent.cached,
        "saved_usd": float(spent.saved_usd),
    }


def verdicts_of(evaluation: Evaluation, sums: Sums, scored: int, *, titles: Titles = NAMES) -> dict[str, Any]:
    """Return the decisions of an evaluation.

    `decision` is of the whole, `pass_rate` the passes of what is in the mean (None where too little was measured),
    `verdicts` and `criterion_verdicts` how many pass, fail and are undecided.

    Without any noise known nobody is undecided: no query then, and where they are stored; else up to four.
    """
    mean = sums.headline[1]
    doubts = uncertainties_of(evaluation, scored=scored)
    counted = verdict_counts(evaluation, doubts, scored=scored) if doubts.known else sums.decision_counts
    overall = counted.overall(status=evaluation.status, score=mean, error=evaluation.error_message, titles=titles)
    return {
        "decision": {
            "outcome": overall.decision.value,
            "why": overall.why,
            "sentence": overall.sentence,
            "pass_mark": counted.mark,
            "blocked": dict(counted.blocked),
            "missing": counted.missing,
            "expected": counted.expected,
            "sparse": list(counted.sparse),
        },
        "pass_rate": counted.pass_rate,
        "verdicts": dict(counted.whole),
        "criterion_verdicts": {name: dict(counts) for name, counts in counted.criteria.items()},
    }


def criterion_documents(sums: Sums, verdicts: Mapping[str, Mapping[str, int]], titles: Titles) -> list[dict[str, Any]]:
    """Every criterion over an evaluation, as the API shows it: its mean with the interval, what was decided, counts."""
    return [
        {
            "criterion": criterion.criterion,
            "title": titles.get(criterion.criterion, criterion.criterion),
            "weight": criterion.weight,
            "pass_mark": criterion.pass_mark,
            "mean": criterion.mean,
            "interval": list(criterion.interval) if criterion.interval else None,
            "decision": criterion.decision.value,
            "pass_rate": criterion.pass_rate,
            "scored": criterion.scored,
            "unscored": criterion.unscored,
            "verdicts": {**_NO_VERDICTS, **verdicts.get(criterion.criterion, {})},
        }
        for criterion in criteria_of(sums)
    ]


def _cross_check(
    evaluation: Evaluation, fingerprint: str, scored: int, titles: Titles
) -> tuple[dict[str, Any] | None, list[ResultWarning]]:
    if "cross_check" not in evaluation.snapshot["llm_config"]:
        return None, []
    target = workflow_config(current_slug()).kappa_target
    agreement = cross_check_of(evaluation, fingerprint=fingerprint, scored=scored, target=target)
    warnings = cross_check_warnings(evaluation, agreement, target=target, titles=titles) if agreement else []
    return agreement, warnings

"""What a reader must know before believing a score, in sentences."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count

from apps.budgets.domain.sentences import SPENT_CODE, dollars
from apps.budgets.queries import Spent
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Evaluation, Judgement


def waits_for_money(evaluation_id: uuid.UUID) -> list[str]:
    """Which budgets are waited for, in sentences; empty when none is. One query."""
    waiting = Judgement.objects.filter(
        evaluation_id=evaluation_id, status=JudgementStatus.PENDING, error_code=SPENT_CODE
    )
    found = waiting.values_list("waiting_for").annotate(n=Count("*")).order_by("waiting_for")
    return [f"{_conversations(n)} not judged yet: {reason}" for reason, n in found]


def warnings_of(evaluation: Evaluation, counts: Mapping[str, int], spent: Spent, tally: Mapping[str, int]) -> list[str]:
    """What a reader must know before believing the score, in sentences."""
    warnings = []
    judge = evaluation.snapshot["llm_config"]["judge"]
    if judge["provider"] == "offline":
        warnings.append("offline rules, no model was asked")
        warnings += _without_rule(evaluation.snapshot["criteria"])
    warnings += evaluation.options.get("warnings", [])
    if judge["provider"] == "imported":
        warnings.append("scores from elsewhere: this judge was not asked here")
    if counts["parse_error"]:
        warnings.append(f"{_conversations(counts['parse_error'])} could not be parsed: review")
    if counts["model_error"]:
        warnings.append(f"{_conversations(counts['model_error'])} could not be judged: the model failed")
    if counts["not_judged"]:
        have = "has" if counts["not_judged"] == 1 else "have"
        warnings.append(f"{_conversations(counts['not_judged'])} failed, not by the agent, and {have} no score")
    if tally.get("agent_failed"):
        failed = _conversations(tally["agent_failed"])
        warnings.append(f"{failed} failed by the agent itself: no score makes up for that")
    if tally["nothing_to_score"]:
        warnings.append(f"{_conversations(tally['nothing_to_score'])} gave no criterion anything to score")
    if tally.get("own_scale"):
        warnings.append(
            f"{_conversations(tally['own_scale'])} scored on scales of their own, left out of the 0-10 mean"
        )
    if tally["by_fallback"]:
        allowed = evaluation.snapshot["parameters"].get("allow_fallback_in_mean")
        out = "counted in the mean" if allowed else "left out of the mean"
        warnings.append(f"{tally['by_fallback']} by the fallback model, {out}")
    if tally["fingerprints"] > 1:
        warnings.append(f"{tally['fingerprints']} different fingerprints: these scores come from different judges")
    if tally["late"]:
        warnings.append(f"{tally['late']} arrived after the watchdog had closed the evaluation")
    if spent.cached:
        warnings.append(f"{spent.cached} answers from cache, {dollars(spent.saved_usd)} saved: nobody was asked again")
    if spent.unpriced:
        warnings.append(f"{spent.unpriced} calls have no known price: the cost is a lower bound")
    return warnings


def _without_rule(criteria: Sequence[Mapping[str, Any]]) -> list[str]:
    """Criteria that the offline rules never score: they name no rule, or one that is not there."""
    from apps.offline.rules.judge import RULES  # noqa: PLC0415 - 0.15 s, and only where rules judged

    names = [str(one["name"]) for one in criteria if one.get("offline_rule") not in RULES]
    if not names:
        return []
    return [f"offline rules have no rule for: {', '.join(names)} (unscored; use a model, or name an offline rule)"]


def _conversations(n: int) -> str:
    return f"{n} conversation{'s' if n != 1 else ''}"

"""Warnings that a reader must know before believing a score."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count

from apps.budgets.domain.sentences import SPENT_CODE, dollars
from apps.budgets.queries import Spent
from apps.catalog.configs.queries.criterion_titles import NAMES, Titles
from apps.catalog.configs.queries.judges import OFFLINE
from apps.core.plurals import many
from apps.evaluations.domain.fallback_rule import by_fallback_sentence, fallback_counts
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.evaluations.figures.queries.aggregates import Sums
from apps.evaluations.figures.queries.decisions import DecisionCounts
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.domain.states import Kind, SimulatorVerdict
from apps.runs.models import Conversation


def budget_warnings(evaluation_id: uuid.UUID) -> list[ResultWarning]:
    """The budgets for which judgements wait; empty when there is none. One query."""
    waiting = Judgement.objects.filter(
        evaluation_id=evaluation_id, status=JudgementStatus.PENDING, error_code=SPENT_CODE
    )
    rows = waiting.values_list("waiting_for").annotate(n=Count("*")).order_by("waiting_for")
    return [
        ResultWarning(code=WarningCode.BUDGET_SPENT, text=f"{_conversations(n)} not judged yet: {reason}", count=n)
        for reason, n in rows
    ]


def customer_warnings(run_id: uuid.UUID) -> list[ResultWarning]:
    """Warn that no model looked at any simulated customer of the run, and no rule threw one out.

    What was scored may be a program that spoke as the business. Nothing of customers that rules played. One query.
    """
    battles = Conversation.objects.filter(run=run_id, kind=Kind.BATTLE).exclude(
        run__plan__simulator__provider=OFFLINE.provider
    )
    verdicts = dict(battles.values_list("simulator_verdict").annotate(n=Count("*")).order_by())
    n = verdicts.pop(SimulatorVerdict.UNMEASURED, 0)
    if not n or any(verdict for verdict in verdicts):
        return []
    text = (
        f"{many(n, 'simulated customer')} played, and no model looked whether one kept to its part: name a reviewer, "
        "or read some of the battles"
    )
    return [ResultWarning(code=WarningCode.CUSTOMERS_NOT_REVIEWED, text=text, count=n)]


def result_warnings(
    evaluation: Evaluation,
    counts: Mapping[str, int],
    spent: Spent,
    sums: Sums,
    *,
    titles: Titles = NAMES,
) -> list[ResultWarning]:
    """The warnings from the rows themselves: the judges, unjudged conversations, omissions from the mean, and the cost.

    `counts` are judgements by status, `sums` what the aggregates count besides, `titles` what sentences call
    criteria. No query.
    """
    return [
        *_about_the_judge(evaluation, titles),
        *_about_states(counts, sums.tally),
        *_about_lost_answers(sums.decision_counts, counts["scored"], titles),
        *_about_the_mean(evaluation, sums.tally, counts["scored"]),
        *_about_calls(spent),
    ]


def _about_the_judge(evaluation: Evaluation, titles: Titles) -> list[ResultWarning]:
    provider = evaluation.snapshot["llm_config"]["judge"]["provider"]
    warnings = []
    if provider == "offline":
        warnings.append(ResultWarning(code=WarningCode.OFFLINE_RULES, text="offline rules, no model was asked"))
        warnings += _without_rule(evaluation.snapshot["criteria"], titles)
    warnings += [ResultWarning.from_json(stored) for stored in evaluation.options.get("warnings", [])]
    if provider == "imported":
        text = "scores from elsewhere: this judge was not asked here"
        warnings.append(ResultWarning(code=WarningCode.IMPORTED_SCORES, text=text))
    return warnings


def _about_states(counts: Mapping[str, int], tally: Mapping[str, int]) -> list[ResultWarning]:
    have = "has" if counts["not_judged"] == 1 else "have"
    sentences = (
        (WarningCode.PARSE_ERRORS, counts["parse_error"], "could not be parsed: review"),
        (WarningCode.MODEL_ERRORS, counts["model_error"], "could not be judged: the model failed"),
        (WarningCode.NOT_JUDGED, counts["not_judged"], f"failed, not by the agent, and {have} no score"),
        (
            WarningCode.AGENT_FAILED,
            tally.get("agent_failed", 0),
            "failed by the agent itself: no score makes up for that",
        ),
        (WarningCode.NOTHING_TO_SCORE, tally["nothing_to_score"], "had nothing any criterion applies to"),
        (
            WarningCode.OWN_SCALE,
            tally.get("own_scale", 0),
            "scored on scales of their own, left out of the 0-10 mean"
            + ("" if tally.get("own_scale", 0) < counts["scored"] else ", so there is no weighted score"),
        ),
    )
    return [ResultWarning(code=code, text=f"{_conversations(n)} {text}", count=n) for code, n, text in sentences if n]


def _about_lost_answers(counted: DecisionCounts, scored: int, titles: Titles) -> list[ResultWarning]:
    why = "the judge's answer could not be used"
    lost = {
        name: f"{n:,} of {_conversations(scored)} lack {titles.get(name, name)}: {why}"
        for name, n in counted.lost.items()
    }
    return [
        ResultWarning(code=WarningCode.LOST_ANSWERS, text=text, count=counted.lost[name], names=[name])
        for name, text in lost.items()
    ]


def _about_the_mean(evaluation: Evaluation, tally: Mapping[str, int], scored: int) -> list[ResultWarning]:
    warnings = []
    if n := tally["by_fallback"]:
        counted = fallback_counts(evaluation.options, evaluation.snapshot)
        code = WarningCode.FALLBACK_IN_MEAN if counted else WarningCode.FALLBACK_LEFT_OUT
        text = by_fallback_sentence(evaluation.snapshot, n=n, scored=scored, counted=counted)
        warnings.append(ResultWarning(code=code, text=text, count=n))
    if (n := tally["fingerprints"]) > 1:
        text = f"{n} different fingerprints: these scores come from different judges"
        warnings.append(ResultWarning(code=WarningCode.SEVERAL_FINGERPRINTS, text=text, count=n))
    if n := tally["late"]:
        text = f"{n} arrived after the watchdog had closed the evaluation"
        warnings.append(ResultWarning(code=WarningCode.LATE, text=text, count=n))
    return warnings


def _about_calls(spent: Spent) -> list[ResultWarning]:
    warnings = []
    if n := spent.cached:
        text = f"{many(n, 'answer')} from cache, {dollars(spent.saved_usd)} saved: nobody was asked again"
        warnings.append(ResultWarning(code=WarningCode.FROM_CACHE, text=text, count=n))
    if n := spent.unpriced:
        calls = f"{n:,} of {spent.calls:,} calls have no known price"
        text = f"{calls}: the cost is {'a lower bound' if spent.known_usd else 'unknown'}"
        warnings.append(ResultWarning(code=WarningCode.UNPRICED, text=text, count=n))
    return warnings


def _without_rule(criteria: Sequence[Mapping[str, Any]], titles: Titles) -> list[ResultWarning]:
    """Criteria that the offline rules never score: they name no rule, or one that is not there."""
    from apps.offline.rules.judge import RULES  # noqa: PLC0415 - 0.15 s, and only where rules judged

    names = [str(criterion["name"]) for criterion in criteria if criterion.get("offline_rule") not in RULES]
    if not names:
        return []
    shown = ", ".join(titles.get(name, name) for name in names)
    text = f"offline rules have no rule for: {shown} (unscored; use a model, or name an offline rule)"
    return [ResultWarning(code=WarningCode.NO_OFFLINE_RULE, text=text, count=len(names), names=names)]


def _conversations(n: int) -> str:
    return f"{n} conversation{'s' if n != 1 else ''}"

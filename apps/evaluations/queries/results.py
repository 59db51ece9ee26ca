"""What an evaluation found: means, counts and warnings, computed by the database from the rows of its judgements."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from typing import Any

from django.db.models import Count
from django.utils import timezone

from apps.budgets.domain.sentences import SPENT_CODE, dollars
from apps.budgets.queries import Spent, spent_on_evaluation
from apps.catalog.domain.judging_rules import JudgingRules
from apps.core.digest import sha256_hex
from apps.core.errors import NotFound
from apps.evaluations.domain.doubt import Doubt
from apps.evaluations.domain.states import AnalysisStatus, JudgementStatus
from apps.evaluations.models import Analysis, Evaluation, Judgement
from apps.evaluations.queries.certificates import standing
from apps.evaluations.queries.doubts import Doubts, doubts_of, verdict_counts
from apps.evaluations.queries.judge_warnings import judge_warnings
from apps.evaluations.queries.second_opinions import cross_check_of, panel_effect
from apps.evaluations.queries.sums import Sums, sums_of
from apps.statistics.decision import Decision, decide, decide_evaluation
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

_NO_VERDICTS = {Decision.PASS.value: 0, Decision.FAIL.value: 0, Decision.UNDECIDED.value: 0}
Z_95 = 1.959963984540054  # two-sided 95 % of the normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """One criterion over an evaluation. Means are over scored judgements only; `interval` is 95 % of the mean, and
    `decision` the mean's against the pass mark (`unmeasurable` without a score, or without a mark on its scale)."""

    criterion: str
    weight: float
    pass_mark: float
    mean: float | None
    interval: tuple[float, float] | None
    scored: int
    unscored: int
    pass_rate: float | None
    decision: Decision


def find_evaluation(evaluation_id: uuid.UUID | str, *, related: tuple[str, ...] = ()) -> Evaluation:
    """The row, and with it the rows it points to that are named. Raises NotFound. One query."""
    rows = Evaluation.objects.select_related(*related) if related else Evaluation.objects.all()
    try:
        return rows.get(pk=uuid.UUID(str(evaluation_id)))
    except (ValueError, Evaluation.DoesNotExist):
        raise NotFound(f"There is no evaluation {evaluation_id}.") from None


def counts_of(evaluation_id: uuid.UUID) -> dict[str, int]:
    """Judgements by state, every state named. One query."""
    found = dict(
        Judgement.objects.filter(evaluation_id=evaluation_id).values_list("status").annotate(n=Count("*")).order_by()
    )
    return {state.value: found.get(state.value, 0) for state in JudgementStatus}


def evaluation_summary(evaluation_id: uuid.UUID | str, *, now: datetime | None = None) -> dict[str, Any]:
    """The body of GET /evaluations/{id}/: what was found, how far it is, and what to be careful about.

    The headline mean leaves out what a fallback model judged, unless the version allows it. `certificate` (None: nobody
    compared this judge with people) and `corrected` are those in force `now` (default: this moment). Ten queries
    whatever the size. Raises NotFound.
    """
    evaluation = find_evaluation(evaluation_id)
    snapshot = evaluation.snapshot
    counts = counts_of(evaluation.id)
    sums = sums_of(evaluation, scored=counts["scored"])
    scored, mean, deviation, _passed, fingerprint = sums.headline
    spent = spent_on_evaluation(evaluation.id)
    waits = _waits_for_money(evaluation.id) if counts["pending"] else []
    second = _cross_check(evaluation, fingerprint or "", counts["scored"])
    panel = panel_effect(evaluation, scored=counts["scored"])
    now = now or timezone.now()
    certified = standing(evaluation, fingerprint=fingerprint or "", scored=counts["scored"], now=now)
    verdicts = verdicts_of(evaluation, sums, counts["scored"])
    return {
        "id": str(evaluation.id),
        "test_run_id": str(evaluation.run_id),
        "evaluator_config": evaluation.config_ref,
        "status": evaluation.status,
        "subject": evaluation.subject,
        "triggered_by": evaluation.triggered_by,
        "run_analyzer": evaluation.run_analyzer,
        "analysis": _analysis(evaluation),
        "fingerprint": fingerprint or "",
        "snapshot_digest": sha256_hex(snapshot),
        "counts": counts,
        "weighted_score": mean,
        "interval": _interval(mean, deviation, scored),
        **verdicts,
        "criteria": criterion_documents(sums, verdicts["criterion_verdicts"]),
        "cross_check": {name: value for name, value in second.items() if name != "warnings"} if second else None,
        "cost_usd": float(spent.cost_usd),
        "tokens_used": spent.tokens,
        "model_calls": spent.calls,
        "from_cache": spent.cached,
        "saved_usd": float(spent.saved_usd),
        "blame": "budget" if waits else None,
        "criteria_snapshot": snapshot["criteria"],
        "judge": snapshot["llm_config"]["judge"],
        **certified,
        "warnings": [
            *waits,
            *judge_warnings(evaluation, sums.evidence),
            *_warnings(evaluation, counts, spent, sums.tally),
            *(second["warnings"] if second else []),
            *([panel.sentence(scored)] if panel.scores else []),
        ],
        "error_code": evaluation.error_code,
        "error_message": evaluation.error_message,
        "created_at": evaluation.created_at.isoformat(),
        "started_at": evaluation.started_at.isoformat() if evaluation.started_at else None,
        "ended_at": evaluation.ended_at.isoformat() if evaluation.ended_at else None,
    }


def verdicts_of(evaluation: Evaluation, sums: Sums, scored: int) -> dict[str, Any]:
    """What was decided: `decision` of the whole, the `pass_rate` as the judge said it, `verdicts` of the conversations
    and `criterion_verdicts`: how many pass, fail and are undecided.

    Without any noise known nobody is undecided: no query then, else up to four.
    """
    in_mean, mean, _, passed, _ = sums.headline
    doubts = doubts_of(evaluation, scored=scored)
    counted = verdict_counts(evaluation, doubts, scored=scored) if doubts.known else sums.counted
    overall = decide_evaluation(
        status=evaluation.status,
        score=mean,
        mark=counted.mark,
        blocked=counted.blocked,
        undecided=counted.unsure,
    )
    return {
        "decision": {
            "outcome": overall.decision.value,
            "why": overall.why,
            "sentence": overall.sentence,
            "pass_mark": counted.mark,
            "blocked": dict(counted.blocked),
        },
        "pass_rate": passed / in_mean if in_mean else None,
        "verdicts": dict(counted.whole),
        "criterion_verdicts": {name: dict(counts) for name, counts in counted.criteria.items()},
    }


def criterion_documents(sums: Sums, verdicts: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """Every criterion over an evaluation, as the API shows it: its mean with the interval, what was decided, counts."""
    return [
        {
            "criterion": one.criterion,
            "weight": one.weight,
            "pass_mark": one.pass_mark,
            "mean": one.mean,
            "interval": list(one.interval) if one.interval else None,
            "decision": one.decision.value,
            "pass_rate": one.pass_rate,
            "scored": one.scored,
            "unscored": one.unscored,
            "verdicts": {**_NO_VERDICTS, **verdicts.get(one.criterion, {})},
        }
        for one in criteria_of(sums)
    ]


def _analysis(evaluation: Evaluation) -> dict[str, Any] | None:
    """The analysis that was asked for with it: its id, state and number of findings. One query where it was."""
    if not evaluation.run_analyzer:
        return None
    row = Analysis.objects.filter(evaluation=evaluation, automatic=True).only("id", "status", "findings").first()
    if row is None:
        return {"id": None, "status": AnalysisStatus.PENDING.value, "findings": 0}
    return {"id": str(row.pk), "status": row.status, "findings": len(row.findings)}


def _cross_check(evaluation: Evaluation, fingerprint: str, scored: int) -> dict[str, Any] | None:
    if "cross_check" not in evaluation.snapshot["llm_config"]:
        return None
    target = workflow_config(current_slug()).kappa_target
    return cross_check_of(evaluation, fingerprint=fingerprint, scored=scored, target=target)


def criterion_results(evaluation_id: uuid.UUID) -> list[CriterionResult]:
    """Every criterion's mean, interval, pass rate and counts, in the version's order. Two queries, or six."""
    evaluation = find_evaluation(evaluation_id)
    return criteria_of(sums_of(evaluation, scored=counts_of(evaluation.id)["scored"]))


def criteria_of(sums: Sums) -> list[CriterionResult]:
    """The criteria of sums that were read already. No query."""
    found = []
    for name, _position, weight, mark, mean, deviation, scored, unscored, _bars in sums.criteria:
        counts = sums.decisions["criteria"].get(name)
        found.append(
            CriterionResult(
                criterion=name,
                weight=weight,
                pass_mark=mark,
                mean=mean,
                interval=_interval(mean, deviation, scored),
                scored=scored,
                unscored=unscored,
                pass_rate=counts["pass"] / scored if scored and counts else None,
                decision=decide(mean if counts else None, mark),
            )
        )
    return found


def judgement_document(judgement: Judgement, doubts: Doubts | None = None) -> dict[str, Any]:
    """One judgement as the API shows it; `scores` must be prefetched, `conversation` selected.

    `doubts` are those of its evaluation (`doubts_of`); without them a score is taken as it stands.
    """
    doubts = doubts or Doubts(rules=JudgingRules())
    scores = sorted(judgement.scores.all(), key=lambda score: score.position)
    whole = doubts.of_judgement(scores, blame=judgement.conversation.blame)
    return {
        "id": str(judgement.id),
        "conversation_id": judgement.conversation.external_id,
        "conversation": str(judgement.conversation_id),
        "language": judgement.conversation.language,
        "status": judgement.status,
        "weighted_score": judgement.weighted_score,
        **_doubt(whole),
        "blocked_by": list(whole.blockers) if whole else [],
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
                **_doubt(doubts.of_score(score)),
                "answers": score.answers,
                "standard_error": score.standard_error,
                "scale": score.scale,
                "weight": score.weight,
                "pass_mark": score.pass_mark,
                "reason": score.reason,
                "evidence": score.evidence,
                "opinions": score.opinions,
            }
            for score in scores
        ],
    }


def _doubt(found: Doubt | None) -> dict[str, Any]:
    """`verdict` pass, fail or undecided, and the interval it rests on (None: no noise of this judge is known)."""
    if found is None:
        return {"verdict": None, "interval": None}
    return {"verdict": found.decision.value, "interval": list(found.interval) if found.interval else None}


def judgements_of(evaluation_id: uuid.UUID) -> Any:
    """Judgements of an evaluation, ready for `judgement_document`. Two queries per page."""
    return (
        Judgement.objects.filter(evaluation_id=evaluation_id)
        .select_related("conversation")
        .prefetch_related("scores")
        .order_by("created_at", "id")
    )


def _waits_for_money(evaluation_id: uuid.UUID) -> list[str]:
    """Which budgets are waited for, in sentences; empty when none is. One query."""
    waiting = Judgement.objects.filter(
        evaluation_id=evaluation_id, status=JudgementStatus.PENDING, error_code=SPENT_CODE
    )
    found = waiting.values_list("waiting_for").annotate(n=Count("*")).order_by("waiting_for")
    return [f"{_conversations(n)} not judged yet: {reason}" for reason, n in found]


def _warnings(evaluation: Evaluation, counts: Mapping[str, int], spent: Spent, tally: Mapping[str, int]) -> list[str]:
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
    from apps.connectors.llms.offline_rules.judge import RULES  # noqa: PLC0415 - 0.15 s, and only where rules judged

    names = [str(one["name"]) for one in criteria if one.get("offline_rule") not in RULES]
    if not names:
        return []
    return [f"offline rules have no rule for: {', '.join(names)} (unscored; use a model, or name an offline rule)"]


def _interval(mean: float | None, deviation: float | None, n: int) -> tuple[float, float] | None:
    """Mean ± 1.96 standard errors, cut to the scale; None below two scores."""
    if mean is None or deviation is None or n < 2:
        return None
    margin = Z_95 * deviation / sqrt(n)
    return (max(0.0, mean - margin), min(10.0, mean + margin))


def _conversations(n: int) -> str:
    return f"{n} conversation{'s' if n != 1 else ''}"

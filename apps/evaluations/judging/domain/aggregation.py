"""Turn all answers about one criterion into one score: average repeats, hear a panel, demand evidence.

`opinions`, as a list of plain objects beside the score, keep who said what: {"purpose": "judge" | "panel" |
"cross_check", "provider", "model", "fingerprint", "score", "reason"}, with "error" where a judge gave no answer and
"left_out" where none was asked. The judge's own answers stand in it only where the score is more than one answer.
Cross-checks never change a score.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.catalog.configs.domain.judging_rules import JudgingRules, PanelRule
from apps.catalog.configs.domain.snapshots import CriterionSnapshot
from apps.evaluations.domain.evidence import EvidenceKind
from apps.evaluations.domain.panel import rule
from apps.evaluations.domain.parsing import CriterionReading, ParsedAnswer
from apps.evaluations.domain.states import JudgementStatus, UnscoredReason
from apps.statistics.paired import standard_deviation

MAX_REASON = 600  # characters of an opinion's reason that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionVerdict:
    """One criterion: a score of 0-10, or unscored with the reason why. `answers`, `standard_error` and `opinions` as in
    models.CriterionScore."""

    criterion: str
    weight: float
    pass_mark: float
    score: float | None = None
    unscored_reason: UnscoredReason | None = None
    reason: str = ""
    evidence: tuple[Mapping[str, Any], ...] = ()
    answers: int = 1
    standard_error: float | None = None
    opinions: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A usable answer. `complete`: every criterion asked for was answered, so it may be kept."""

    reading: Mapping[str, CriterionReading]
    provider: str
    model: str
    by_fallback: bool
    raw: str
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAnswered:
    """No usable answer, as a judgement's fields: parse_error with the raw text, or model_error. `passing`: the next
    time it may be answered."""

    status: JudgementStatus
    error_code: str
    error_message: str
    raw_reply: str = ""
    provider: str = ""
    model: str = ""
    passing: bool = True

    def fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """One model's answer with the fingerprint its scores carry."""

    purpose: Purpose
    fingerprint: str
    reply: Answered


Verify = Callable[[str], Mapping[str, Any]]


def aggregate(
    criterion: CriterionSnapshot, answers: Sequence[ModelAnswer], *, repeats: int, verify: Verify
) -> CriterionVerdict:
    """The judge's own verdict: the mean of its answers, with the mean's standard error.

    Reason and quotes are those of the answer nearest to the mean. `answers` are of one instrument.
    """
    readings = [
        (answer, answer.reply.reading[criterion.name]) for answer in answers if criterion.name in answer.reply.reading
    ]
    scored = [(answer, reading) for answer, reading in readings if reading.score is not None]
    if not scored:
        return _unscored(criterion, [reading for _, reading in readings], verify)
    scores = [float(reading.score or 0.0) for _, reading in scored]
    mean = scores[0] if len(scores) == 1 else fsum(scores) / len(scores)
    _, nearest = min(scored, key=lambda one: abs(float(one[1].score or 0.0) - mean))
    several = repeats > 1
    return CriterionVerdict(
        criterion=criterion.name,
        weight=criterion.weight,
        pass_mark=criterion.pass_mark,
        score=mean,
        reason=nearest.reason,
        evidence=tuple(verify(quote) for quote in nearest.evidence),
        answers=len(scores),
        standard_error=standard_deviation(scores) / sqrt(len(scores)) if len(scores) > 1 else None,
        opinions=tuple(_opinion(answer, reading) for answer, reading in readings) if several else (),
    )


def apply_panel(
    verdict: CriterionVerdict, own: ModelAnswer, panel: Sequence[ModelAnswer], *, by: PanelRule, verify: Verify
) -> CriterionVerdict:
    """The panel's score in place of the judge's where that is below its pass mark; everybody's opinion beside it."""
    if verdict.score is None or verdict.score >= verdict.pass_mark:
        return verdict
    panel_readings = [
        (answer, answer.reply.reading[verdict.criterion])
        for answer in panel
        if verdict.criterion in answer.reply.reading
    ]
    scores = [verdict.score, *(reading.score for _, reading in panel_readings if reading.score is not None)]
    panel_result = rule(scores, pass_mark=verdict.pass_mark, by=by)
    if panel_result is None:
        return verdict
    opinions = verdict.opinions or (_entry(own, score=verdict.score, reason=verdict.reason),)
    ruled = replace(
        verdict,
        score=panel_result.score,
        opinions=(*opinions, *(_opinion(answer, reading) for answer, reading in panel_readings)),
    )
    distances = [
        (abs(float(reading.score) - panel_result.score), reading)
        for _, reading in panel_readings
        if reading.score is not None
    ]
    distance, nearest = min(distances, key=lambda one: one[0])
    if distance < abs(verdict.score - panel_result.score):  # whoever is nearest to the ruling gives its reason
        return replace(ruled, reason=nearest.reason, evidence=tuple(verify(quote) for quote in nearest.evidence))
    return ruled


def with_cross_check(verdict: CriterionVerdict, other: ModelAnswer) -> CriterionVerdict:
    """The second judge's opinion beside the score, which it does not touch."""
    reading = other.reply.reading.get(verdict.criterion)
    if reading is None:
        return verdict
    return replace(verdict, opinions=(*verdict.opinions, _opinion(other, reading)))


def with_note(verdict: CriterionVerdict, purpose: Purpose, **note: Any) -> CriterionVerdict:
    """Note on the verdict that a judge gave no opinion, and why."""
    return replace(verdict, opinions=(*verdict.opinions, {"purpose": purpose.value, "score": None, **note}))


def require_evidence(verdict: CriterionVerdict, rules: JudgingRules) -> CriterionVerdict:
    """A score that is lower than the version lets stand without an exact quote becomes `unscored: no_evidence`."""
    if verdict.score is None or rules.evidence_below is None or verdict.score >= rules.evidence_below:
        return verdict
    if any(item["kind"] == EvidenceKind.EXACT for item in verdict.evidence):
        return verdict
    return replace(verdict, score=None, standard_error=None, unscored_reason=UnscoredReason.NO_EVIDENCE)


def error_of(failure: NotAnswered) -> str:
    return f"{failure.error_code}: {failure.error_message}"[:300]


def _unscored(criterion: CriterionSnapshot, readings: Sequence[CriterionReading], verify: Verify) -> CriterionVerdict:
    not_applicable = any(reading.answer is ParsedAnswer.NOT_APPLICABLE for reading in readings)
    first = readings[0] if readings else CriterionReading(answer=ParsedAnswer.MISSING)
    return CriterionVerdict(
        criterion=criterion.name,
        weight=criterion.weight,
        pass_mark=criterion.pass_mark,
        unscored_reason=UnscoredReason.NOT_APPLICABLE if not_applicable else UnscoredReason.MISSING,
        reason=first.reason,
        evidence=tuple(verify(quote) for quote in first.evidence),
    )


def _opinion(answer: ModelAnswer, reading: CriterionReading) -> dict[str, Any]:
    return _entry(answer, score=reading.score, reason=reading.reason)


def _entry(answer: ModelAnswer, *, score: float | None, reason: str) -> dict[str, Any]:
    return {
        "purpose": answer.purpose.value,
        "provider": answer.reply.provider,
        "model": answer.reply.model,
        "fingerprint": answer.fingerprint,
        "score": score,
        "reason": reason[:MAX_REASON],
    }

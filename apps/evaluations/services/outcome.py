"""What judging one conversation came to, as plain data on its way from the model to the database."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.budgets.services import LedgerCall
from apps.budgets.services.response_cache import Fresh
from apps.core.redaction import redact
from apps.evaluations.domain.states import JudgementStatus, ScoreStatus, UnscoredReason


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
class JudgementOutcome:
    """The end of one attempt at a judgement. With `wait_until` it is no end: the model limits us, or (not even `begun`)
    there is no money; try again then.

    `passing`: the error may be gone when it is tried again. `answers` are kept with it, so that what was paid for is
    not asked again; `from_cache` when nobody had to be asked, `reasked` when a reply could not be used as it was.
    """

    judgement_id: uuid.UUID
    evaluation_id: uuid.UUID
    status: JudgementStatus = JudgementStatus.PENDING
    scores: tuple[CriterionVerdict, ...] = ()
    weighted_score: float | None = None
    fingerprint: str = ""
    provider: str = ""
    model: str = ""
    by_fallback: bool = False
    latency: Mapping[str, Any] = field(default_factory=dict)
    raw_reply: str = ""
    error_code: str = ""
    error_message: str = ""
    passing: bool = False
    wait_until: datetime | None = None
    waiting_for: str = ""
    begun: bool = True
    calls: tuple[LedgerCall, ...] = ()
    from_cache: bool = False
    reasked: bool = False
    answers: tuple[Fresh, ...] = ()

    def as_row(self) -> dict[str, Any]:
        return {
            "id": str(self.judgement_id),
            "status": self.status.value,
            "weighted_score": self.weighted_score,
            "fingerprint": self.fingerprint,
            "provider": self.provider[:100],
            "model": self.model[:120],
            "by_fallback": self.by_fallback,
            "from_cache": self.from_cache,
            "latency": dict(self.latency),
            "raw_reply": redact(self.raw_reply),
            "error_code": self.error_code[:60],
            "error_message": redact(self.error_message),
            "passing": self.passing,
        }

    def score_rows(self) -> Iterator[dict[str, Any]]:
        """Rows of the scores. What a judge wrote or quoted is masked here, after its quotes were checked against the
        conversation: no phone stands in a reason, whether or not the tenant stores conversations masked."""
        for position, score in enumerate(self.scores):
            yield {
                "judgement_id": str(self.judgement_id),
                "criterion": score.criterion,
                "position": position,
                "status": (ScoreStatus.UNSCORED if score.score is None else ScoreStatus.SCORED).value,
                "unscored_reason": score.unscored_reason.value if score.unscored_reason else "",
                "score": score.score,
                "weight": score.weight,
                "pass_mark": score.pass_mark,
                "reason": redact(score.reason),
                "evidence": masked_evidence(score.evidence),
                "answers": score.answers,
                "standard_error": score.standard_error,
                "opinions": [{**one, "reason": redact(str(one.get("reason") or ""))} for one in score.opinions],
            }

    def as_wait(self) -> dict[str, Any]:
        return {
            "id": str(self.judgement_id),
            "not_before": self.wait_until.isoformat() if self.wait_until else None,
            "waiting_for": self.waiting_for[:200],
            "begun": self.begun,
            "error_code": self.error_code[:60],
        }


def masked_evidence(evidence: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Checked quotes with the floor over their words."""
    return [{**one, "quote": redact(str(one.get("quote") or ""))} for one in evidence]

"""One judgement with its criteria, evidence and opinions, as the API and the pages show it."""

import uuid
from typing import Any

from apps.catalog.configs.domain.judging_rules import JudgingRules
from apps.catalog.configs.queries.criterion_titles import NAMES, Titles
from apps.evaluations.figures.domain.uncertainty import Uncertainty
from apps.evaluations.figures.queries.uncertainty import Uncertainties
from apps.evaluations.models import CriterionScore, Judgement


def judgement_document(
    judgement: Judgement, doubts: Uncertainties | None = None, titles: Titles = NAMES
) -> dict[str, Any]:
    """One judgement as the API shows it; `scores` must be prefetched, `conversation` selected.

    `doubts` are those of its evaluation (`doubts_of`); without them a score is taken as it stands. `titles` are what
    people call its criteria.
    """
    doubts = doubts or Uncertainties(rules=JudgingRules())
    scores = sorted(judgement.scores.all(), key=lambda score: score.position)
    whole = doubts.of_judgement(scores, blame=judgement.conversation.blame)
    return {
        "id": str(judgement.id),
        "conversation_id": judgement.conversation.external_id,
        "conversation": str(judgement.conversation_id),
        "language": judgement.conversation.language,
        "status": judgement.status,
        "weighted_score": judgement.weighted_score,
        **_decision_fields(whole),
        "blocked_by": list(whole.blockers) if whole else [],
        "fingerprint": judgement.fingerprint,
        "provider": judgement.provider,
        "model": judgement.model,
        "by_fallback": judgement.by_fallback,
        "late": judgement.late,
        "latency": judgement.latency,
        "error_code": judgement.error_code,
        "error_message": judgement.error_message,
        "raw_reply": judgement.raw_reply,
        "judged_at": judgement.judged_at.isoformat() if judgement.judged_at else None,
        "criteria": [_score_document(score, doubts, titles) for score in scores],
    }


def _score_document(score: CriterionScore, doubts: Uncertainties, titles: Titles) -> dict[str, Any]:
    return {
        "criterion": score.criterion,
        "title": titles.get(score.criterion, score.criterion),
        "status": score.status,
        "unscored_reason": score.unscored_reason or None,
        "score": score.score,
        **_decision_fields(doubts.of_score(score)),
        "answers": score.answers,
        "standard_error": score.standard_error,
        "scale": score.scale,
        "weight": score.weight,
        "pass_mark": score.pass_mark,
        "reason": score.reason,
        "evidence": score.evidence,
        "opinions": score.opinions,
    }


def _decision_fields(uncertainty: Uncertainty | None) -> dict[str, Any]:
    """Return the fields `verdict` and `interval` of a judgement.

    The verdict is pass, fail or undecided, and the interval is the one it rests on (None: no noise of this judge is
    known).
    """
    if uncertainty is None:
        return {"verdict": None, "interval": None}
    return {
        "verdict": uncertainty.decision.value,
        "interval": list(uncertainty.interval) if uncertainty.interval else None,
    }


def judgements_of(evaluation_id: uuid.UUID) -> Any:
    """Judgements of an evaluation, ready for `judgement_document`. Two queries per page."""
    return (
        Judgement.objects.filter(evaluation_id=evaluation_id)
        .select_related("conversation")
        .prefetch_related("scores")
        .order_by("created_at", "id")
    )

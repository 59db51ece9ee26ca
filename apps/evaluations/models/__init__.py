"""The room's tables."""

from apps.evaluations.models.judging import CriterionScore, Evaluation, Judgement, StoredFigure

__all__ = ["CriterionScore", "Evaluation", "Judgement", "StoredFigure"]

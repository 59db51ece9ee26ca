"""The room's tables."""

from apps.evaluations.models.judging import CriterionScore, Evaluation, Judgement

__all__ = ["CriterionScore", "Evaluation", "Judgement"]

"""The room's tables, a module per concern."""

from apps.evaluations.models.judging import CriterionScore, Evaluation, Judgement

__all__ = ["CriterionScore", "Evaluation", "Judgement"]

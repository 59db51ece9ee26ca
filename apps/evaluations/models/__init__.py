"""The room's tables, a module per concern."""

from apps.evaluations.models.analysis import Analysis
from apps.evaluations.models.answers import KeptAnswer
from apps.evaluations.models.calibration import (
    Calibration,
    Certificate,
    HumanLabel,
    LabellingItem,
    LabellingRound,
    Rater,
)
from apps.evaluations.models.judging import CriterionScore, Evaluation, Judgement

__all__ = [
    "Analysis",
    "Calibration",
    "Certificate",
    "CriterionScore",
    "Evaluation",
    "HumanLabel",
    "Judgement",
    "KeptAnswer",
    "LabellingItem",
    "LabellingRound",
    "Rater",
]

"""The tables of improvement, for the other rooms: each stands in the folder of its subject."""

from apps.improvement.analysis.models import Analysis
from apps.improvement.drafts.models import FixProposal, PromptDraft, Trial, TrialSide
from apps.improvement.failure_modes.models import FailureMode, ModeGrouping, ModeNote
from apps.improvement.holdout.models import FamilyMember, FamilyPart
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.playground.models import Playground, PlaygroundColumn
from apps.improvement.prompt_templates.models import PromptTemplate

__all__ = [
    "Analysis",
    "FailureMode",
    "FamilyMember",
    "FamilyPart",
    "FixProposal",
    "ModeGrouping",
    "ModeNote",
    "Optimization",
    "OptimizationDraft",
    "Playground",
    "PlaygroundColumn",
    "PromptDraft",
    "PromptTemplate",
    "Trial",
    "TrialSide",
]

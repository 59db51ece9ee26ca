"""What the workshop keeps: analyses of evaluations, drafts of prompts, trials of drafts, optimizations, playgrounds,
and the texts that ask its models."""

from apps.improvement.models.analyses import Analysis
from apps.improvement.models.drafts import FixProposal, PromptDraft
from apps.improvement.models.failure_modes import FailureMode, ModeGrouping, ModeNote
from apps.improvement.models.families import FamilyMember, FamilyPart
from apps.improvement.models.optimizations import Optimization, OptimizationDraft
from apps.improvement.models.playground import Playground, PlaygroundColumn
from apps.improvement.models.prompt_templates import PromptTemplate
from apps.improvement.models.trials import Trial, TrialSide

__all__ = [
    "Analysis", "FailureMode", "FamilyMember", "FamilyPart", "FixProposal", "ModeGrouping", "ModeNote", "Optimization",
    "OptimizationDraft", "Playground", "PlaygroundColumn", "PromptDraft", "PromptTemplate", "Trial", "TrialSide",
]  # fmt: skip

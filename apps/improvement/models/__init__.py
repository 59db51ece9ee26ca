"""What the workshop keeps: analyses of evaluations, drafts of prompts, trials of drafts."""

from apps.improvement.models.analyses import Analysis
from apps.improvement.models.drafts import FixProposal, PromptDraft
from apps.improvement.models.trials import FamilyPart, Trial, TrialSide

__all__ = ["Analysis", "FamilyPart", "FixProposal", "PromptDraft", "Trial", "TrialSide"]

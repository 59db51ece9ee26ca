"""The earlier versions of a prompt, and its round of optimization."""

import uuid

from django.db.models import Exists, OuterRef, QuerySet

from apps.catalog.models import PromptLine, PromptVersion
from apps.improvement.domain.optimization_states import OptimizationStatus
from apps.improvement.drafts.domain.rounds import RoundOfDraft, next_round
from apps.improvement.drafts.domain.states import DraftOrigin, DraftStatus
from apps.improvement.drafts.domain.trial_states import TrialStatus
from apps.improvement.drafts.models import PromptDraft, Trial


def earlier_versions(line: PromptLine) -> QuerySet[PromptVersion]:
    """Return every text that was live before, or was recorded as the prompt.

    They are all versions of the name but the live one and drafts that nobody released. A draft with such words would
    take the line back.
    """
    drafted = PromptDraft.objects.filter(version=OuterRef("pk"))
    released = drafted.filter(status=DraftStatus.RELEASED)
    rows = PromptVersion.objects.filter(name=line.name).exclude(pk=line.live_id)
    return rows.filter(Exists(released) | ~Exists(drafted))


def round_of_new_draft(base_id: uuid.UUID) -> int:
    """Return the round that a new draft against this version belongs to. One query.
    Trials of hand-written drafts end no round, nor do those of an optimization that was cancelled."""
    decided = Trial.objects.filter(draft=OuterRef("pk"), status=TrialStatus.COMPLETED)
    placed = PromptDraft.objects.filter(pk=OuterRef("pk"))
    cancelled = placed.filter(places__optimization__status=OptimizationStatus.CANCELLED)
    others = placed.filter(places__optimization__status__in=set(OptimizationStatus) - {OptimizationStatus.CANCELLED})
    tried = Exists(decided) & (~Exists(cancelled) | Exists(others))
    rows = PromptDraft.objects.filter(base=base_id).exclude(version=None).annotate(tried=tried)
    rounds = rows.values_list("optimization_round", "tried", "origin")
    return next_round(
        RoundOfDraft(number=number, tried=tried and origin != DraftOrigin.OWN) for number, tried, origin in rounds
    )

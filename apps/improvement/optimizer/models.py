"""Optimizations: from an evaluation that disappoints to drafts that were tried, and the one that helped most."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.models.judging import Evaluation
from apps.improvement.analysis.models import Analysis
from apps.improvement.domain.optimization_states import DraftPlace, LeftOut, OptimizationOutcome, OptimizationStatus
from apps.improvement.drafts.models import FixProposal, PromptDraft, Trial


class Optimization(Row):
    """One round against one prompt version. What is asked for is frozen here; how far it is, is told by its rows.

    `base` was live when it was requested. `mode` names a module of `improvement.modes`. `trial_choices` are those of a
    trial (evaluator config, agent, personas, repeats, seed), `further_configs` judge the same conversations beside.
    `templates` are the texts that ask its models, by purpose. `search` is the plan of a mode that searches, with the
    trials that answered it ({"train", "selection", "trials": {"<draft>|<families>": id}, "steps", "most_plays"});
    `searched_at` says that it is over.
    `proof` is the trial of one draft on the hold-out, which a person asked for, or `prove` from the beginning.
    """

    evaluation: Any = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="+")
    line: Any = models.ForeignKey(PromptLine, on_delete=models.PROTECT, related_name="+")
    base: Any = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    mode = models.CharField(max_length=20)
    wanted = models.PositiveSmallIntegerField()
    round = models.PositiveSmallIntegerField(default=1)
    trial_choices = models.JSONField(default=dict)
    further_configs = models.JSONField(default=list, blank=True)
    templates = models.JSONField(default=dict, blank=True, db_default={})
    prove = models.BooleanField(default=False)
    override_reason = models.TextField(blank=True, default="")
    budget_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    forecast = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=20, choices=choices(OptimizationStatus), default=OptimizationStatus.PENDING)
    outcome = models.CharField(max_length=20, choices=choices(OptimizationOutcome), blank=True, default="")
    sentence = models.TextField(blank=True, default="")
    analysis: Any = models.OneToOneField(Analysis, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField(null=True, blank=True)
    search = models.JSONField(default=dict, blank=True, db_default={})
    searched_at = models.DateTimeField(null=True, blank=True)
    combined_at = models.DateTimeField(null=True, blank=True)
    proof: Any = models.OneToOneField(Trial, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    requested_by = models.CharField(max_length=150, blank=True, default="")
    waiting_for = models.CharField(max_length=200, blank=True, default="")
    error_message = models.TextField(blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["line"], name="one_open_optimization_per_line", condition=Q(status__in=["pending", "running"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.mode} optimization of {self.line_id}"

    @property
    def budget_name(self) -> str:
        """The name under which everything that it spends is counted."""
        return f"optimization {self.pk}"


class OptimizationDraft(models.Model):
    """One draft of an optimization, in the order they are tried. It is asked for (`proposal`), written (`draft`), and
    tried once (`trial`); `left_out` says why it is not. A row with none of the four waits for its mode.

    `findings` are the numbers of the findings that it answers, from 1.
    """

    id = models.BigAutoField(primary_key=True)
    optimization: Any = models.ForeignKey(Optimization, on_delete=models.PROTECT, related_name="drafts", db_index=False)
    position = models.PositiveSmallIntegerField()
    place = models.CharField(max_length=10, choices=choices(DraftPlace), default=DraftPlace.FIX)
    findings = models.JSONField(default=list, blank=True)
    proposal: Any = models.OneToOneField(FixProposal, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    draft: Any = models.ForeignKey(PromptDraft, null=True, blank=True, on_delete=models.PROTECT, related_name="places")
    trial: Any = models.OneToOneField(Trial, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    left_out = models.CharField(max_length=20, choices=choices(LeftOut), blank=True, default="")
    left_out_why = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["optimization", "position"], name="one_draft_per_position"),
        ]

    def __str__(self) -> str:
        return f"draft {self.position} of {self.optimization_id}"

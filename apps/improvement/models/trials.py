"""Trials: a draft and the live prompt play the same scenarios, and one decision is made about them."""

from typing import Any

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.catalog.models import PromptVersion
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.models.judging import Evaluation
from apps.improvement.domain.family_parts import Part
from apps.improvement.domain.trial_states import SideName, TrialStatus
from apps.improvement.models.drafts import PromptDraft
from apps.runs.models import TestRun


class Trial(Row):
    """A draft against the live prompt, over the scenarios of one part. Everything that decides is frozen when it is
    requested: scenarios, personas, seed, judge and `block_points` (the tenant's regression_block_points of then).

    `personas` empty: each scenario with its own. `look` is the number of the look at hold-out set `set_number` that it
    spent, null where none was: before it decided, where its part spends none, and where it was cancelled before there
    was anything to see. `decision` is domain.acceptance.Acceptance as JSON; `lifted_blocks` are the criteria that a
    person let pass ([{"criterion", "reason", "by", "at"}]). `further_configs` judge the same conversations and decide
    nothing. `futility`: it ends early where the draft will not win; `interim_scored` conversations of the
    draft had scores when that was asked last. `budget_name` names whose budget pays, where that is
    not its own.
    """

    draft: Any = models.ForeignKey(PromptDraft, on_delete=models.PROTECT, related_name="trials")
    part = models.CharField(max_length=10, choices=choices(Part), default=Part.HOLD_OUT)
    set_number = models.PositiveSmallIntegerField(default=0)
    look = models.PositiveSmallIntegerField(null=True, blank=True)
    status = models.CharField(max_length=20, choices=choices(TrialStatus), default=TrialStatus.PENDING)
    agent = models.CharField(max_length=100)
    scenarios = models.JSONField()
    personas = models.JSONField(default=list, blank=True)
    repeats = models.PositiveSmallIntegerField(default=1)
    seed = models.PositiveIntegerField(default=0)
    evaluator_config = models.CharField(max_length=120)
    block_points = models.FloatField()
    further_configs = models.JSONField(default=list, blank=True, db_default=[])
    interim_scored = models.PositiveIntegerField(default=0, db_default=0)
    futility = models.BooleanField(default=False, db_default=False)
    budget_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    budget_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    forecast = models.JSONField(default=dict, blank=True)
    decision = models.JSONField(default=dict, blank=True)
    sentence = models.TextField(blank=True)
    lifted_blocks = models.JSONField(default=list, blank=True)
    requested_by = models.CharField(max_length=150, blank=True)
    waiting_for = models.CharField(max_length=200, blank=True)
    error_message = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["draft"], name="one_open_trial_per_draft", condition=Q(status__in=["pending", "running"])
            ),
            models.UniqueConstraint(
                fields=["set_number", "look"], name="a_look_is_spent_once", condition=Q(look__isnull=False)
            ),
            models.CheckConstraint(
                condition=Q(status="completed", decided_at__isnull=False)
                | (~Q(status="completed") & Q(decided_at__isnull=True)),
                name="a_completed_trial_has_decided",
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="trial_open", condition=Q(status__in=["pending", "running"])),
        ]
        triggers = [
            pgtrigger.Protect(
                name="trial_is_final",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(
                    "OLD.status IN ('completed', 'failed', 'cancelled') AND (NEW.status <> OLD.status"
                    " OR NEW.decision IS DISTINCT FROM OLD.decision OR NEW.look IS DISTINCT FROM OLD.look)"
                ),
            ),
            pgtrigger.Protect(name="trial_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.status} trial of {self.draft_id}"

    @property
    def lifted(self) -> list[str]:
        """The criteria that no longer block."""
        return [one["criterion"] for one in self.lifted_blocks]


class TrialSide(models.Model):
    """One prompt of a trial, its run and the evaluation of it. Both are made together with all other sides, once.
    Drafts of one optimization share the live side's (queries.shared_sides)."""

    id = models.BigAutoField(primary_key=True)
    trial = models.ForeignKey(Trial, on_delete=models.PROTECT, related_name="sides", db_index=False)
    side = models.CharField(max_length=10, choices=choices(SideName))
    prompt: Any = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    test_run: Any = models.ForeignKey(
        TestRun, null=True, blank=True, on_delete=models.PROTECT, related_name="trial_sides"
    )
    evaluation: Any = models.ForeignKey(
        Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="trial_sides"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["trial", "side"], name="one_row_per_side")]

    def __str__(self) -> str:
        return f"{self.side} of {self.trial_id}"

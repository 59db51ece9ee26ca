"""Drafts of prompts, and the questions to a model for one fix."""

from typing import Any

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.models.judging import Evaluation
from apps.improvement.drafts.domain.states import DraftMode, DraftOrigin, DraftStatus, ProposalStatus
from apps.improvement.drafts.domain.trial_states import SideName, TrialStatus
from apps.improvement.holdout.domain.parts import Part
from apps.jobs.models import LeasedRow
from apps.runs.models import TestRun


class PromptDraft(Row):
    """A prompt that may become live one day. It is played under its own `version`, never because it is the newest.

    `base` is the version that was live when the draft was written; `original` is the one that was live when the first
    draft of its line was.

    `version` is None where the guards refused the draft: then `refused_text` keeps its words. `refusals` is what the
    guards said ({"code", "sentence", "span", "stops"}); older rows have no `stops`, and each of their refusals did stop
    the draft.

    `analysis` and `finding_number`, from 1, say which finding the draft answers. A full draft answers all findings of
    its analysis and names no number. `hopes` is what a model says of its fix ({"lifts", "risks"}).

    `optimization_round` counts from 1 for each base (drafts.domain.rounds). `parts` says which sections of a combined
    draft come from which draft ([{"draft", "sections"}]).
    """

    line: Any = models.ForeignKey(PromptLine, on_delete=models.PROTECT, related_name="drafts")
    base: Any = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    original: Any = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    version: Any = models.ForeignKey(
        PromptVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="drafts"
    )
    refused_text = models.TextField(blank=True, default="", db_default="")
    digest = models.CharField(max_length=64)
    origin = models.CharField(max_length=20, choices=choices(DraftOrigin), default=DraftOrigin.OWN)
    mode = models.CharField(max_length=20, choices=choices(DraftMode), default=DraftMode.OWN)
    analysis: Any = models.ForeignKey(
        "improvement.Analysis", null=True, blank=True, on_delete=models.PROTECT, related_name="drafts"
    )
    finding_number = models.PositiveSmallIntegerField(null=True, blank=True)
    note = models.TextField(blank=True, default="", db_default="")
    hopes = models.JSONField(default=dict, blank=True, db_default={})
    parts = models.JSONField(default=list, blank=True, db_default=[])
    optimization_round = models.PositiveSmallIntegerField(default=1, db_default=1)
    status = models.CharField(max_length=20, choices=choices(DraftStatus), default=DraftStatus.PROPOSED)
    refusals = models.JSONField(default=list, blank=True, db_default=[])
    created_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    released_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    released_at = models.DateTimeField(null=True, blank=True)
    release_reason = models.TextField(blank=True, default="", db_default="")
    seen_live_at = models.DateTimeField(null=True, blank=True)
    rejected_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    rejected_at = models.DateTimeField(null=True, blank=True)
    reject_reason = models.TextField(blank=True, default="", db_default="")

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["base", "version"], name="one_draft_per_base_and_version"),
            models.CheckConstraint(
                condition=Q(status="refused", version__isnull=True) | ~Q(status="refused") & Q(version__isnull=False),
                name="only_a_refused_draft_has_no_version",
            ),
            models.CheckConstraint(
                condition=Q(finding_number__isnull=True) | Q(analysis__isnull=False),
                name="a_finding_has_its_analysis",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} draft of {self.line_id}"

    @property
    def text(self) -> str:
        """The words of it, refused or not."""
        return str(self.version.text) if self.version_id else self.refused_text

    @property
    def stop_reasons(self) -> list[dict[str, Any]]:
        """The reasons why guards refused the draft; [] for every other draft."""
        return [reason for reason in self.refusals if reason.get("stops", True)]

    @property
    def guard_warnings(self) -> list[dict[str, Any]]:
        """The guards' warnings for the person who reads the draft, without refusals."""
        return [reason for reason in self.refusals if not reason.get("stops", True)]


class FixProposal(LeasedRow, Row):
    """A question to a model for one surgical fix of one finding, or for one prompt that answers all of them (modes full
    and reflective, no `finding_number`), owed until it has ended. `draft` is what came of it; `proposer` is the model
    that is asked; `templates` are the texts that ask it, as they were when it was owed; `basis` of a reflective one
    says whose words it goes on from and which conversations are shown ({"parent", "after", "evaluation",
    "conversations"}); `budget_name` names whose budget pays, "" the analysed run's."""

    analysis: Any = models.ForeignKey("improvement.Analysis", on_delete=models.PROTECT, related_name="proposals")
    finding_number = models.PositiveSmallIntegerField(null=True, blank=True)
    mode = models.CharField(
        max_length=20, choices=choices(DraftMode), default=DraftMode.SURGICAL, db_default=DraftMode.SURGICAL
    )
    optimization_round = models.PositiveSmallIntegerField(default=1, db_default=1)
    budget_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    line: Any = models.ForeignKey(PromptLine, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=choices(ProposalStatus), default=ProposalStatus.PENDING)
    proposer = models.JSONField(default=dict, blank=True, db_default={})
    templates = models.JSONField(default=dict, blank=True, db_default={})
    basis = models.JSONField(default=dict, blank=True, db_default={})
    draft: Any = models.ForeignKey(PromptDraft, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    warnings = models.JSONField(default=list, blank=True, db_default=[])
    provider = models.CharField(max_length=100, blank=True, default="", db_default="")
    model = models.CharField(max_length=120, blank=True, default="", db_default="")
    error_message = models.TextField(blank=True, default="", db_default="")
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    requested_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["analysis", "finding_number"],
                name="one_open_proposal_per_finding",
                condition=Q(status="pending"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} proposal for finding {self.finding_number} of {self.analysis_id}"


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
        """The criteria whose block a person has lifted."""
        return [lifted_block["criterion"] for lifted_block in self.lifted_blocks]


class TrialSide(models.Model):
    """One prompt of a trial, its run and the evaluation of it. Both are made together with all other sides, once.
    Drafts of one optimization share the live side's (drafts.queries.shared_sides)."""

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

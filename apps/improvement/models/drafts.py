"""Drafts of prompts, and the questions to a model for one fix."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.improvement.domain.drafts import DraftMode, DraftOrigin, DraftStatus, ProposalStatus
from apps.jobs.models import LeasedRow


class PromptDraft(Row):
    """A prompt that may become live one day. It is played under its own `version`, never because it is the newest.

    `base` was live when it was drafted, `original` when the first draft of its line was. `version` is None where it was
    refused: then `refused_text` keeps the words. `refusals` is what guards said ({"code", "sentence", "span", "stops"};
    rows of before have no `stops`, and each of theirs did). `analysis` and `finding_number`, from 1, say which finding
    it answers. `hopes` is what a model says of its fix ({"lifts", "risks"}). A full one answers all findings of its
    analysis and names no number. `optimization_round` counts from 1 for each base (domain.optimization_rounds). `parts`
    says of a combined one whose words stand where ([{"draft", "sections"}]).
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
        """Why guards refused it; [] for every other one."""
        return [reason for reason in self.refusals if reason.get("stops", True)]

    @property
    def guard_warnings(self) -> list[dict[str, Any]]:
        """What guards told the person who reads it, and did not refuse."""
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
                fields=["analysis", "finding_number"], name="one_open_proposal_per_finding",
                condition=Q(status="pending"),
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.status} proposal for finding {self.finding_number} of {self.analysis_id}"

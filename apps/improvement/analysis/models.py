"""The analyzer's findings about an evaluation."""

from django.db import models
from django.db.models import Q, Value

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.domain.states import AnalysisStatus
from apps.evaluations.models.judging import Evaluation
from apps.jobs.models import LeasedRow


class Analysis(LeasedRow, Row):
    """One reading of an evaluation's failing conversations, owed until it has ended.

    `findings` is the list that `domain.analysis.Finding.as_json` gives, believable ones first; `read` and `failing` say
    how many of the failing conversations were shown. `note_codes` are those of `notes`, in the same order. `automatic`
    is the one that `run_analyzer` asked for. `train_only` reads no conversation of a family that is kept for choosing
    or for the proof; `budget_name` names whose budget pays, "" the run's. `templates` are the texts that ask it, by
    purpose, as they were when it began (queries.prompt_templates).
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="analyses", db_index=False)
    automatic = models.BooleanField(default=False)
    train_only = models.BooleanField(default=False, db_default=False)
    budget_name = models.CharField(max_length=200, blank=True, default="", db_default="")
    status = models.CharField(max_length=20, choices=choices(AnalysisStatus), default=AnalysisStatus.PENDING)
    analyzer = models.JSONField(default=dict)
    templates = models.JSONField(default=dict, blank=True, db_default={})
    findings = models.JSONField(default=list, blank=True)
    notes = models.JSONField(default=list, blank=True)
    note_codes = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    read = models.PositiveIntegerField(default=0)
    failing = models.PositiveIntegerField(default=0)
    parts = models.PositiveSmallIntegerField(default=0)
    provider = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=120, blank=True)
    error_message = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "analyses"
        constraints = [
            models.UniqueConstraint(fields=["evaluation"], name="one_automatic_analysis", condition=Q(automatic=True)),
        ]

    def __str__(self) -> str:
        return f"{self.status} analysis of {self.evaluation_id}"

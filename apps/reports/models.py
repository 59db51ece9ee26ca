"""Views that people keep by name, and summaries of reports that models write."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.domain.work_states import WorkStatus
from apps.jobs.models import LeasedRow
from apps.runs.models import TestRun


class SavedView(Row):
    """An address of this tenant's pages under a name: the list with its search, filters, order and open rows.

    A person's own, or shared with everybody of the tenant; what it shows is decided when it is opened, by the rights
    of whoever opens it.
    """

    user = models.CharField(max_length=150)
    name = models.CharField(max_length=80)
    path = models.CharField(max_length=300)
    query = models.TextField(blank=True)
    shared = models.BooleanField(default=False)

    class Meta:
        default_permissions = ()  # everybody's own
        constraints = [models.UniqueConstraint(fields=["user", "path", "name"], name="one_view_per_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path


class ReportSummary(LeasedRow, Row):
    """A question to a model: what a run's report says, in a few sentences. `writer` is the frozen model that is asked;
    `report_digest` that of the report it read; `left_out` counts sentences that the report does not bear."""

    run: Any = models.ForeignKey(TestRun, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=20, choices=choices(WorkStatus), default=WorkStatus.PENDING)
    writer = models.JSONField()
    report_digest = models.CharField(max_length=64, blank=True)
    sentences = models.JSONField(default=list)
    left_out = models.PositiveSmallIntegerField(default=0)
    model = models.CharField(max_length=120, blank=True)
    error_message = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    requested_by = models.CharField(max_length=150, blank=True)
    ended_at: Any = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()  # whoever may steer a run
        constraints = [
            models.UniqueConstraint(fields=["run"], name="one_open_summary", condition=Q(status="pending")),
        ]

    def __str__(self) -> str:
        return f"{self.status} summary of {self.run_id}"

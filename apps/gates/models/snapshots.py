"""Golden conversations of repositories that changed, for people to look at."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.gates.domain.snapshot_states import SnapshotStatus


class SnapshotReview(Row):
    """A golden conversation of somebody's repository that is new or has changed, and what a person said about it.

    Posted by the pytest plugin; the file in the repository decides, this row shows it and keeps who looked. `accepted`
    and `played` are turns of a conversation document, masked; `accepted` is null where there was none. `base_digest`
    and `digest` are the files' own. Final once a person answered.
    """

    status = models.CharField(max_length=12, choices=choices(SnapshotStatus), default=SnapshotStatus.PENDING)
    scenario = models.CharField(max_length=200)
    file = models.CharField(max_length=500)
    language = models.CharField(max_length=20, blank=True)
    agent = models.CharField(max_length=100, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    pull_request = models.CharField(max_length=200, blank=True)
    base_digest = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)
    accepted = models.JSONField(null=True, blank=True)
    played = models.JSONField()
    divergence = models.JSONField(default=dict)
    reviewed_by = models.CharField(max_length=150, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=2000, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scenario", "file", "base_digest", "digest"], name="one_review_of_a_changed_snapshot"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "superseded"], reviewed_by="", reviewed_at__isnull=True)
                | (Q(status__in=["accepted", "refused"], reviewed_at__isnull=False) & ~Q(reviewed_by="")),
                name="a_person_accepts_a_snapshot",
            ),
        ]
        indexes = [models.Index(fields=["status", "id"], name="snapshot_review_status")]
        triggers = [
            pgtrigger.Protect(
                name="snapshot_review_is_final",
                operation=pgtrigger.Update | pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status IN ('accepted', 'refused')"),
            ),
        ]

    def __str__(self) -> str:
        return f"snapshot of {self.scenario}: {self.status}"

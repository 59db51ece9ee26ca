"""The gate of a pull request: what was compared by which rule, and what it came to."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.models.judging import Evaluation
from apps.gates.domain.gate_states import GateKind, GateStatus
from apps.gates.domain.snapshot_states import SnapshotStatus
from apps.statistics.decision import Decision


class PullRequestGate(Row):
    """One question "may this pull request pass?", owed until both evaluations have ended, and final then.

    `policy` is the declared rule whole (domain.policy). `document` is the answer as the API shows it, less what only
    the row knows; `digest` is over what decided, and the same whenever the same rows are asked by the same rule.
    `waiting_for` says what is still to come. A gate with a `first_look` asks the same again where that one could not
    tell: its evaluations are repeats of the same cases, and count together with the first look's.
    """

    kind = models.CharField(max_length=10, choices=choices(GateKind))
    status = models.CharField(max_length=10, choices=choices(GateStatus), default=GateStatus.PENDING)
    agent = models.CharField(max_length=100)
    commit = models.CharField(max_length=64)
    base_commit = models.CharField(max_length=64, blank=True)
    pull_request = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=300, blank=True)
    candidate = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="+")
    baseline = models.ForeignKey(Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    first_look = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="second_look"
    )
    policy = models.JSONField()
    budget_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    requested_by = models.CharField(max_length=200, blank=True)
    decision = models.CharField(max_length=20, choices=choices(Decision), blank=True)
    why = models.CharField(max_length=40, blank=True)
    sentence = models.TextField(blank=True)
    document = models.JSONField(default=dict, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    waiting_for = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], name="gate_pending", condition=Q(status="pending")),
            models.Index(fields=["agent", "commit"], name="gate_of_commit"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="pending", decision="") | (Q(status="decided") & ~Q(decision="")),
                name="a_decided_gate_says_what",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="gate_is_final",
                operation=pgtrigger.Update | pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status = 'decided'"),
            ),
        ]

    def __str__(self) -> str:
        return f"gate of {self.agent} {self.commit[:12]}: {self.decision or self.status}"


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

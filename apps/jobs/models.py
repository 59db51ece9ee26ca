"""Rows that owe work, and the outbox."""

import uuid

from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.domain.delivery_states import DeliveryStatus
from apps.jobs.domain.interactive_states import InteractiveStatus


class LeasedRow(models.Model):
    """A row that owes work (apps.jobs.services.leases). Who works on it holds a lease: one that has expired means that
    the worker is gone, and the row is owed again. `not_before` and `waiting_for` say until when and why it waits."""

    lease_token = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    waiting_for = models.CharField(max_length=200, blank=True)

    class Meta:
        abstract = True


class OutboundDelivery(LeasedRow, Row):
    """One event to be told to one receiver, and how far that is. It names its subject and holds no text: the adapter of
    its kind finds the address and builds the body when it is sent (apps.jobs.services.outbound)."""

    kind = models.CharField(max_length=40)
    subject_id = models.UUIDField()
    event = models.CharField(max_length=60)
    status = models.CharField(max_length=20, choices=choices(DeliveryStatus), default=DeliveryStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    last_attempt_at = models.DateTimeField(null=True, blank=True)
    last_status = models.PositiveSmallIntegerField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()  # each kind has a list of its own
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject_id", "event"], name="one_delivery_per_event"),
        ]
        indexes = [models.Index(fields=["not_before"], name="delivery_due", condition=Q(status="pending"))]

    def __str__(self) -> str:
        return f"{self.kind} {self.event} of {self.subject_id}"

    @property
    def webhook_id(self) -> str:
        """The id on the wire: the same for every attempt."""
        return message_id(self.pk)


class InteractiveJob(LeasedRow, Row):
    """Work that a person asked for by a button and waits for on a page: a worker does it, the page shows `answer`.

    One row for each kind and subject: asking again begins it anew. What a kind does is its handler's
    (apps.jobs.services.interactive); `answer` grows with each step.
    """

    kind = models.CharField(max_length=40)
    subject_id = models.UUIDField()
    arguments = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=20, choices=choices(InteractiveStatus), default=InteractiveStatus.PENDING)
    answer = models.JSONField(default=dict, blank=True)
    error_message = models.TextField(blank=True)
    attempts = models.PositiveIntegerField(default=0)
    requested_by = models.CharField(max_length=150, blank=True)
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()  # it is seen on the page of its subject
        constraints = [models.UniqueConstraint(fields=["kind", "subject_id"], name="one_interactive_job")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject_id}"


class DismissedNeed(models.Model):
    """One thing on Home that a person has dismissed, as it stood then: `state` is what it was about, `count` how many.

    A person's own: what one has seen, another may still have to see. It is shown again when either is new
    (apps.jobs.domain.dismissals).
    """

    id = models.BigAutoField(primary_key=True)
    user = models.CharField(max_length=150)
    key = models.CharField(max_length=200)
    state = models.CharField(max_length=64)
    count = models.PositiveIntegerField(default=0)
    dismissed_at = models.DateTimeField()

    class Meta:
        default_permissions = ()  # everybody's own, on Home
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_dismissal_per_need")]

    def __str__(self) -> str:
        return f"{self.user}: {self.key}"


def message_id(delivery_id: uuid.UUID) -> str:
    """A delivery's id on the wire."""
    return f"msg_{delivery_id.hex}"

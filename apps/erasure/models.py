"""Requests to erase what a person said and what was written of them, and what came of each."""

from django.db import models
from django.db.models import Q

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.erasure.domain.erasure_states import ErasureStatus
from apps.jobs.models import LeasedRow


class Erasure(LeasedRow, Row):
    """One person's erasure. `subject` (domain.subject) and the `hits` of a dry run are encrypted, and gone once it is
    completed; `receipt` holds counts by place and no content (services.receipts)."""

    status = models.CharField(max_length=20, choices=choices(ErasureStatus), default=ErasureStatus.PENDING)
    subject = EncryptedTextField(blank=True)
    hits = EncryptedTextField(blank=True)
    dry_run = models.BooleanField(default=False)
    receipt = models.JSONField(default=dict, blank=True)
    requested_by = models.CharField(max_length=150, blank=True)
    requested_at = models.DateTimeField()
    erased_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_message = models.TextField(blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(status=ErasureStatus.COMPLETED) | Q(subject="", hits=""), name="completed_names_nobody"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} erasure of {self.requested_at:%Y-%m-%d %H:%M}"


class WordDeletion(models.Model):
    """Deletion of a conversation's words because its kind's time was over; its scores stayed."""

    conversation = models.OneToOneField(
        "runs.Conversation", on_delete=models.PROTECT, primary_key=True, related_name="word_deletion"
    )
    deleted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.conversation_id} on {self.deleted_at:%Y-%m-%d}"


class RetentionRound(models.Model):
    """Time of the next look for conversations that were kept long enough.

    It is one row, where the tenant keeps something for a time.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    due_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_retention_round")]

    def __str__(self) -> str:
        return f"due {self.due_at:%Y-%m-%d %H:%M}"

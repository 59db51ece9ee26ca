"""Keys of machine callers, answers kept for repeated requests, and callbacks owed."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.api.domain.states import CallbackStatus
from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row
from apps.core.states import choices


class _Key(Row):
    """What every key has. `last_used_at` is written at most once a minute."""

    name = models.CharField(max_length=100, blank=True, help_text="Who uses it, for people.")
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Refused from then on; empty: never.")
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True


class WebhookKey(_Key):
    """A Standard Webhooks secret: signs what is posted to us, and what we post back. Encrypted, shown once.

    Several may be live at the same time (rotation): we accept any of them and sign with all.
    """

    secret: Any = EncryptedTextField(editable=False)

    class Meta:
        verbose_name = "webhook key"

    def __str__(self) -> str:
        return self.name or f"webhook key {self.id}"


class ApiKey(_Key):
    """A bearer key, `rk_…`. Only its SHA-256 is stored: 256 random bits need no slow hash.

    `requests_per_minute` replaces the platform's own limit for this key.
    """

    prefix = models.CharField(max_length=12, editable=False, help_text="How it begins, to tell keys apart.")
    digest = models.CharField(max_length=64, editable=False)
    may_read = models.BooleanField(default=True)
    may_write = models.BooleanField(default=True)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = "API key"
        # not unique=True: that adds a second index for LIKE, which every fresh tenant would pay for
        constraints = [models.UniqueConstraint(fields=["digest"], name="one_key_per_digest")]

    def __str__(self) -> str:
        return self.name or f"{self.prefix}…"


class IdempotencyRecord(Row):
    """The answer to a request, kept for whoever sends it again. Written with what the request made, or not at all.

    `scope` is who asked and what for (principal, method, route): the same key elsewhere is another key.
    """

    scope = models.CharField(max_length=200)
    key = models.CharField(max_length=300)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "key"], name="one_answer_per_key")]
        indexes = [models.Index(fields=["expires_at"], name="idempotency_expiry")]

    def __str__(self) -> str:
        return f"{self.scope} {self.key}"


class Callback(Row):
    """One event to be told to one address, and how far that is. The id on the wire and the body never change."""

    evaluation = models.ForeignKey(  # found by the index of one_callback_per_event
        "evaluations.Evaluation", on_delete=models.PROTECT, related_name="callbacks", db_index=False
    )
    event = models.CharField(max_length=60)
    webhook_id = models.CharField(max_length=60)
    url = models.URLField(max_length=2000)
    body = models.TextField()
    status = models.CharField(max_length=20, choices=choices(CallbackStatus), default=CallbackStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField()
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    last_attempt_at = models.DateTimeField(null=True, blank=True)
    last_status = models.PositiveSmallIntegerField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "event"], name="one_callback_per_event"),
            models.UniqueConstraint(fields=["webhook_id"], name="one_callback_per_webhook_id"),
        ]
        indexes = [models.Index(fields=["not_before"], name="callback_owed", condition=Q(status="pending"))]

    def __str__(self) -> str:
        return f"{self.event} to {self.url}"

"""Keys of machine callers, answers kept for repeated requests, and callbacks."""

from typing import Any

from django.db import models

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row
from apps.evaluations.models import Evaluation
from apps.jobs.models import OutboundDelivery

CALLBACK = "callback"  # the kind of these deliveries


class _Key(Row):
    """Fields that every key has. `last_used_at` is written at most once a minute."""

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
    may_curate = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Change what the whole team uses: catalog, golden sessions, personas, prompts. Not for CI.",
    )
    may_admin = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Do what only an owner may: where agents and model providers are, erasing a person's words.",
    )
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


class _Callbacks(models.Manager["Callback"]):
    def get_queryset(self) -> models.QuerySet["Callback"]:
        address = Evaluation.objects.filter(pk=models.OuterRef("subject_id")).values("callback_url")[:1]
        return super().get_queryset().filter(kind=CALLBACK).annotate(url=models.Subquery(address))


class Callback(OutboundDelivery):
    """Deliveries to whoever asked for an evaluation: the event, and how far it is. `url` is read with the row."""

    objects = _Callbacks()  # type: ignore[misc] # the stubs call the base's manager a class variable

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return f"{self.event} of {self.subject_id}"

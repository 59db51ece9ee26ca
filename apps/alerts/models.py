"""Alerts, the channels by which people are told, and what was told."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.alerts.domain.conditions import Rule, Severity
from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow


class AlertChannel(Row):
    """Channel to which alerts go.

    `address` is encrypted (a Slack webhook's address is its secret), and so is `secret`, by which a webhook's message
    is signed. `shown` is what a page shows of the address. `broken`: why the last message failed.
    """

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=40)
    address = EncryptedTextField()
    secret = EncryptedTextField(blank=True)
    shown = models.CharField(max_length=200, blank=True)
    enabled = models.BooleanField(default=True)
    made_by = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="one_alert_channel_per_name")]

    def __str__(self) -> str:
        return self.name


class AlertRuleSetting(models.Model):
    """A rule that an owner switched off. A rule without a row is on."""

    rule = models.CharField(max_length=40, primary_key=True, choices=choices(Rule))
    enabled = models.BooleanField(default=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.rule} {'on' if self.enabled else 'off'}"


class Alert(Row):
    """Something that is or was wrong (domain.lifecycle). `times`: how often it came back within a day. `told_at` and
    `over_told_at`: when people were told of it, and of its end."""

    rule = models.CharField(max_length=40, choices=choices(Rule))
    key = models.CharField(max_length=200)
    severity = models.CharField(max_length=10, choices=choices(Severity))
    sentence = models.TextField()
    path = models.CharField(max_length=300, blank=True)
    opened_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True, blank=True)
    told_at = models.DateTimeField(null=True, blank=True)
    over_told_at = models.DateTimeField(null=True, blank=True)
    times = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "key"], name="one_open_alert_per_key", condition=Q(resolved_at__isnull=True)
            ),
        ]
        indexes = [models.Index(fields=["-opened_at"], name="alert_newest")]

    def __str__(self) -> str:
        return self.sentence


class AlertMessage(Row):
    """Alerts that were told together, to one channel; the outbox delivers it."""

    channel: Any = models.ForeignKey(AlertChannel, on_delete=models.CASCADE, related_name="messages")
    alerts: Any = models.ManyToManyField(Alert, related_name="messages")
    trial = models.BooleanField(default=False)
    origin = models.CharField(max_length=200, blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"message to {self.channel_id}"


class AlertRound(LeasedRow, Row):
    """The next look at the rules: one row a tenant, due at `not_before`. Made with the first channel."""

    status = models.CharField(max_length=20, default="pending")
    number = models.PositiveSmallIntegerField(default=1)
    origin = models.CharField(max_length=200, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["number"], name="one_alert_round")]

    def __str__(self) -> str:
        return f"look at {self.not_before}"

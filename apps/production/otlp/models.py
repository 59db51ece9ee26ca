"""A receiver of OTLP, to which our own work is sent."""

from typing import Any

from django.db import models
from django.utils import timezone

from apps.core.models import Row


class OtlpReceiver(Row):
    """A receiver of traces: a collector, a Phoenix, an MLflow.

    `connection` has its address and headers, and goes with it (by the trigger of migration 0013). What ends from
    `sends_since` on is sent while it is `enabled`; what is older than `enqueued_until` has its delivery. One is enabled
    at a time: a collector passes on to several.
    """

    name = models.CharField(max_length=100, unique=True)
    connection: Any = models.OneToOneField(
        "catalog.OutsideConnection", on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )
    enabled = models.BooleanField(default=True)
    sends_since = models.DateTimeField(default=timezone.now, editable=False)
    enqueued_until = models.DateTimeField(null=True, blank=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "OTLP receiver"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                models.Value(1), name="one_otlp_receiver_is_sent_to", condition=models.Q(enabled=True)
            )
        ]

    def __str__(self) -> str:
        return self.name

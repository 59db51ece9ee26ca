"""The ledger of model calls: every call that was paid for or tried, failed ones too."""

from django.db import models

from apps.budgets.domain.purpose import Purpose
from apps.core.models import Row
from apps.core.states import choices


class ModelCall(Row):
    """One metered call. Ids of what it was for are plain values: the meter knows no rooms above it.

    `requested_model` is what we asked for, `model` what answered. `cost_usd` is null when the price is unknown.
    `cached` marks an answer from our own store (costs nothing).
    """

    purpose = models.CharField(max_length=20, choices=choices(Purpose))
    provider = models.CharField(max_length=60)
    requested_model = models.CharField(max_length=120)
    model = models.CharField(max_length=120, blank=True)
    outcome = models.CharField(max_length=40)
    status = models.IntegerField(null=True)
    input_tokens = models.IntegerField(default=0)
    cached_tokens = models.IntegerField(default=0)
    output_tokens = models.IntegerField(default=0)
    reasoning_tokens = models.IntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    latency_ms = models.IntegerField(default=0)
    fallback = models.BooleanField(default=False)
    cached = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    request_id = models.CharField(max_length=200, blank=True)
    run_id = models.UUIDField(null=True)
    evaluation_id = models.UUIDField(null=True)
    conversation_id = models.UUIDField(null=True)

    class Meta:
        verbose_name = "model call"
        indexes = [
            models.Index(fields=["created_at"], name="model_call_created"),
            models.Index(fields=["evaluation_id"], name="model_call_evaluation"),
            models.Index(fields=["run_id"], name="model_call_run"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model or self.requested_model}: {self.outcome}"

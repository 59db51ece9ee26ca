"""The ledger of model calls, and the budgets they are counted for."""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.core.models import Row
from apps.core.states import choices


class ModelCall(Row):
    """One metered call. Ids of what it was for are plain values: the meter knows no rooms above it.

    The row is written before the call, as `open`, with what the call may cost at most (`estimate_usd`, null where
    nobody can say), and filled in after it. `holder` extends `expires_at` while it waits for the answer; a row whose
    worker was killed becomes `lost` when that time is over, and then counts as much as its estimate.

    `requested_model` is what we asked for, `model` what answered. `cost_usd` is null when the price is unknown.
    `cached` marks an answer from our own store: nobody was called, it costs nothing, and `saved_usd` is what it had
    cost the first time.
    """

    purpose = models.CharField(max_length=20, choices=choices(Purpose))
    provider = models.CharField(max_length=100)
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
    saved_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    error = models.TextField(blank=True)
    request_id = models.CharField(max_length=200, blank=True)
    run_id = models.UUIDField(null=True)
    evaluation_id = models.UUIDField(null=True)
    conversation_id = models.UUIDField(null=True)
    pull_request = models.CharField(max_length=200, blank=True, default="", db_default="")
    estimate_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    holder = models.UUIDField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "model call"
        indexes = [
            models.Index(fields=["expires_at"], name="model_call_open", condition=models.Q(expires_at__isnull=False)),
            models.Index(fields=["created_at"], name="model_call_created"),
            models.Index(
                fields=["created_at"],
                name="model_call_unpriced",
                condition=models.Q(cost_usd__isnull=True, outcome="ok", cached=False),
            ),
            models.Index(fields=["evaluation_id"], name="model_call_evaluation"),
            models.Index(fields=["run_id"], name="model_call_run"),
        ]

        # A row is opened before its call and filled in after it; one whose worker was lost is put right by an answer
        # that comes late after all. Nothing else ever changes.
        triggers = [
            pgtrigger.Protect(
                name="settled_is_final",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition("OLD.outcome NOT IN ('open', 'lost')"),
            ),
            pgtrigger.Protect(
                name="ledger_is_kept",
                operation=pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.outcome <> 'open'"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} by {self.model or self.requested_model}: {self.outcome}"


class Budget(models.Model):
    """The allowance of one scope, and the money spent of it. The id belongs to the scope (`Scope.id`).

    `limit_usd` is this scope's own; null means the tenant's setting counts. `declared_usd` is what whoever asks for the
    work declared: it may lower the limit and never raises it. `spent_usd` is the sum of the ledger, kept
    in the transactions that write the ledger and recounted by a tick. What is promised is never stored: it is the sum
    of the open reservations. `needed_usd` is what was refused when the budget stopped work (`stopped_at`).
    """

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.CharField(max_length=20, choices=choices(ScopeKind))
    name = models.CharField(max_length=200, blank=True)
    limit_usd = models.DecimalField(max_digits=14, decimal_places=4, null=True, blank=True)
    declared_usd = models.DecimalField(max_digits=14, decimal_places=4, null=True, blank=True)
    spent_usd = models.DecimalField(max_digits=16, decimal_places=8, default=0)
    needed_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    warned_at = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "budget"

    def __str__(self) -> str:
        return str(self.scope)

    @property
    def scope(self) -> Scope:
        """The plain form."""
        return Scope(ScopeKind(self.kind), str(self.name))


class Reservation(models.Model):
    """Money promised to one piece of work until `expires_at`: a worker that was killed holds nothing for ever.

    The id is the work's (a judgement, a conversation); `holder` is the worker that works; `budgets` are ids of Budget.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    holder = models.UUIDField()
    budgets = ArrayField(models.UUIDField())
    usd = models.DecimalField(max_digits=14, decimal_places=8)
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name = "reservation"

    def __str__(self) -> str:
        return f"{self.usd} USD until {self.expires_at:%H:%M:%S}"


class CachedResponse(models.Model):
    """One model's answer to one question about one conversation, its tighter repeat included.

    `key` is the SHA-256 of everything the answer hangs on (domain/cache_key.py). `body` is a checksum, a line break and
    JSON: whatever does not match its checksum is a miss. `cost_usd` is what the answer cost once: what a hit saves.
    """

    key = models.BinaryField(primary_key=True)
    body = models.TextField()
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField()

    class Meta:
        verbose_name = "kept answer"

    def __str__(self) -> str:
        return bytes(self.key).hex()

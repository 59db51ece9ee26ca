"""Spans of conversations that go on, and what was wrong with spans that came."""

from django.db import models
from django.db.models import Q

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row
from apps.core.states import choices
from apps.production.traces.domain.notices import NoticeKind


class TraceSpan(Row):
    """A call of a model, or a span that says which conversation its trace is of.

    Kept, encrypted, until its conversation is over (`forget_at`), so that turns come out the same in whatever order
    spans arrive. `taken_at` is empty while the call is not in its conversation yet."""

    trace_id = models.CharField(max_length=32)
    span_id = models.CharField(max_length=16)
    is_call = models.BooleanField()
    conversation_digest = models.CharField(max_length=64, blank=True)
    conversation = EncryptedTextField(blank=True)
    started_ns = models.BigIntegerField(default=0)
    ended_ns = models.BigIntegerField(default=0)
    body = EncryptedTextField(blank=True)
    not_before = models.DateTimeField()
    taken_at = models.DateTimeField(null=True, blank=True)
    forget_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["trace_id", "span_id"], name="one_trace_span")]
        indexes = [
            models.Index(fields=["not_before"], name="span_pending", condition=Q(is_call=True, taken_at__isnull=True)),
            models.Index(fields=["conversation_digest"], name="span_of_conversation"),
            models.Index(fields=["forget_at"], name="span_forgotten"),
        ]

    def __str__(self) -> str:
        return f"span {self.span_id}"


class TraceNotice(Row):
    """The faults of spans of one day: exporters show them to nobody, so the page does."""

    kind = models.CharField(max_length=20, choices=choices(NoticeKind))
    day = models.DateField()
    spans = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["kind", "day"], name="one_trace_notice_a_day")]

    def __str__(self) -> str:
        return f"{self.spans} spans: {self.kind}"

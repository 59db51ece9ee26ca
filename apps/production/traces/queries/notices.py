"""The faults of recent input: spans, and presses of WhatsApp."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Max, Sum

from apps.production.traces.domain.notices import REMEDIES, NoticeKind
from apps.production.traces.models import TraceNotice

DAYS = 7
_PRESSES = """
SELECT key, sum(value::int)::int FROM production_whatsapppost p, jsonb_each_text(p.outcome)
WHERE p.created_at >= %s GROUP BY 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeNotice:
    """Notice about model calls of the last DAYS: their number, what is wrong with them and what mends it."""

    spans: int
    what: str
    remedy: str
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PressCounts:
    """Counts of WhatsApp presses in the last DAYS.

    Some were stored, some came from somebody else than the customer, some are of an unknown conversation, and some
    words were dropped unread.
    """

    stored: int
    wrong_sender: int
    unknown_conversation: int
    dropped_unread: int

    @property
    def any(self) -> bool:
        return bool(self.stored or self.wrong_sender or self.unknown_conversation or self.dropped_unread)


def span_notices(*, now: datetime) -> Sequence[IntakeNotice]:
    """The most first. One query."""
    rows = TraceNotice.objects.filter(day__gt=now.date() - timedelta(days=DAYS)).values("kind")
    notices = rows.annotate(spans_sum=Sum("spans"), last=Max("last_at")).order_by("-spans_sum", "kind")
    return [
        IntakeNotice(spans=row["spans_sum"], what=what, remedy=remedy, last_at=row["last"])
        for row in notices
        for what, remedy in (REMEDIES[NoticeKind(row["kind"])],)
    ]


def press_counts(*, now: datetime) -> PressCounts:
    """Count the presses of the last DAYS. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_PRESSES, [now - timedelta(days=DAYS)])
        counts = dict(cursor.fetchall())
    return PressCounts(
        stored=counts.get("stored", 0) + counts.get("comment", 0),
        wrong_sender=counts.get("wrong_sender", 0),
        unknown_conversation=counts.get("unknown_conversation", 0),
        dropped_unread=counts.get("dropped_unread", 0),
    )

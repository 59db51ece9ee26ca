"""The weekly promotion: what customers did not like becomes candidates, once, and so does what surprised."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.models import new_id
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable
from apps.production.conversations.domain.promotion_states import RoundStatus, SignalKind
from apps.production.conversations.domain.ratings import Rating
from apps.production.conversations.models import Feedback, Promotion, PromotionRound
from apps.production.privacy.services.masking_for_tests import comment_of
from apps.production.promotion.domain.week import next_round
from apps.production.promotion.services.promoting import PromotedConversation, promote_conversation
from apps.production.sampling.domain.surprise import Surprise
from apps.production.sampling.models import SampledConversation
from apps.production.sampling.queries.surprising_conversations import surprising_conversations
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

WEEKLY = "the weekly promotion"
ROUNDS = LeasedTable(table="production_promotionround", lease=timedelta(minutes=10))

_ENQUEUE = """
INSERT INTO production_promotionround (id, created_at, status, not_before, waiting_for, since, outcome)
VALUES (%(id)s, %(now)s, 'pending', %(due)s, '', %(since)s, '{}') ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionReport:
    """The result of a promotion. `known` were candidates or tests already; `refused` say why they could not be.
    `surprising` is how many of the promoted ones surprised, and `more` how many others did, beyond what one takes."""

    promoted: Sequence[PromotedConversation]
    known: Sequence[PromotedConversation]
    refused: Sequence[dict[str, str]]
    surprising: int = 0
    more: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "promoted": [one.as_json() for one in self.promoted],
            "known": [one.slug for one in self.known],
            "refused": [dict(one) for one in self.refused],
            "surprising": self.surprising,
            "more_surprising": self.more,
        }


def promote_feedback(*, now: datetime, since: datetime | None = None, by: str = WEEKLY) -> PromotionReport:
    """Make candidates of conversations that customers disliked, or that surprised.

    The former got a thumbs-down from `since` on (None: since the last promotion), the latter are those of
    sampling.queries.surprising_conversations.

    Repeating it changes nothing: a conversation is promoted once, and a further thumbs-down of it is added to why it
    is here. One conversation that cannot be promoted stops no other. Some 20 queries each.
    """
    begins = since if since is not None else _last_promotion()
    report = _Promoting(by=by, now=now)
    for conversation_id, feedback in _negative(begins).items():
        answer = report.promote(conversation_id, feedback=[one.pk for one in feedback])
        if answer is not None and not answer.created:
            _add_signals(conversation_id, feedback)
    conversations = surprising_conversations(since=begins, now=now)
    surprising = [
        report.promote(conversation_id, surprise=surprise) for conversation_id, surprise in conversations.chosen
    ]
    return PromotionReport(
        promoted=report.promoted,
        known=report.known,
        refused=report.refused,
        surprising=sum(one is not None and one.created for one in surprising),
        more=conversations.more,
    )


class _Promoting:
    """One promotion on its way: what became of each conversation."""

    def __init__(self, *, by: str, now: datetime) -> None:
        self._by, self._now = by, now
        self.promoted, self.known = list[PromotedConversation](), list[PromotedConversation]()
        self.refused = list[dict[str, str]]()

    def promote(
        self, conversation_id: UUID, *, feedback: Sequence[UUID] = (), surprise: Surprise | None = None
    ) -> PromotedConversation | None:
        """Promote one conversation; return None where it cannot be promoted, which is noted and stops no other."""
        try:
            answer = promote_conversation(
                conversation_id=conversation_id, by=self._by, now=self._now, feedback=feedback, surprise=surprise
            )
        except Exception as error:  # of this conversation alone: the others are promoted
            fault = row_error(error)
            self.refused.append({"conversation": str(conversation_id), "code": fault.code, "sentence": fault.message})
            return None
        (self.promoted if answer.created else self.known).append(answer)
        return answer


def enqueue_round(*, now: datetime) -> bool:
    """Schedule the next weekly promotion, if there is none yet; return whether this call did.

    None is scheduled without feedback and sample, or where the tenant switched it off (`weekly_promotion`). At most six
    queries; safe to race.
    """
    if PromotionRound.objects.filter(status=RoundStatus.PENDING).exists():
        return False
    if not Feedback.objects.exists() and not SampledConversation.objects.exists():
        return False
    config = workflow_config(current_slug())
    if not config.weekly_promotion:
        return False
    due = next_round(now, zone=config.time_zone)
    with connection.cursor() as cursor:
        cursor.execute(_ENQUEUE, {"id": new_id(), "now": now, "due": due, "since": _last_promotion()})
        return bool(cursor.rowcount)


def pay_rounds(*, now: datetime) -> int:
    """Do the weekly promotion that is due, and schedule the next one; return how many were done.
    Safe to repeat and to race: if a worker dies, its lease ends, and its promotions are recognised."""
    token = new_id()
    claimed = ROUNDS.claim(token=token, limit=1, now=now)
    for (row_id,) in claimed:
        row = PromotionRound.objects.get(pk=row_id)
        report = promote_feedback(now=now, since=row.since)
        PromotionRound.objects.filter(lease_token=token).advance(
            row.pk,
            expected=RoundStatus.PENDING,
            to=RoundStatus.DONE,
            ended_at=now,
            lease_token=None,
            lease_expires_at=None,
            outcome={
                "promoted": len(report.promoted),
                "known": len(report.known),
                "surprising": report.surprising,
                "more_surprising": report.more,
                "refused": list(report.refused),
            },
        )
    if claimed:
        enqueue_round(now=now)
    return len(claimed)


def _last_promotion() -> datetime | None:
    """Return the time until which feedback was looked at; None: never."""
    last = PromotionRound.objects.filter(status=RoundStatus.DONE).order_by("-ended_at").first()
    return last.ended_at if last is not None else None


def _negative(since: datetime | None) -> dict[UUID, list[Feedback]]:
    rows = Feedback.objects.filter(rating=Rating.DOWN).order_by("created_at", "pk")
    if since is not None:
        rows = rows.filter(created_at__gte=since)  # when it came to us: what was given earlier may arrive later
    negative: dict[UUID, list[Feedback]] = {}
    for row in rows:
        negative.setdefault(row.conversation_id, []).append(row)
    return negative


def _add_signals(conversation_id: UUID, feedback: Iterable[Feedback]) -> None:
    """A further thumbs-down stands beside the first one. Two queries."""
    row = Promotion.objects.filter(conversation_id=conversation_id).first()
    if row is None:
        return
    there = {(signal["kind"], signal["at"]) for signal in row.signals}
    more = [
        {"kind": SignalKind.THUMBS_DOWN.value, "text": comment_of(one), "at": one.given_at.isoformat()}
        for one in feedback
        if (SignalKind.THUMBS_DOWN.value, one.given_at.isoformat()) not in there
    ]
    if more:
        Promotion.objects.filter(pk=row.pk, signals=row.signals).update(signals=[*row.signals, *more][:40])

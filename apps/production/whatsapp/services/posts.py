"""Working through what Meta posted: presses become feedback, replies to 💬 become comments, reports reach questions.

Rows come out the same in whatever order posts arrive and however often: a press counts once for each conversation and
rating, with the earliest moment it was pressed at; of the replies to one 💬 the earliest counts.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.core.events import EventType, log_event
from apps.core.models import new_id
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable
from apps.production.privacy.services.pseudonyms import Pseudonyms, pseudonyms
from apps.production.whatsapp.domain.payload import WebhookEvents, read_webhook
from apps.production.whatsapp.domain.states import PostStatus
from apps.production.whatsapp.models import PendingComment, WhatsAppContact, WhatsAppPost
from apps.production.whatsapp.services.feedback import (
    PressOutcome,
    SenderBook,
    take_change,
    take_press,
    take_reaction,
    take_text,
)
from apps.production.whatsapp.services.opt_outs import take_wish
from apps.production.whatsapp.services.question_reports import take_report

AT_ONCE = 50
KEPT = timedelta(hours=24)  # what cannot be worked through is forgotten then
HELD_BACK = timedelta(seconds=60)  # a reply that came before its 💬 is looked at once more
_WAITS = (PressOutcome.UNKNOWN_CONVERSATION, PressOutcome.NOT_YET)
_ONCE = (PressOutcome.STORED.value, PressOutcome.COMMENT.value, PressOutcome.WAITS_FOR_COMMENT.value)
POSTS = LeasedTable(
    table="production_whatsapppost",
    lease=timedelta(minutes=2),
    counter="attempts",
    select="SELECT id FROM claimed ORDER BY created_at, id",
)


def work_through_posts(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Handle one tenant's due posts; return whether more are due.
    Each in a transaction of its own, so that finished ones stay. Safe to repeat and to race."""
    while True:
        token = new_id()
        ids = [row[0] for row in POSTS.claim(token=token, limit=AT_ONCE, now=now())]
        keys = pseudonyms() if ids else None
        for id_ in ids:
            if keys is not None:
                _work_through(id_, token, keys, now())
        if len(ids) < AT_ONCE:
            return False
        if now() >= until:
            return True


def forget_old(*, now: datetime, keep_days: int) -> int:
    """Delete counts of posts, contacts and closed questions for a comment after their time.

    They are older than conversations are kept. A post that could not be worked through within a day is forgotten. Four
    statements.
    """
    old = now - timedelta(days=keep_days)
    stale = WhatsAppPost.objects.filter(status=PostStatus.PENDING, created_at__lt=now - 2 * KEPT)
    stale.update(status=PostStatus.FAILED, body="", outcome={"not_worked_through": 1})
    posts, _ = WhatsAppPost.objects.filter(created_at__lt=old).exclude(status=PostStatus.PENDING).delete()
    contacts, _ = WhatsAppContact.objects.filter(seen_at__lt=old).delete()
    comments, _ = PendingComment.objects.filter(closes_at__lt=old).delete()
    return posts + contacts + comments


def _work_through(id_: UUID, token: UUID, keys: Pseudonyms, now: datetime) -> None:
    try:
        with transaction.atomic():
            row = WhatsAppPost.objects.select_for_update().filter(pk=id_, lease_token=token).first()
            if row is None or row.status != PostStatus.PENDING:
                return
            counts, waits = _take(read_webhook(row.body.reveal()), keys, row.created_at, now)
            counts = _joined(row.outcome, counts)
            again = _next_look(row, counts, now) if waits else None
            if again is not None:
                why, outcome = "a conversation or a press that may still come", json.dumps(counts)
                POSTS.put_off(id=row.pk, token=token, until=again, why=why, counts=True, changes={"outcome": outcome})
                return
            _end(row, PostStatus.DONE, counts)
    except Exception as error:  # of this post alone: the others go on
        fault = row_error(error) if not isinstance(error, ValueError) else error
        with transaction.atomic():
            row = WhatsAppPost.objects.select_for_update().filter(pk=id_, lease_token=token).first()
            if row is not None:
                _end(row, PostStatus.FAILED, Counter({"not_readable": 1}))
        log_event(EventType.REQUEST_REFUSED, code="whatsapp_post", why=type(fault).__name__)


def _take(events: WebhookEvents, keys: Pseudonyms, came_at: datetime, now: datetime) -> tuple[Counter[str], bool]:
    """Handle everything in a post; return the outcomes, and whether some of it is worth another look."""
    book, counts, waits = SenderBook(keys, now), Counter[str](), False
    for contact in events.contacts:
        book.learn(contact)
    for wish in events.wishes:
        take_wish(keys=keys, sender=wish.sender, wanted=wish.wanted, now=now)
        counts["opt_out"] += 1
    outcomes = [take_press(press, keys=keys, book=book, now=now) for press in events.presses]
    last_look = now - came_at >= HELD_BACK
    outcomes += [take_text(text, keys=keys, book=book, now=now, last_look=last_look) for text in events.texts]
    outcomes += [take_reaction(reaction, keys=keys, book=book, now=now) for reaction in events.reactions]
    outcomes += [take_change(one, keys=keys, book=book, now=now, last_look=last_look) for one in events.changed]
    for outcome in outcomes:
        counts[outcome.value] += 1
        waits = waits or outcome in _WAITS
    for report in events.reports:
        counts["report" if take_report(report, keys=keys, now=now) else "other_report"] += 1
    counts["ignored"] += events.ignored
    return +counts, waits


def _joined(earlier: Mapping[str, int], counts: Counter[str]) -> Counter[str]:
    """The counts of both looks. This look met again what an earlier look had stored: it counts as stored, not as
    repeated."""
    own = Counter({one: earlier.get(one, 0) for one in _ONCE})
    joined = counts + own
    joined.subtract({PressOutcome.REPEATED.value: own.total()})
    return +joined


def _next_look(row: WhatsAppPost, counts: Counter[str], now: datetime) -> datetime | None:
    """Return when the post is looked at again.

    It is 20 s after it came, then at growing distances, for a day at most.
    """
    if not counts[PressOutcome.UNKNOWN_CONVERSATION.value]:
        came: datetime = row.created_at
        return came + HELD_BACK
    wait = min(timedelta(seconds=20 * 2 ** min(row.attempts, 10)), timedelta(hours=1))
    return now + wait if now + wait < row.created_at + KEPT else None


def _end(row: WhatsAppPost, status: PostStatus, counts: Counter[str]) -> None:
    WhatsAppPost.objects.filter(pk=row.pk).update(
        status=status, body="", outcome=dict(counts), lease_token=None, lease_expires_at=None, waiting_for=""
    )

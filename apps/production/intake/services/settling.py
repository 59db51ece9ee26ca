"""Conversations that never said that they are over: some time after their last turn they take no more."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.core.events import EventType, log_event
from apps.jobs.each_row import do_each, tell_failed
from apps.production.conversations.models import ProductionConversation
from apps.production.intake.services.conversations import hold_conversation, settle

AT_ONCE = 200  # of a tenant, before others have their turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Count of conversations that were settled; `more`: others are due."""

    conversations: int
    more: bool


def settle_due(*, now: datetime, limit: int = AT_ONCE) -> Settled:
    """Settle conversations whose last document is `settle_minutes` old.

    Those that must be deleted by now are settled too, however lately they had a turn. From then on nothing holds the
    names of their people. Each in a transaction of its own of some six statements; one that cannot be settled is told
    in the log, and ends none of the others. Safe to repeat and to race, with posts too: a document that comes first
    puts it off.
    """
    over = Q(settle_at__lte=now) | Q(keep_until__lte=now)
    rows = ProductionConversation.objects.filter(over, settled_at__isnull=True).order_by("settle_at", "pk")
    due = list(rows.values_list("pk", "id_digest")[: limit + 1])
    done = 0
    for pk, id_digest in due[:limit]:
        each = do_each([pk], partial(_settle, id_digest, over, now))
        tell_failed(EventType.CONVERSATION_NOT_SETTLED, each.errors)
        done += sum(each.results)
    if done:
        log_event(EventType.CONVERSATIONS_SETTLED, conversations=done)
    return Settled(conversations=done, more=done > 0 and len(due) > limit)


def _settle(id_digest: str, over: Q, now: datetime, ids: Collection[UUID]) -> bool:
    with transaction.atomic():
        hold_conversation(id_digest)
        row = (
            ProductionConversation.objects.select_related("conversation")
            .filter(over, pk__in=ids, settled_at__isnull=True)
            .first()
        )
        if row is None:
            return False
        settle(row, now=now)
    return True

"""Logs and files stand on machines: each does its part of an erasure, and ticks it off.

A node is a state folder. Every process that works with one (web, workers) says once a minute that it is there, and does
what its node still has to do (ratiba_eval.node_rounds). An erasure is completed when all live nodes have answered.
"""

import logging
import socket
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import Error, transaction

from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.erasure.domain.erasure_states import ErasureStatus
from apps.erasure.domain.receipt import Receipt, joined
from apps.erasure.domain.subject import subject_of
from apps.erasure.models import Erasure
from apps.erasure.queries.nodes import FORGOTTEN_AFTER, GONE_AFTER
from apps.erasure.services.files import erase_in_files, node_key
from apps.tenants.context import current_slug, in_public, in_tenant
from apps.tenants.models import Node, NodeErasure, Tenant

LEASE = timedelta(minutes=30)  # longer than reading every file takes


def note_node(*, now: datetime) -> str:
    """Say that this node is there; its key. Two statements; safe to repeat."""
    key, name = node_key(), f"{socket.gethostname()}:{settings.STATE_DIR}"
    with in_public():
        Node.objects.bulk_create(
            [Node(key=key, name=name[:300], seen_at=now)],
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=["name", "seen_at"],
        )
        Node.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()
    return key


def owe_to_nodes(erasure_id: UUID, *, answered: Collection[str], everywhere: bool, at: datetime, now: datetime) -> None:
    """Request its part of the erasure from each live node that has not `answered`, from `at` on.

    The nodes are those of this tenant's house. Three statements; safe to repeat.
    """
    tenant = current_slug()
    with in_public():
        row = Tenant.objects.get(slug=tenant)
        live = Node.objects.filter(seen_at__gte=now - GONE_AFTER).exclude(key__in=list(answered))
        parts = [
            NodeErasure(node=node, tenant=row, erasure_id=erasure_id, everywhere=everywhere, not_before=at)
            for node in live
        ]
        NodeErasure.objects.bulk_create(parts, ignore_conflicts=True)


def do_parts(*, now: Callable[[], datetime]) -> int:
    """Do this node's parts of erasures; return how many. Safe to repeat and to race.
    Reads all files of the node for each. If a process dies, its part is due again after half an hour."""
    key, done = note_node(now=now()), 0
    while part := _claim(key, now()):
        try:
            with in_tenant(part.tenant.slug):
                _erase_here(part)
        except (Error, RatibaError, OSError) as error:
            log_event(EventType.LOG, level=logging.WARNING, check="erasure on this node", why=type(error).__name__)
            continue
        with in_public():
            part.delete()
        done += 1
    return done


def _claim(key: str, now: datetime) -> NodeErasure | None:
    with in_public(), transaction.atomic():
        due = NodeErasure.objects.select_for_update(skip_locked=True, of=("self",)).select_related("tenant")
        part: NodeErasure | None = due.filter(node_id=key, not_before__lte=now).order_by("id").first()
        if part is not None:
            NodeErasure.objects.filter(pk=part.pk).update(not_before=now + LEASE)
    return part


def _erase_here(part: NodeErasure) -> None:
    row = Erasure.objects.filter(pk=part.erasure_id, status=ErasureStatus.ERASED).first()
    if row is None:  # it was completed without us: the receipt names this node as gone
        return
    receipt = Receipt(nodes=[str(part.node_id)])
    erase_in_files(subject_of(row.subject.reveal()), receipt, everywhere=part.everywhere, write=True)
    with transaction.atomic():
        held = Erasure.objects.select_for_update().get(pk=row.pk)
        Erasure.objects.filter(pk=row.pk).update(receipt=joined(held.receipt, receipt.as_json()))

"""Asking for an erasure, and doing what was asked: a row owes it, a worker does it, and looks once more later."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.catalog.fields import Secret
from apps.core.errors import Conflict, NotFound
from apps.core.models import new_id
from apps.erasure.domain.erasure_states import ErasureStatus
from apps.erasure.domain.receipt import Receipt, joined
from apps.erasure.domain.subject import DataSubject, ErasureRequest, subject_of
from apps.erasure.models import Erasure
from apps.erasure.queries.nodes import nodes_without
from apps.erasure.queries.receipts import receipt_document
from apps.erasure.services.erasing import erase_subject, find_subject
from apps.erasure.services.nodes import owe_to_nodes
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable

SECOND_LOOK = timedelta(minutes=15)  # longer than any lease: whoever had read the words before has ended by then
FOUND_FOR = timedelta(hours=24)  # a dry run's hits, then they go
MAX_ATTEMPTS = 3
ERASURES = LeasedTable(
    table="erasure_erasure",
    lease=timedelta(minutes=30),
    counter="attempts",
    pending="w.status IN ('pending', 'erased', 'found')",
    held="w.status IN ('pending', 'erased', 'found')",
)


def request_erasure(*, request: ErasureRequest, requested_by: str, now: datetime) -> Erasure:
    """Request an erasure. One statement."""
    return Erasure.objects.create(
        subject=request.subject.as_text(), dry_run=request.dry_run, requested_by=requested_by[:150], requested_at=now
    )


def confirm_erasure(*, erasure_id: UUID, requested_by: str, now: datetime) -> None:
    """Erase what a dry run found. Raises NotFound, and Conflict (`not_found_yet`) for one that shows nothing to erase.
    Safe to repeat."""
    fields: dict[str, Any] = {"dry_run": False, "hits": "", "receipt": {}, "requested_by": requested_by[:150]}
    claim: dict[str, Any] = {"attempts": 0, "not_before": None, "lease_token": None, "lease_expires_at": None}
    if not Erasure.objects.advance(
        erasure_id, expected=ErasureStatus.FOUND, to=ErasureStatus.PENDING, requested_at=now, **fields, **claim
    ):
        if not Erasure.objects.filter(pk=erasure_id).exists():
            raise NotFound(f"There is no erasure {erasure_id}.")
        raise Conflict("There is no dry run here that waits to be confirmed.", code="not_found_yet")


def erase_now(*, subject: DataSubject, requested_by: str, now: datetime) -> dict[str, Any]:
    """Erase at once, schedule the second look, and return the receipt."""
    receipt = erase_subject(subject=subject, now=now, everywhere=True).as_json()
    row = Erasure(
        subject=subject.as_text(),
        status=ErasureStatus.ERASED,
        requested_by=requested_by[:150],
        requested_at=now,
        erased_at=now,
        receipt=receipt,
        not_before=now + SECOND_LOOK,
    )
    row.save(force_insert=True)
    owe_to_nodes(row.pk, answered=receipt["nodes"], everywhere=True, at=now + SECOND_LOOK, now=now)
    return {"id": str(row.pk), **receipt_document(row, now=now)}


def pay_erasures(*, now: Callable[[], datetime]) -> bool:
    """Do one due erasure; return whether there was one. Safe to repeat and to race.
    If a worker dies, its lease ends and another one goes on with what is left."""
    token = new_id()
    for (row_id,) in ERASURES.claim(token=token, limit=1, now=now()):
        row = Erasure.objects.get(pk=row_id)
        try:
            _pay(row, token, now)
        except Exception as error:
            fault = row_error(error)
            if row.attempts >= MAX_ATTEMPTS:
                _end(row, token, ErasureStatus.FAILED, error_message=fault.message, subject="", hits="", ended_at=now())
                continue
            until = now() + timedelta(minutes=1)
            ERASURES.put_off(token=token, id=row_id, until=until, why=fault.message, counts=True)
        return True
    return False


def hits_of(row: Erasure) -> list[dict[str, str]]:
    """Return the places where a dry run found the words, with the text beside them."""
    text = row.hits.reveal() if isinstance(row.hits, Secret) else str(row.hits)
    return list(json.loads(text)) if text else []


def _pay(row: Erasure, token: UUID, now: Callable[[], datetime]) -> None:
    if row.status == ErasureStatus.FOUND:  # nobody confirmed it in time
        _end(row, token, ErasureStatus.COMPLETED, subject="", hits="", ended_at=now())
        return
    subject = subject_of(row.subject.reveal())
    if row.dry_run:
        _found(row, token, find_subject(subject=subject, everywhere=False), now())
        return
    answered = row.receipt.get("nodes", ())
    others = nodes_without(answered, now=now())
    if row.status == ErasureStatus.ERASED and others.live:  # theirs first: the words are forgotten at the end
        owe_to_nodes(row.pk, answered=answered, everywhere=False, at=now(), now=now())
        ERASURES.put_off(token=token, id=row.pk, until=now() + timedelta(minutes=1), why="")
        return
    erased = erase_subject(subject=subject, now=now(), everywhere=False)
    if row.status == ErasureStatus.ERASED:
        erased.nodes_gone = list(others.silent)
    receipt = erased.as_json()
    if row.status == ErasureStatus.PENDING:
        owe_to_nodes(row.pk, answered=receipt["nodes"], everywhere=False, at=now() + SECOND_LOOK, now=now())
        _end(
            row,
            token,
            ErasureStatus.ERASED,
            receipt=receipt,
            erased_at=now(),
            not_before=now() + SECOND_LOOK,
            attempts=0,
        )
        return
    whole = joined(row.receipt, receipt)
    _end(row, token, ErasureStatus.COMPLETED, receipt=whole, subject="", hits="", ended_at=now())


def _found(row: Erasure, token: UUID, receipt: Receipt, now: datetime) -> None:
    hits = json.dumps(receipt.hits, ensure_ascii=False)
    _end(row, token, ErasureStatus.FOUND, receipt=receipt.as_json(), hits=hits, not_before=now + FOUND_FOR, attempts=0)


def _end(row: Erasure, token: UUID, to: ErasureStatus, **fields: Any) -> None:
    with transaction.atomic():
        mine = Erasure.objects.filter(lease_token=token)
        mine.advance(row.pk, expected=row.status, to=to, lease_token=None, lease_expires_at=None, **fields)

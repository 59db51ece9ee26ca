"""One answer per key: the first request works, whoever sends it again gets its answer.

The record is written in the transaction of the work itself, so a crash leaves either both or neither: no lease, no
half-done request. Only what was accepted is kept; a refused request leaves nothing behind and its key stays free.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from apps.api.models import IdempotencyRecord
from apps.core.errors import BadInput, Conflict
from apps.tenants.context import current_schema

KEPT_FOR = timedelta(hours=24)
SWEPT_AT_ONCE = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A key that stands for one request: who asked and what for, the key, and the digest of what was sent."""

    scope: str
    key: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back: the HTTP status and the JSON body. `replayed`: it was given before."""

    status: int
    body: dict[str, Any]
    replayed: bool = False


def answer_before(*, claims: Sequence[Claim], now: datetime) -> Answer | None:
    """The answer these keys were given before, or None. One query a key. Raises BadInput `key_reused`."""
    found: Answer | None = None
    missing = []
    for claim in claims:
        row = IdempotencyRecord.objects.filter(scope=claim.scope, key=claim.key, expires_at__gt=now).first()
        if row is None:
            missing.append(claim)
            continue
        if row.request_digest != claim.digest:
            raise BadInput(
                "This key was used for another request: take a new key, or send the same body.", code="key_reused"
            )
        found = Answer(status=row.status, body=row.body, replayed=True)
    if found is not None:
        _keep(missing, found, now)  # the same request under a further key: that key is used up too
    return found


def answer_once(*, claims: Sequence[Claim], now: datetime, work: Callable[[], Answer]) -> Answer:
    """Do `work` and keep its answer under every key, all in one transaction; or give the answer kept before.

    While another request holds one of the keys: Conflict `in_progress` at once, nobody waits. Costs per key: a lock, a
    query and an insert. Safe to repeat and to race: that is what it is for.
    """
    with transaction.atomic():
        for claim in claims:
            if not _try_lock(claim):
                raise Conflict(
                    "The first request with this key is still being taken in; ask again in a moment.",
                    code="in_progress",
                    retry_after=1,
                )
        before = answer_before(claims=claims, now=now)
        if before is not None:
            return before
        answer = replace(work(), replayed=False)
        IdempotencyRecord.objects.filter(
            scope__in=[claim.scope for claim in claims], key__in=[claim.key for claim in claims], expires_at__lte=now
        ).delete()
        _keep(claims, answer, now)
    return answer


def sweep_answers(*, now: datetime) -> int:
    """Forget answers that are too old to be asked for again, some thousands at a time. Safe to repeat."""
    old = IdempotencyRecord.objects.filter(expires_at__lte=now).values("pk")[:SWEPT_AT_ONCE]
    return IdempotencyRecord.objects.filter(pk__in=old).delete()[0]


def _keep(claims: Sequence[Claim], answer: Answer, now: datetime) -> None:
    IdempotencyRecord.objects.bulk_create(
        [
            IdempotencyRecord(
                scope=claim.scope,
                key=claim.key,
                request_digest=claim.digest,
                status=answer.status,
                body=answer.body,
                expires_at=now + KEPT_FOR,
            )
            for claim in claims
        ],
        ignore_conflicts=answer.replayed,
    )


def _try_lock(claim: Claim) -> bool:
    """A lock that ends with the transaction. It is the database's, so the tenant is part of its number."""
    text = "\0".join((current_schema(), claim.scope, claim.key))
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        row: tuple[bool] = cursor.fetchone()
    return row[0]

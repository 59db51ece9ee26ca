"""One answer per key: the first request works, whoever sends it again gets its answer.

The record is written in the transaction of the work itself, so a crash leaves either both or neither: no lease, no
half-done request. Only what was accepted is kept; a refused request leaves nothing behind and its key stays free.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from apps.api.models import IdempotencyRecord
from apps.core.digest import sha256_hex
from apps.core.documents import Document, as_json
from apps.core.errors import BadInput, Conflict
from apps.tenants.context import current_schema

RETENTION = timedelta(hours=24)
SWEPT_AT_ONCE = 5000
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyClaim:
    """A key that stands for one request: who asked and what for, the key, and the digest of what was sent."""

    scope: str
    key: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResponse:
    """Response that goes back: the HTTP status and the JSON body. `replayed`: it was given before."""

    status: int
    body: dict[str, Any] | Document
    replayed: bool = False


def digest_of_request(method: str, path: str, body: Any) -> str:
    """Return the digest that two equal requests share; the order of members in the body does not matter."""
    return sha256_hex({"method": method, "path": path, "body": body})


def scope_of(principal: str, method: str, path: str) -> str:
    """An Idempotency-Key stands for one caller's requests to one address."""
    return f"{principal} {method} {path}"


def idempotency_key(header: str) -> str:
    """The key in the header, which may stand in quotes. Raises BadInput."""
    key = header.strip()
    key = key[1:-1] if len(key) > 2 and key[0] == key[-1] == '"' else key
    if not _KEY.fullmatch(key):
        raise BadInput("Idempotency-Key must be 1 to 255 visible ASCII characters.", code="bad_idempotency_key")
    return key


def run_once(
    *, claims: Sequence[IdempotencyClaim], now: datetime, work: Callable[[], StoredResponse]
) -> StoredResponse:
    """Do `work` and keep its answer under every key, all in one transaction; or give the answer kept before.

    While another request holds one of the keys: Conflict `in_progress` at once, nobody waits. For another request
    under a key: BadInput `key_reused`. Costs per key a lock and a query, and one insert for all. Safe to repeat and to
    race: that is what it is for.
    """
    with transaction.atomic():
        alone = all([_try_lock(claim) for claim in claims])
        before, missing = _stored_response(claims, now)
        if before is not None:
            if alone:
                _store_response(missing, before, now)  # the same request under a further key: that key is used up too
            return before
        if not alone:
            raise Conflict(
                "The first request with this key is still being taken in; ask again in a moment.",
                code="in_progress",
                retry_after=1,
            )
        answer = work()
        _store_response(claims, answer, now)
    return answer


def _stored_response(
    claims: Sequence[IdempotencyClaim], now: datetime
) -> tuple[StoredResponse | None, list[IdempotencyClaim]]:
    """The answer kept under any of the keys, and the keys that have none."""
    response: StoredResponse | None = None
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
        response = StoredResponse(status=row.status, body=row.body, replayed=True)
    return response, missing


def evict_cached(*, now: datetime) -> int:
    """Forget answers that are too old to be asked for again, some thousands at a time. Safe to repeat."""
    old = IdempotencyRecord.objects.filter(expires_at__lte=now).values("pk")[:SWEPT_AT_ONCE]
    return IdempotencyRecord.objects.filter(pk__in=old).delete()[0]


def _store_response(claims: Sequence[IdempotencyClaim], answer: StoredResponse, now: datetime) -> None:
    """One insert; a record that has expired under the same key is written over."""
    if not claims:
        return
    IdempotencyRecord.objects.bulk_create(
        [
            IdempotencyRecord(
                scope=claim.scope,
                key=claim.key,
                request_digest=claim.digest,
                status=answer.status,
                body=as_json(answer.body),
                expires_at=now + RETENTION,
            )
            for claim in claims
        ],
        update_conflicts=True,
        unique_fields=["scope", "key"],
        update_fields=["request_digest", "status", "body", "expires_at"],
    )


def _try_lock(claim: IdempotencyClaim) -> bool:
    """A lock that ends with the transaction. It is the database's, so the tenant is part of its number."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock_number(claim.scope, claim.key)])
        row: tuple[bool] = cursor.fetchone()
    return row[0]


def lock_number(scope: str, key: str) -> int:
    """The advisory lock that whoever works for this key holds until its transaction ends."""
    text = "\0".join((current_schema(), scope, key))
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:8], "big", signed=True)

"""Which keys open the door now."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Q

from apps.api.models import WebhookKey
from apps.tenants.context import current_schema

USE_NOTED_EVERY = timedelta(minutes=1)
KEPT_KEYS = 10_000
_seen: dict[tuple[str, str], "FoundKey"] = {}  # by schema and digest; never believed without STILL_OPENS

# The key that was seen is still there, still the same, open for this scope, and its use has been noted.
STILL_OPENS = """
SELECT 1 FROM api_apikey k WHERE k.digest = %(digest)s AND k.id = %(key)s::uuid AND k.{scope} AND k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > %(now)s::timestamptz) AND k.last_used_at >= %(used_since)s::timestamptz
  AND k.requests_per_minute IS NOT DISTINCT FROM %(limit)s::integer
"""
_FIND = """
SELECT id, name, prefix, may_read, may_write, requests_per_minute, expires_at, revoked_at, last_used_at
FROM api_apikey WHERE digest = %s
"""


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A bearer key as a request needs it, live or not; in the order of the query's columns."""

    id: uuid.UUID
    name: str
    prefix: str
    may_read: bool
    may_write: bool
    requests_per_minute: int | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def __str__(self) -> str:
        return self.name or f"{self.prefix}…"


def find_api_key(digest: str) -> FoundKey | None:
    """The key with this digest. Asked with every request: a revoked key is refused from the next one on. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [digest])
        row = cursor.fetchone()
    found = FoundKey(*row) if row else None
    if found is not None:
        if len(_seen) >= KEPT_KEYS:
            _seen.clear()
        _seen[current_schema(), digest] = found
    return found


def seen_api_key(digest: str) -> FoundKey | None:
    """The key as this process saw it last, which proves nothing: whoever uses it lets the database check it again, by
    `STILL_OPENS` in the statement that acts. No query."""
    return _seen.get((current_schema(), digest))


def as_seen(key: FoundKey, digest: str, now: datetime) -> dict[str, Any]:
    """The parameters of STILL_OPENS."""
    limit = None if key.requests_per_minute is None else str(key.requests_per_minute)
    return {"key": key.id, "digest": digest, "limit": limit, "now": now, "used_since": now - USE_NOTED_EVERY}


def live_webhook_keys(*, now: datetime) -> list[WebhookKey]:
    """Neither revoked nor expired, newest first. One query; reads secrets."""
    live = WebhookKey.objects.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True)
    return list(live.order_by("-created_at"))

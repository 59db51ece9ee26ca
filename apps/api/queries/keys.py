"""Find the keys that are valid now."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q, QuerySet

from apps.api.models import WebhookKey
from apps.catalog.fields import UnreadableSecret
from apps.tenants.domain.roles import KeyScope

USE_NOTED_EVERY = timedelta(minutes=1)

_FIND = """
SELECT id, name, prefix, may_read, may_write, may_curate, may_admin, requests_per_minute, expires_at,
       revoked_at, last_used_at
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
    may_curate: bool
    may_admin: bool
    requests_per_minute: int | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def __str__(self) -> str:
        return self.name or f"{self.prefix}…"

    @property
    def scopes(self) -> frozenset[KeyScope]:
        return frozenset(scope for scope in KeyScope if getattr(self, f"may_{scope}"))


def find_api_key(digest: str) -> FoundKey | None:
    """The key with this digest. Asked with every request: a revoked key is refused from the next one on. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [digest])
        row = cursor.fetchone()
    return FoundKey(*row) if row else None


def has_webhook_key(*, now: datetime) -> bool:
    """Tell whether there is a key that neither expired nor was revoked. One query; reads no secret."""
    return _live(now).exists()


def live_webhook_keys(*, now: datetime) -> list[WebhookKey]:
    """Neither revoked nor expired, newest first. One query; reads secrets.

    A key whose secret no field key opens is left out, so that it blocks no other. Raises EncryptionError where that
    leaves none of them.
    """
    keys = list(_live(now).order_by("-created_at"))
    readable = [key for key in keys if not isinstance(key.secret, UnreadableSecret)]
    if keys and not readable:
        keys[0].secret.reveal()
    return readable


def _live(now: datetime) -> QuerySet[WebhookKey]:
    return WebhookKey.objects.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True)

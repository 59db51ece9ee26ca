"""Making, revoking and noting the use of keys."""

import secrets
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from apps.api.domain import keys
from apps.api.models import ApiKey, WebhookKey
from apps.api.queries.keys import USE_NOTED_EVERY
from apps.connectors.signatures import new_secret
from apps.core.errors import BadInput, NotFound
from apps.core.events import EventType, log_event
from apps.tenants.domain.roles import CI_SCOPES, KeyScope


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key just made. `secret` is seen here and never again."""

    id: uuid.UUID
    secret: str


def add_webhook_key(*, name: str = "", expires_at: datetime | None = None) -> NewKey:
    """A new signing secret beside those there are (rotation: make one, move callers, revoke the old). One insert."""
    secret = new_secret()
    row = WebhookKey.objects.create(name=name[:100], secret=secret, expires_at=expires_at)
    log_event(EventType.KEY_ADDED, key=str(row.id), kind="webhook")
    return NewKey(id=row.id, secret=secret)


def add_api_key(
    *,
    name: str = "",
    scopes: Collection[str] = CI_SCOPES,
    expires_at: datetime | None = None,
    requests_per_minute: int | None = None,
) -> NewKey:
    """Create an API key; the default scopes are those of continuous integration.
    Raises BadInput for an unknown scope or none. One insert."""
    unknown = sorted(set(scopes) - set(KeyScope))
    if unknown or not scopes:
        raise BadInput(f"scopes are {', '.join(KeyScope)}, not {', '.join(unknown) or 'none'}", pointer="/scopes")
    secret = keys.api_key(secrets.token_urlsafe(32))
    row = ApiKey.objects.create(
        name=name[:100],
        prefix=keys.shown_prefix(secret),
        digest=keys.digest_of(secret),
        **{f"may_{scope}": scope in scopes for scope in KeyScope},
        expires_at=expires_at,
        requests_per_minute=requests_per_minute,
    )
    log_event(EventType.KEY_ADDED, key=str(row.id), kind="api")
    return NewKey(id=row.id, secret=secret)


def revoke_key(*, model: type[ApiKey] | type[WebhookKey], key_id: uuid.UUID, now: datetime) -> None:
    """Close this key for good. Raises NotFound. Safe to repeat: the first time counts."""
    rows = model.objects.filter(pk=key_id)
    if rows.filter(revoked_at__isnull=True).update(revoked_at=now):
        log_event(EventType.KEY_REVOKED, key=str(key_id))
    elif not rows.exists():
        raise NotFound(f"there is no key {key_id}")


def note_use(
    *, model: type[ApiKey] | type[WebhookKey], key_id: uuid.UUID, last_used_at: datetime | None, now: datetime
) -> None:
    """Remember that it was used; writes at most once a minute."""
    if last_used_at is None or last_used_at < now - USE_NOTED_EVERY:
        model.objects.filter(pk=key_id, last_used_at=last_used_at).update(last_used_at=now)

"""Who is asking, how often, and which of the two it is: then an answer, or None for the long way."""

from collections.abc import MutableMapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from apps.api.domain.keys import digest_of
from apps.api.queries.keys import seen_api_key
from apps.api.short.asked import Asked, read_asked
from apps.api.short.posting import take_post
from apps.api.short.sent import Sent
from apps.api.short.status import status
from apps.api.throttling import COUNTED, seconds_to_wait
from apps.core.errors import RatibaError
from apps.core.prepared import usable_connection
from apps.tenants.context import in_known_tenant
from apps.tenants.middleware import known_tenant


def answer(scope: MutableMapping[str, Any], body: bytes) -> Sent | None:
    """The whole request, in this thread; or None: nothing was done, and the long way takes it from the start.

    One statement, and no transaction of its own; a few more for a config that this process has not seen.
    """
    asked = read_asked(scope)
    tenant = known_tenant(asked.host.partition(":")[0]) if asked is not None else None
    scheme = _scheme(asked) if asked is not None else ""
    if asked is None or tenant is None or not scheme:
        return None
    try:
        if not usable_connection():
            return None
        with in_known_tenant(tenant):
            return _answer(replace(asked, scheme=scheme), scope, body)
    except (RatibaError, InterfaceError, OperationalError):  # what is wrong is said by the long way
        return None


def _answer(asked: Asked, scope: MutableMapping[str, Any], body: bytes) -> Sent | None:
    digest = digest_of(asked.key)
    key = seen_api_key(digest)
    if key is None:
        return None
    scope[COUNTED] = True
    if seconds_to_wait(f"key:{key.id}", key.requests_per_minute) is not None:
        return None
    now = timezone.now()
    if asked.id is None:
        return take_post(asked, key, digest, body, now)
    return status(asked, asked.id, key, digest, now)


def _scheme(asked: Asked) -> str:
    """How the caller reached us. Behind a proxy that ends TLS only https is served here, as the proxy's header says."""
    trusted = settings.SECURE_PROXY_SSL_HEADER
    if trusted is None:
        return "" if settings.SECURE_SSL_REDIRECT else asked.scheme
    header = trusted[0].removeprefix("HTTP_").replace("_", "-").lower()
    return "https" if asked.headers.get(header) == trusted[1] else ""

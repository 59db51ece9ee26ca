"""Access tokens for Vertex, made by google-auth in a thread (its refresh blocks) and kept until shortly before expiry.

A tenant's key names the address its token is asked from, so that address is not trusted: only Google's own token
endpoints (or loopback, where the guard allows it) are asked, through the guarded client. Only service account keys are
taken from a tenant: other credential kinds can name files and programs of this machine. The machine's own credentials
are its operator's and use google-auth's own transport.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from apps.connectors.addresses import literal_address
from apps.connectors.errors import AddressRefused, ConnectorError, RemoteFailure, RemoteRefusal, Unreachable
from apps.connectors.llms.google_transport import GuardedRequest
from apps.core.digest import sha256_hex

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

TOKEN_URIS = frozenset(
    {
        "https://oauth2.googleapis.com/token",
        "https://accounts.google.com/o/oauth2/token",
        "https://www.googleapis.com/oauth2/v4/token",
    }
)
SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
_EARLY_S = 300.0  # renew five minutes before expiry, as Google's own clients do


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A bearer token; `expires` on time.monotonic's clock."""

    value: str
    project: str | None
    expires: float


_kept: dict[str, AccessToken] = {}
_asking: dict[tuple[int, str], asyncio.Task[AccessToken]] = {}


async def access_token(key: str | None, *, client: httpx.AsyncClient, timeout_s: float) -> AccessToken:
    """The token for a service account key, or for the machine's own credentials when `key` is None. However many ask
    at once, one request is made. Raises RemoteRefusal, AddressRefused, Unreachable."""
    name = sha256_hex(key) if key else ""
    cached = _kept.get(name)
    if cached is not None and cached.expires > time.monotonic():
        return cached
    slot = (id(asyncio.get_running_loop()), name)
    task = _asking.get(slot)
    if task is None:
        task = _asking[slot] = asyncio.ensure_future(_fetch(key, client, timeout_s))
        task.add_done_callback(lambda done: _done(slot, done))
    try:
        return await asyncio.wait_for(asyncio.shield(task), timeout_s)
    except TimeoutError as error:
        raise Unreachable("vertex: no access token in time", timed_out=True, sent=False, provider="vertex") from error


def _done(slot: tuple[int, str], task: "asyncio.Task[AccessToken]") -> None:
    _asking.pop(slot, None)
    if not task.cancelled() and task.exception() is None:
        _kept[slot[1]] = task.result()


async def _fetch(key: str | None, client: httpx.AsyncClient, timeout_s: float) -> AccessToken:
    loop = asyncio.get_running_loop()
    if key:
        request: Any = GuardedRequest(client, loop, timeout_s)
        return await asyncio.to_thread(_refresh_key, _service_account(key), request)
    return await asyncio.to_thread(_refresh_machine)


def _service_account(key: str) -> Mapping[str, Any]:
    try:
        described = json.loads(key)
    except ValueError:
        described = None
    if not isinstance(described, dict) or described.get("type") != "service_account":
        raise RemoteRefusal("vertex: the key must be the JSON of a service account", provider="vertex")
    uri = str(described.get("token_uri", ""))
    if uri not in TOKEN_URIS:
        address = literal_address(urlsplit(uri).hostname or "")
        if address is None or not address.is_loopback:
            raise AddressRefused("vertex: the key's token_uri is not Google's token endpoint", provider="vertex")
    return described


def _refresh_key(described: Mapping[str, Any], request: Any) -> AccessToken:
    # Lazy: google-auth is needed by this provider alone.
    from google.oauth2 import service_account  # noqa: PLC0415

    try:
        made: Any = service_account.Credentials
        credentials = made.from_service_account_info(dict(described), scopes=SCOPES)
    except ValueError as error:
        raise RemoteRefusal("vertex: the service account key cannot be read", provider="vertex") from error
    return _refreshed(credentials, request, described.get("project_id"))


def _refresh_machine() -> AccessToken:
    import google.auth  # noqa: PLC0415 - see _refresh_key
    from google.auth.exceptions import DefaultCredentialsError  # noqa: PLC0415
    from google.auth.transport.requests import Request  # noqa: PLC0415

    try:
        credentials, project = google.auth.default(scopes=list(SCOPES))
    except DefaultCredentialsError as error:
        raise RemoteRefusal(
            "vertex: no key, and this machine has no credentials: set GOOGLE_APPLICATION_CREDENTIALS", provider="vertex"
        ) from error
    return _refreshed(credentials, Request(), project)


def _refreshed(credentials: "Credentials", request: Any, project: Any) -> AccessToken:
    from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError  # noqa: PLC0415 - see _refresh_key

    try:
        credentials.refresh(request)  # type: ignore[no-untyped-call]
    except RefreshError as error:
        kind = RemoteFailure if error.retryable else RemoteRefusal
        raise kind(f"vertex: no access token: {error}", provider="vertex", raw=str(error)) from error
    except (TransportError, GoogleAuthError) as error:
        cause = error.__cause__
        if isinstance(cause, ConnectorError):
            raise cause from error
        raise Unreachable(f"vertex: the token endpoint cannot be reached: {error}", provider="vertex") from error
    seconds = 3600.0
    if credentials.expiry is not None:
        # google-auth's expiry is a UTC time without its zone
        seconds = (credentials.expiry.replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds()
    return AccessToken(str(credentials.token), str(project) if project else None, time.monotonic() + seconds - _EARLY_S)

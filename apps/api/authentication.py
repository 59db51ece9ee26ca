"""Three ways in: a Standard Webhooks signature on what is posted, a bearer key on anything, a signed-in staff user."""

from typing import Any

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from apps.api.caller import Caller, MachineUser
from apps.api.domain.keys import digest_of, looks_like_key
from apps.api.models import ApiKey, WebhookKey
from apps.api.queries.keys import find_api_key, live_webhook_keys
from apps.api.services.keys import note_use
from apps.connectors.signatures import SignatureFault, verify
from apps.core.errors import BadInput
from apps.tenants.domain.roles import KeyScope

CHALLENGE = 'Bearer realm="ratiba"'
SIGNATURE_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
WRONG_MEDIA = "unsupported_media_type"
_FAULTS = {
    SignatureFault.MISSING_HEADERS: "Send all of webhook-id, webhook-timestamp and webhook-signature.",
    SignatureFault.MALFORMED: "The webhook headers cannot be read.",
    SignatureFault.EXPIRED: "webhook-timestamp is more than 5 minutes away from our clock.",
    SignatureFault.MISMATCH: "No live key of this tenant signed this body.",
}


class SignatureAuthentication(BaseAuthentication):
    """Sign-in by `webhook-id`, `webhook-timestamp`, `webhook-signature` over the raw body.

    Any live key may have signed.
    """

    def authenticate(self, request: Request) -> tuple[MachineUser, Caller] | None:
        headers = {name: request.headers[name] for name in SIGNATURE_HEADERS if name in request.headers}
        if "webhook-signature" not in headers:
            return None
        if request.method != "POST":
            raise AuthenticationFailed("Signatures are for what is posted; use a key to read.", "signature_not_usable")
        now = timezone.now()
        keys = live_webhook_keys(now=now)
        secrets = [key.secret.reveal() for key in keys]
        fault = verify(secrets, headers=headers, body=request._request.body, now=now)
        if fault is not None:
            raise AuthenticationFailed(_FAULTS[fault], f"signature_{fault.value}")
        if len(keys) == 1:  # with several we do not know which one it was
            note_use(model=WebhookKey, key_id=keys[0].id, last_used_at=keys[0].last_used_at, now=now)
        caller = Caller(principal="webhook", scopes=frozenset({KeyScope.WRITE}), signed_id=headers["webhook-id"])
        return MachineUser("webhook", audit_name="webhook key"), caller

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class ApiKeyAuthentication(BaseAuthentication):
    """Sign-in by `Authorization: Bearer rk_…`. One query; the key's last use is written at most once a minute."""

    def authenticate(self, request: Request) -> tuple[MachineUser, Caller] | None:
        header = get_authorization_header(request).decode("latin-1")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not looks_like_key(token):
            raise AuthenticationFailed("Send Authorization: Bearer rk_…", "bad_key")
        key = find_api_key(digest_of(token))
        now = timezone.now()
        if key is None:
            raise AuthenticationFailed("There is no such key.", "bad_key")
        if key.revoked_at is not None:
            raise AuthenticationFailed("This key was revoked.", "key_revoked")
        if key.expires_at is not None and key.expires_at <= now:
            raise AuthenticationFailed("This key has expired.", "key_expired")
        note_use(model=ApiKey, key_id=key.id, last_used_at=key.last_used_at, now=now)
        caller = Caller(
            principal=f"key:{key.id}",
            scopes=key.scopes,
            requests_per_minute=key.requests_per_minute,
        )
        return MachineUser(str(key), audit_name=f"key {key.prefix}…"), caller

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class StaffAuthentication(SessionAuthentication):
    """A signed-in member of staff, with the CSRF token as the header X-CSRFToken on whatever changes something."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_active:
            return None
        if not user.is_staff:
            raise PermissionDenied("Only members of staff may use the API by signing in.", "not_staff")
        self.enforce_csrf(request)
        return user, Caller(principal=f"user:{user.pk}", user=user)

    def enforce_csrf(self, request: Request) -> None:
        """Raise PermissionDenied `csrf_failed` where the token is missing or wrong.

        The check is handed Django's own request: it looks for a form's token, and the framework's request would then
        look for a parser of forms, which an API of JSON has none of.
        """
        plain = request._request
        if plain.content_type in FORMS:
            raise BadInput(f"Content-Type is {plain.content_type}: send application/json.", code=WRONG_MEDIA)
        try:
            super().enforce_csrf(plain)  # type: ignore[arg-type]  # all that it reads of a Request is Django's
        except PermissionDenied as error:
            raise PermissionDenied(str(error.detail), "csrf_failed") from error

"""Standard Webhooks signatures (https://www.standardwebhooks.com): HMAC-SHA256 over `{id}.{timestamp}.{raw body}`.

Several keys may be live at once (rotation): we sign with all of them and accept any of them.
"""

import base64
import binascii
import hashlib
import hmac
import secrets as randomness
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

TOLERANCE_S = 300  # the specification's libraries fix it at five minutes, in both directions
PREFIX = "whsec_"
_MAX_HEADER = 4096


class SignatureFault(StrEnum):
    """Reason why a signed request is not accepted."""

    MISSING_HEADERS = "missing_headers"
    MALFORMED = "malformed"
    EXPIRED = "expired"
    MISMATCH = "mismatch"


def new_secret() -> str:
    """A fresh signing secret: `whsec_` and 32 random bytes in base64."""
    return PREFIX + base64.b64encode(randomness.token_bytes(32)).decode()


def secret_key(secret: str) -> bytes:
    """The key inside a `whsec_…` secret (prefix and padding may be missing). Raises ValueError if it is not base64."""
    text = secret.removeprefix(PREFIX).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("a webhook secret is whsec_ followed by base64") from error


def sign(secrets: Iterable[str], *, event_id: str, timestamp: int, body: bytes) -> str:
    """The `webhook-signature` header: one `v1,…` per secret, spaces between. Raises ValueError for a bad secret."""
    content = b"%s.%d.%s" % (event_id.encode(), timestamp, body)
    return " ".join(f"v1,{_mac(secret_key(secret), content)}" for secret in secrets)


def verify(
    secrets: Iterable[str], *, headers: Mapping[str, str], body: bytes, now: datetime, tolerance_s: int = TOLERANCE_S
) -> SignatureFault | None:
    """Verify a signed body; None when one of `secrets` signed it within the tolerance, else what is wrong.

    The tolerance is around `now` (aware). Header names are matched in any case. Never raises for anything the other
    side sent; takes the same time whichever secret and signature match. Replays inside the tolerance are the caller's:
    keep `webhook-id` unique.
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    event_id, stamp = lowered.get("webhook-id", ""), lowered.get("webhook-timestamp", "")
    given = lowered.get("webhook-signature", "")
    if not event_id or not stamp or not given:
        return SignatureFault.MISSING_HEADERS
    if len(given) > _MAX_HEADER or not (stamp.isascii() and stamp.isdecimal() and len(stamp) <= 12):
        return SignatureFault.MALFORMED
    if abs(now.timestamp() - int(stamp)) > tolerance_s:
        return SignatureFault.EXPIRED
    # The timestamp is signed as it was written, not as the number we read.
    content = b".".join((event_id.encode("utf-8", "surrogateescape"), stamp.encode(), body))
    signatures = [entry[3:] for entry in given.split(" ") if entry.startswith("v1,")]
    if not signatures:
        return SignatureFault.MALFORMED
    matched = False
    for secret in secrets:
        expected = _mac(secret_key(secret), content).encode()
        for signature in signatures:
            # bytes: compare_digest refuses text that is not ASCII
            matched |= hmac.compare_digest(expected, signature.encode("utf-8", "surrogateescape"))
    return None if matched else SignatureFault.MISMATCH


def _mac(key: bytes, content: bytes) -> str:
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()

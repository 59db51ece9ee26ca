"""Meta's signature of a webhook: `X-Hub-Signature-256: sha256=<hex>`, HMAC-SHA256 over the raw bytes."""

import hashlib
import hmac
from collections.abc import Iterable

_PREFIX = "sha256="


def meta_signature(secret: str, body: bytes) -> str:
    """The header's value for this body under the app's secret."""
    return _PREFIX + hmac.new(secret.encode("utf-8"), body, hashlib.sha256).hexdigest()


def signed_by(secrets: Iterable[str], *, body: bytes, header: str) -> bool:
    """Tell whether one of the secrets signed exactly these bytes.

    Every secret is tried in constant time; an empty one signs nothing.
    """
    given = header.strip().encode("utf-8", "surrogatepass")
    matches = [hmac.compare_digest(meta_signature(secret, body).encode(), given) for secret in secrets if secret]
    return any(matches)

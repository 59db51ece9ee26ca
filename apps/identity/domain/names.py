"""Name an issuer and its accounts as they are known here."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any


def issuer_key(issuer: str) -> str:
    """Return 12 hexadecimal digits of the issuer's address.

    A `sub` means one person at one issuer, and another issuer's equal `sub` is somebody else (OpenID Connect Core 1.0
    §2).
    """
    return hashlib.sha256(issuer.rstrip("/").encode()).hexdigest()[:12]


def account_name(*, key: str, sub: str, claims: Mapping[str, Any]) -> str:
    """Return a user name that people recognise and nobody can choose.

    It ends in a digest of issuer and `sub`, so that a person who calls themselves `owner` at the provider is not
    `owner` here. At most 120 characters.
    """
    called = next((claims[name] for name in ("preferred_username", "name") if isinstance(claims.get(name), str)), "")
    plain = re.sub(r"[^\w.@+-]+", ".", called)[:100].strip(".") or "person"
    return f"{plain}-{hashlib.sha256(f'{key} {sub}'.encode()).hexdigest()[:8]}"


def shown_name(claims: Mapping[str, Any]) -> str:
    """The person's name as the provider writes it, on one line, at most 150 characters; "" without one."""
    called = claims.get("name") or claims.get("preferred_username") or ""
    return " ".join(called.split())[:150] if isinstance(called, str) else ""

"""Bearer keys: how they look, and what is stored of them."""

import hashlib
import re

PREFIX = "rk_"
SHOWN = 10  # characters kept in clear, to tell keys apart
_FORM = re.compile(r"rk_[A-Za-z0-9_-]{43}")


def api_key(random_text: str) -> str:
    """The key around 32 random bytes in URL-safe base64 (`secrets.token_urlsafe(32)`)."""
    return PREFIX + random_text


def looks_like_key(text: str) -> bool:
    """Tell whether a text has the form of a key; one that has not need not be looked up."""
    return _FORM.fullmatch(text) is not None


def digest_of(key: str) -> str:
    """Return the digest by which a key is stored and found: 64 hex digits.

    A plain digest is enough: the key is 256 random bits.
    """
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def shown_prefix(key: str) -> str:
    return key[:SHOWN]

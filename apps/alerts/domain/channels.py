"""Kinds of channels by which people are told, and the form of each kind's address."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from apps.core.errors import BadInput

_ADDRESS = re.compile(r"[^@\s,;<>\"\r\n]+@[^@\s,;<>\"\r\n]+\.[^@\s,;<>\"\r\n]+")
MAX_ADDRESSES = 20


def mail_addresses(text: str) -> tuple[str, ...]:
    """Read e-mail addresses, separated by commas, semicolons, blanks or lines. Raises BadInput.

    There must be 1 to MAX_ADDRESSES of them, and each must be an e-mail address.
    """
    found = tuple(dict.fromkeys(part for part in re.split(r"[,;\s]+", text.strip()) if part))
    if not found or len(found) > MAX_ADDRESSES:
        raise BadInput(f"must be one to {MAX_ADDRESSES} e-mail addresses", code="bad_address", pointer="/address")
    for one in found:
        if not _ADDRESS.fullmatch(one):
            raise BadInput(f"{one!r} is no e-mail address", code="bad_address", pointer="/address")
    return found


def web_address(text: str) -> str:
    """An https address, or http where the operator lets private ones be called. Raises BadInput."""
    try:
        parts = urlsplit(text.strip())
    except ValueError:  # half of an IPv6 address
        parts = urlsplit("")
    if parts.scheme not in ("https", "http") or not parts.hostname or parts.username or parts.password:
        raise BadInput("must be an address like https://hooks.example.org/…", code="bad_address", pointer="/address")
    return text.strip()


ADDRESS_RULES: Mapping[str, Callable[[str], object]] = {
    "email": mail_addresses,
    "slack": web_address,
    "webhook": web_address,
}

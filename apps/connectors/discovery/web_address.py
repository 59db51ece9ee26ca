"""The address of an agent as somebody typed it. Pure: who only reads it loads no HTTP client."""

import re
from urllib.parse import urlsplit

from apps.core.errors import BadInput


def normalised(address: str) -> str:
    """The address with a scheme. Raises BadInput for what is no web address."""
    address = address.strip()
    if "://" not in address:
        address = f"http://{address}"
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"\s", address):
        raise BadInput(f"{address!r} is no web address: http://host:port/path is one.", code="bad_address")
    return address

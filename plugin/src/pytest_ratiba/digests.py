"""A digest of plain data, whatever the order of its keys."""

import hashlib
import json
from typing import Any


def digest_of(value: Any) -> str:
    """64 hex digits. Dates and other values that JSON has no word for count as their text."""
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    except TypeError:  # keys of several kinds have no order
        text = repr(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

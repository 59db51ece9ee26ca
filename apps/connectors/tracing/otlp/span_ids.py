"""Ids of traces and spans as 32 and 16 hex digits, whatever an exporter wrote. Pure.

OTLP/JSON has them in hex; exporters that use protobuf's own JSON write base64, some a UUID, a short number or nothing.
What is another text becomes the same id wherever it stands, so that a span still finds its parent; what is missing is
made of the span itself, so that the same span sent again is the same row.
"""

import base64
import binascii
import hashlib
import json
from typing import Any

_HEX = frozenset("0123456789abcdef")


def trace_id_of(value: Any, span: Any = None) -> str:
    """32 hex digits."""
    return _id_of(value, 32) or _made_of(span, 32)


def span_id_of(value: Any, span: Any = None) -> str:
    """16 hex digits; "" for a parent that is missing."""
    return _id_of(value, 16) or _made_of(span, 16)


def _id_of(value: Any, length: int) -> str:
    """ "" for what is missing; an id of zeros alone is none."""
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    plain = text.lower().replace("-", "")
    if plain and not plain.strip("0"):
        return ""
    if len(plain) == length and set(plain) <= _HEX:
        return plain
    if text and (decoded := _base64(text, length // 2)):
        return decoded
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length] if text else ""


def _base64(text: str, size: int) -> str:
    try:
        raw = base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return raw.hex() if len(raw) == size and any(raw) else ""


def _made_of(span: Any, length: int) -> str:
    if span is None:
        return ""
    written = span.SerializeToString() if hasattr(span, "SerializeToString") else json.dumps(span, default=str).encode()
    return hashlib.sha256(b"%d:" % length + written).hexdigest()[:length]

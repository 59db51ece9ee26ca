"""Answers that a poller need not read twice."""

import hashlib
import json
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

DIGITS = 32  # of 64: two answers of one address never meet by accident


def conditional(request: Request, body: dict[str, Any]) -> Response:
    """200 with the body and its ETag, or 304 when the client has it already (If-None-Match, RFC 9110 §13.1.2)."""
    etag = etag_of(as_sent(body))
    response = Response(status=304) if is_known(request.headers.get("If-None-Match", ""), etag) else Response(body)
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def as_sent(body: dict[str, Any]) -> bytes:
    """The body as JSON, byte for byte as DRF's renderer writes it."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode()


def etag_of(sent: bytes) -> str:
    return f'"{hashlib.sha256(sent).hexdigest()[:DIGITS]}"'


def is_known(if_none_match: str, etag: str) -> bool:
    """Tell whether the client says that it has this answer, or any."""
    known = [part.strip().removeprefix("W/") for part in if_none_match.split(",")]
    return etag in known or "*" in known

"""Answers that a poller need not read twice."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.digest import sha256_hex

DIGITS = 32  # of 64: two answers of one address never meet by accident


def conditional(request: Request, body: dict[str, Any]) -> Response:
    """200 with the body and its ETag, or 304 when the client has it already (If-None-Match, RFC 9110 §13.1.2)."""
    etag = f'"{sha256_hex(body)[:DIGITS]}"'
    known = [one.strip().removeprefix("W/") for one in request.headers.get("If-None-Match", "").split(",")]
    response = Response(status=304) if etag in known or "*" in known else Response(body)
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    return response

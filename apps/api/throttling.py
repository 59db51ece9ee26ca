"""Limit how often one caller may ask: a count per minute in the cache, one operation a request.

The count is the cache's: with the default (each web process its own) a caller gets the limit once per process; with
RATIBA_CACHE_URL it is one count for all.
"""

import time
from typing import Any

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from apps.api.caller import Caller

WINDOW_S = 60


class PerCaller(BaseThrottle):
    """A fixed window of a minute; `Retry-After` says when the next one begins. The cache's keys carry the tenant."""

    def __init__(self) -> None:
        self._left_s: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        caller = request.auth
        if not isinstance(caller, Caller):
            return True
        self._left_s = seconds_to_wait(caller.principal, caller.requests_per_minute)
        return self._left_s is None

    def wait(self) -> float | None:
        return self._left_s


def seconds_to_wait(principal: str, limit: int | None) -> float | None:
    """Count a request; return the seconds to wait, None if more are allowed in this minute."""
    now = time.time()
    window = int(now // WINDOW_S)
    key = f"api-rate:{principal}:{window}"
    requests = _count(key)
    if requests <= (limit or settings.API_REQUESTS_PER_MINUTE):
        return None
    return (window + 1) * WINDOW_S - now


def _count(key: str) -> int:
    if cache.add(key, 1, timeout=WINDOW_S * 2):
        return 1
    try:
        return cache.incr(key)
    except ValueError:  # culled or expired between the two
        cache.add(key, 1, timeout=WINDOW_S * 2)
        return 1

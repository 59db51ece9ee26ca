"""Read how long a provider asks us to wait after a rate limit.

Pure: headers and body in, seconds out. Looked at in this order, first one wins: `retry-after-ms`; `retry-after`
(seconds or HTTP date); Gemini's RetryInfo in the body; the reset times of used-up buckets (Anthropic: RFC 3339 times;
OpenAI: durations such as 6m0s, 120ms).
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

DEFAULT_WAIT_S = 20.0  # nobody said: long enough for a per-minute bucket to refill by a third
MAX_WAIT_S = 24 * 3600.0
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:\d{1,12}(?:\.\d{1,12})?(?:ms|s|m|h|d))+")
_DURATION_PART = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)(ms|s|m|h|d)")


def wait_seconds(headers: Mapping[str, str], body: Any = None, *, now: datetime) -> float:
    """Seconds to wait, between 0 and 24 h. `headers` has lower-case names; their `date`, when there, replaces `now`
    so that a wrong clock here does not matter. Never raises: what cannot be read is skipped."""
    wait = told_wait(headers, body, now=now)
    return DEFAULT_WAIT_S if wait is None else wait


def told_wait(headers: Mapping[str, str], body: Any = None, *, now: datetime) -> float | None:
    """Return the wait that the provider asks for; None where it named none."""
    sent_at = _http_date(headers.get("date", "")) or now
    for hint in _hints(headers, body, sent_at):
        if hint is not None and math.isfinite(hint) and hint >= 0:
            return min(hint, MAX_WAIT_S)
    return None


def duration_seconds(text: str) -> float | None:
    """Read a duration such as `6m0s`, `1s`, `120ms` as seconds; None when it is not a duration."""
    text = text.strip()
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _DURATION_PART.findall(text))


def _hints(headers: Mapping[str, str], body: Any, sent_at: datetime) -> Iterator[float | None]:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    yield None if milliseconds is None else milliseconds / 1000
    retry_after = headers.get("retry-after", "")
    yield _number(retry_after)
    date = _http_date(retry_after)
    yield None if date is None else max(0.0, (date - sent_at).total_seconds())
    yield _retry_info(body)
    yield _bucket_reset(headers, sent_at)


def _number(text: str) -> float | None:
    try:
        return float(text) if len(text) <= 32 else None
    except ValueError:
        return None


def _http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _retry_info(body: Any) -> float | None:
    for detail in error_details(body):
        if str(detail.get("@type", "")).endswith("RetryInfo"):
            return duration_seconds(str(detail.get("retryDelay", "")))
    return None


def error_details(body: Any) -> list[Mapping[str, Any]]:
    """Return the objects in Google's `error.details`; [] for a body of another shape."""
    if isinstance(body, list) and body:
        body = body[0]
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    return [detail for detail in details if isinstance(detail, dict)] if isinstance(details, list) else []


def _bucket_reset(headers: Mapping[str, str], sent_at: datetime) -> float | None:
    """The latest reset among the buckets that are used up; the earliest of all when none says so."""
    spent: list[float] = []
    others: list[float] = []
    for name, value in headers.items():
        if "ratelimit-" not in name or not ("-reset-" in name or name.endswith("-reset")):
            continue
        seconds = duration_seconds(value)
        if seconds is None:
            try:
                reset = datetime.fromisoformat(value)
            except ValueError:
                continue
            seconds = max(0.0, (reset if reset.tzinfo else reset.replace(tzinfo=UTC)).timestamp() - sent_at.timestamp())
        left = headers.get(name.replace("-reset", "-remaining"), "")
        (spent if left.strip() == "0" else others).append(seconds)
    return max(spent) if spent else min(others, default=None)

"""How long to wait after a rate limit: every form a provider uses, and garbage."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.llms.retry_after import DEFAULT_WAIT_S, MAX_WAIT_S, duration_seconds, wait_seconds

NOW = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({}, DEFAULT_WAIT_S),
        ({"retry-after": "12"}, 12),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Sat, 21 Nov 2026 04:00:30 GMT"}, 30),
        ({"retry-after": "Sat, 21 Nov 2026 03:00:00 GMT"}, 0),
        ({"retry-after": "Sat, 21 Nov 2026 05:00:30 GMT", "date": "Sat, 21 Nov 2026 05:00:00 GMT"}, 30),
        ({"retry-after": "soon"}, DEFAULT_WAIT_S),
        ({"retry-after": "-3"}, DEFAULT_WAIT_S),
        ({"retry-after": "nan"}, DEFAULT_WAIT_S),
        ({"retry-after": "inf"}, DEFAULT_WAIT_S),
        ({"retry-after": "9" * 30}, MAX_WAIT_S),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, 360),
        (
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "120ms",
                "x-ratelimit-remaining-tokens": "0",
            },
            0.12,
        ),
        ({"x-ratelimit-reset-requests": "8s", "x-ratelimit-reset-tokens": "3s"}, 3),
        (
            {
                "anthropic-ratelimit-tokens-reset": "2026-11-21T04:00:45Z",
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-11-21T04:00:05Z",
                "anthropic-ratelimit-requests-remaining": "0",
            },
            45,
        ),
        ({"anthropic-ratelimit-tokens-reset": "2026-11-21T03:00:00+00:00"}, 0),
        ({"anthropic-ratelimit-tokens-reset": "tomorrow"}, DEFAULT_WAIT_S),
    ],
)
def test_headers(headers: dict[str, str], seconds: float) -> None:
    assert wait_seconds(headers, now=NOW) == pytest.approx(seconds)


def test_retry_info_in_the_body_also_when_google_wraps_it_in_a_list() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17.25s"}
    body = {"error": {"code": 429, "details": [{"@type": "other"}, info]}}
    assert wait_seconds({}, body, now=NOW) == 17.25
    assert wait_seconds({}, [body], now=NOW) == 17.25


@pytest.mark.parametrize("text, seconds", [("1h2m3s", 3723), ("120ms", 0.12), ("1.5s", 1.5), ("", None), ("5", None)])
def test_durations(text: str, seconds: float | None) -> None:
    assert duration_seconds(text) == seconds


NAMES = st.sampled_from(
    ["retry-after", "retry-after-ms", "date", "x-ratelimit-reset-tokens", "anthropic-ratelimit-tokens-reset"]
)
KEYS = st.sampled_from(["error", "details", "@type", "retryDelay"])
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(NAMES, st.text(max_size=40), max_size=5), JSON)
def test_whatever_is_sent_the_wait_is_a_number_of_seconds_within_a_day(headers: dict[str, str], body: object) -> None:
    assert 0 <= wait_seconds(headers, body, now=NOW) <= MAX_WAIT_S

"""Error bodies as they really come: each provider's shape, proxies' mixtures, and garbage."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.errors import ConnectorError, QuotaSpent, RateLimited, RemoteFailure, RemoteRefusal
from apps.connectors.llms.error_mapping import QUOTA_CODES, error_for, status_within

NOW = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)
PER_MINUTE = [
    {"@type": "x/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]}
]
PER_DAY = [{"@type": "x/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]


def read(status: int, body: Any) -> ConnectorError:
    text = body if isinstance(body, str) else json.dumps(body)
    return error_for(status, {}, text, provider="openai", model="m", now=NOW)


@pytest.mark.parametrize("code", sorted(QUOTA_CODES))
def test_every_code_of_a_spent_quota_is_known(code: str) -> None:
    assert type(read(429, {"error": {"message": "x", "type": "t", "code": code}})) is QuotaSpent
    assert type(read(429, {"error": {"message": "x", "type": code, "code": None}})) is QuotaSpent


@pytest.mark.parametrize(
    "status, body, error",
    [
        (429, {"error": {"message": "x", "code": "rate_limit_exceeded"}}, RateLimited),
        (429, {"error": {"message": "x", "code": "slow_down"}}, RateLimited),
        (429, "no json at all", RateLimited),
        # Google says these very words for a limit per minute too: words alone must not decide
        (429, {"error": {"message": "You exceeded your current quota", "details": PER_MINUTE}}, RateLimited),
        (429, {"error": {"message": "You exceeded your current quota", "details": PER_DAY}}, QuotaSpent),
        (429, [{"error": {"message": "daily", "details": PER_DAY}}], QuotaSpent),
        (429, {"type": "error", "error": {"type": "rate_limit_error", "details": {
            "error_code": "enforced_spend_limit_reached"}}}, QuotaSpent),
        (400, {"type": "error", "error": {"type": "invalid_request_error",
                                          "message": "Your credit balance is too low"}}, QuotaSpent),
        (400, {"error": {"message": "Budget has been exceeded!", "type": "budget_exceeded"}}, QuotaSpent),
        (402, "", QuotaSpent),
        (400, {"object": "error", "message": "flat, as vLLM", "type": "BadRequestError", "code": 400}, RemoteRefusal),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, RemoteRefusal),
        (404, {"error": "model 'x' not found"}, RemoteRefusal),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, RemoteFailure),
        (503, "<html>", RemoteFailure),
        # a server of one's own that loads its model says so to everybody: it is waited for, and nobody spends a try
        (503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, RateLimited),
        (503, {"error": "Model org/m is currently loading", "estimated_time": 20.0}, RateLimited),
    ],
)  # fmt: skip
def test_known_bodies(status: int, body: Any, error: type[ConnectorError]) -> None:
    assert type(read(status, body)) is error


def test_the_message_and_code_reach_the_reader() -> None:
    error = read(404, {"error": {"message": "The model m does not exist", "code": "model_not_found"}})
    assert "The model m does not exist" in str(error)
    assert error.extra["remote_code"] == "model_not_found"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "details", "code", "type", "message", "violations"]), inner, max_size=4
        )
    ),
    max_leaves=15,
)


@settings(deadline=None)
@given(st.integers(300, 599), JSON | st.text(max_size=30))
def test_no_body_breaks_the_reader(status: int, body: Any) -> None:
    assert isinstance(read(status, body), ConnectorError)


@pytest.mark.parametrize(
    "body, status",
    [
        ({"error": {"message": "Provider returned error", "code": 502}}, 502),
        ({"error": {"message": "slow down", "code": 429}}, 429),
        ({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, 429),
        ({"error": {"message": "later", "code": "503"}, "choices": []}, 503),
        ({"error": "out of memory"}, 502),
        ({"choices": [{"finish_reason": "error", "error": {"message": "cut", "code": 529}, "message": {}}]}, 529),
        ({"choices": [{"message": {"content": "hi"}}]}, None),
        ({"error": None, "choices": []}, None),
        ({"candidates": [{}], "error": {}}, None),
    ],
)
def test_an_error_within_a_200_has_its_status(body: dict[str, Any], status: int | None) -> None:
    assert status_within(body) == status
    if status is not None:
        error = error_for(status, {}, json.dumps(body), provider="openai", model="m", now=NOW, within=True)
        assert f"answered 200 with the error {status}: " in error.message
        assert error.retryable

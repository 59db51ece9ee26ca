"""The retry policy: who is asked, in which order, after how long, and what the ledger gets to see."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import product

import httpx
import pytest

from apps.connectors import retry
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.errors import (
    AddressRefused,
    AllTaken,
    BadReply,
    ConnectorError,
    ModelError,
    QuotaSpent,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    ServerAway,
    Unreachable,
)
from apps.connectors.llms.base import Finish, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.places import leave_place, take_place
from apps.connectors.retry import CallResult, RetryPolicy, call_with_fallback
from apps.core.usage import Usage

CLIENT = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: httpx.Response(500)))  # nobody calls it here
FAULTS: dict[str, Callable[[], ConnectorError]] = {
    "rate": lambda: RateLimited("slow down", retry_after=7.0, status=429, raw="rate"),
    "quota": lambda: QuotaSpent("spent", status=429, raw="quota"),
    "500": lambda: RemoteFailure("broken", status=500, raw="five hundred", latency_ms=12, request_id="req_9"),
    "timeout": lambda: Unreachable("slow", timed_out=True),
    "away": lambda: nobody_listens(),
    "bad": lambda: BadReply("html", raw="<html>"),
    "401": lambda: RemoteRefusal("wrong key", status=401, raw="who are you", remote_code="invalid_api_key"),
    "400": lambda: RemoteRefusal("max_tokens is too large", status=400),
    "404": lambda: RemoteRefusal("no such model", status=404),
    "403-model": lambda: RemoteRefusal("no such model", status=403, remote_code="model_not_found"),
    "guard": lambda: AddressRefused("private"),
}


def nobody_listens() -> Unreachable:
    error = Unreachable("nobody listens", sent=False)
    error.__cause__ = ConnectionRefusedError()
    return error


class Scripted:
    """A model that does as it is told; "ok" answers, "error" stops with an error of its own."""

    def __init__(self, name: str, *steps: str) -> None:
        self.spec = ModelSpec(provider=name, model=f"{name}-1")
        self.steps = list(steps)
        self.calls = 0
        self.rooms: list[int] = []

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        self.calls += 1
        self.rooms.append(request.max_output_tokens)
        step = self.steps.pop(0)
        if step in FAULTS:
            raise FAULTS[step]()
        return LLMResponse(
            text="{}",
            finish=Finish(step) if step != "ok" else Finish.STOP,
            provider=self.spec.provider,
            model=self.spec.model + "-as-answered",
            usage=Usage(input_tokens=10, output_tokens=5),
            cost_usd=Decimal("0.01"),
            latency_ms=3,
            request_id="req_1",
        )


def run(
    primary: Scripted, fallback: Scripted | None = None, policy: RetryPolicy | None = None
) -> tuple[CallResult | ConnectorError, list[float]]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def once() -> CallResult | ConnectorError:
        try:
            return await call_with_fallback(
                LLMRequest(system="", messages=()),
                primary=primary,
                fallback=fallback,
                client=CLIENT,
                policy=policy or RetryPolicy(),
                sleep=sleep,
            )
        except ConnectorError as error:
            return error

    return asyncio.run(once()), waits


@pytest.mark.parametrize(
    "primary, fallback, outcome, waits",
    [
        # primary's steps, fallback's steps (None: there is none), what comes out, the backoffs on the way
        (["ok"], ["-"], "ok", []),
        (["rate"], ["-"], RateLimited, []),
        (["500", "ok"], ["-"], "ok", [0.5]),
        (["timeout", "ok"], None, "ok", [0.5]),
        (["bad", "ok"], None, "ok", [0.5]),
        (["error", "ok"], None, "ok", [0.5]),
        (["500", "timeout", "ok"], None, "ok", [0.5, 5.0]),
        (["500", "rate"], ["-"], RateLimited, [0.5]),
        (["500", "timeout"], ["ok"], "fallback", [0.5, 5.0]),
        (["500", "quota"], ["ok"], "fallback", [0.5]),
        (["quota"], ["ok"], "fallback", []),
        (["404"], ["ok"], "fallback", []),
        (["403-model"], ["ok"], "fallback", []),
        (["401"], ["-"], ModelError, []),
        (["guard"], ["-"], ModelError, []),
        (["500", "401"], ["-"], ModelError, [0.5]),
        (["404"], None, ModelError, []),
        (["quota"], None, ModelError, []),
        (["500", "500", "500"], None, ModelError, [0.5, 5.0]),
        (["500", "500"], ["500"], ModelError, [0.5, 5.0]),
        (["quota"], ["quota"], ModelError, []),
        (["quota"], ["rate"], RateLimited, []),
        (["500", "500"], ["rate"], RateLimited, [0.5, 5.0]),
        (["error", "error"], ["error"], ModelError, [0.5, 5.0]),
        (["refusal"], ["-"], "ok", []),
        (["blocked"], ["-"], "ok", []),
        (["length", "ok"], ["-"], "ok", []),
    ],
)
def test_the_table(
    primary: list[str], fallback: list[str] | None, outcome: str | type[ConnectorError], waits: list[float]
) -> None:
    first, second = Scripted("one", *primary), Scripted("two", *(fallback or []))
    result, waited = run(first, second if fallback is not None else None)
    assert waited == waits
    assert first.calls == len(primary)
    assert second.calls == len([step for step in fallback or [] if step != "-"])
    if isinstance(outcome, str):
        assert isinstance(result, CallResult)
        assert result.fallback_used is (outcome == "fallback")
        assert result.response.provider == ("two" if outcome == "fallback" else "one")
    else:
        assert type(result) is outcome
    assert len(result.attempts) == first.calls + second.calls


def test_every_call_is_metered_and_nothing_else_comes_out() -> None:
    for steps in product(["ok", "error", *FAULTS], repeat=3):
        check_metering(steps)


def check_metering(steps: tuple[str, ...]) -> None:
    first, second = Scripted("one", *steps[:2]), Scripted("two", steps[2])
    result, waited = run(first, second)
    assert isinstance(result, CallResult | RateLimited | ModelError)
    assert len(result.attempts) == first.calls + second.calls <= 3
    assert waited in ([], [0.5], [0.5, 5.0])
    assert [attempt.fallback for attempt in result.attempts] == [False] * first.calls + [True] * second.calls
    for attempt in result.attempts:
        assert (attempt.cost_usd is None) == (attempt.outcome not in ("ok", "remote_failure") or attempt.status != 200)


def test_a_failed_attempt_says_what_happened() -> None:
    result, _ = run(Scripted("one", "500", "ok"))
    failed, answered = result.attempts
    assert (failed.outcome, failed.status, failed.latency_ms, failed.request_id) == ("remote_failure", 500, 12, "req_9")
    assert failed.error == "broken"
    assert failed.usage == Usage()
    assert (answered.outcome, answered.model, answered.requested_model) == ("ok", "one-1-as-answered", "one-1")
    assert answered.usage.total_tokens == 15


def test_an_error_of_the_models_own_is_paid_for_and_metered_so() -> None:
    result, _ = run(Scripted("one", "error", "ok"))
    assert result.attempts[0].cost_usd == Decimal("0.01")
    assert result.attempts[0].outcome == "remote_failure"


def test_model_error_keeps_the_raw_words_and_names_the_models() -> None:
    result, _ = run(Scripted("one", "quota"), Scripted("two", "500"))
    assert isinstance(result, ModelError)
    assert result.raw == "five hundred"
    assert result.status == 500
    assert result.extra["cause"] == "remote_failure"
    assert "one/one-1: quota_spent → two/two-1: remote_failure" in str(result)
    assert isinstance(result.__cause__, RemoteFailure)


def test_a_wrong_key_is_called_a_configuration_error() -> None:
    result, _ = run(Scripted("one", "401"), Scripted("two", "ok"))
    assert isinstance(result, ModelError)
    assert "configuration" in str(result)
    assert "one/one-1" in str(result)


def test_a_rate_limit_keeps_its_wait() -> None:
    result, _ = run(Scripted("one", "500", "rate"))
    assert isinstance(result, RateLimited)
    assert result.retry_after == 7.0
    assert len(result.attempts) == 2


def test_the_backoff_is_the_policys() -> None:
    _, waited = run(Scripted("one", "500", "500"), Scripted("two", "ok"), RetryPolicy(backoff_s=0.2))
    assert waited == [0.2, 0.2]


def test_nothing_waits_inside_testing() -> None:
    with retry.testing():
        _, waited = run(Scripted("one", "500", "500"), Scripted("two", "ok"))
    assert waited == []
    _, waited = run(Scripted("one", "500", "ok"))
    assert waited == [0.5]


# --- Rate limits that last --------------------------------------------------------------------------------------------
class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def test_nobody_asks_a_model_that_limits_somebody() -> None:
    clock = Clock()
    policy = RetryPolicy(cool_downs=CoolDowns(now=clock))
    first, second = Scripted("one", "rate", "ok"), Scripted("one", "ok")
    assert isinstance(run(first, None, policy)[0], RateLimited)
    stopped, _ = run(second, None, policy)
    assert isinstance(stopped, RateLimited)
    assert (stopped.retry_after, stopped.attempts, second.calls) == (7.0, (), 0)
    clock.forward(7.0)
    assert isinstance(run(second, None, policy)[0], CallResult)


@pytest.mark.parametrize("told, fallback_used", [(7200.0, True), (11.0, True), (9.0, False)])
def test_a_wait_longer_than_the_longest_is_left_to_the_fallback(told: float, fallback_used: bool) -> None:
    policy = RetryPolicy(cool_downs=CoolDowns(now=Clock()))
    FAULTS["long"] = lambda: RateLimited("slow down", retry_after=told, status=429)
    first, second = Scripted("one", "long"), Scripted("two", "ok", "ok")
    answers = [run(first, second, policy)[0] for _ in range(2)]
    assert first.calls == 1
    if fallback_used:
        assert all(isinstance(one, CallResult) and one.fallback_used for one in answers)
    else:
        assert all(isinstance(one, RateLimited) for one in answers)


def test_a_limit_that_lasts_is_left_to_the_fallback_however_short_each_wait_is() -> None:
    clock = Clock()
    policy = RetryPolicy(cool_downs=CoolDowns(now=clock))
    first, second = Scripted("one", *["rate"] * 30), Scripted("two", *["ok"] * 30)
    began = clock.now
    outcomes: list[CallResult | ConnectorError] = []
    while len(outcomes) < 30 and not (outcomes and isinstance(outcomes[-1], CallResult)):
        result, _ = run(first, second, policy)
        outcomes.append(result)
        if isinstance(result, RateLimited):
            clock.forward(result.retry_after)
    assert isinstance(outcomes[-1], CallResult)
    assert 10 < (clock.now - began).total_seconds() <= 20  # two retries of 5 s, and the cool-down they ended in


def test_a_fallback_that_limits_us_too_makes_us_wait() -> None:
    policy = RetryPolicy(cool_downs=CoolDowns(now=Clock()))
    FAULTS["long"] = lambda: RateLimited("slow down", retry_after=7200, status=429)
    result, _ = run(Scripted("one", "long"), Scripted("two", "rate"), policy)
    assert isinstance(result, RateLimited)
    assert result.retry_after == 7.0


def test_an_own_timeout_of_a_provider_goes_before_the_deployments() -> None:
    model = Scripted("one", "ok")
    model.spec = ModelSpec(provider="one", model="one-1", options={"timeout_s": 90})
    seen: list[float] = []
    answer = model.complete

    async def complete(request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        seen.append(request.timeout_s)
        return await answer(request, client=client)

    model.complete = complete  # type: ignore[method-assign]
    run(model)
    assert seen == [90.0]


def test_an_answer_that_is_cut_off_is_asked_for_once_more_with_twice_the_room() -> None:
    primary = Scripted("a", "length", "ok")
    result, waits = run(primary)
    assert isinstance(result, CallResult)
    assert (primary.rooms, waits) == ([4096, 8192], [])
    assert (result.response.finish, len(result.attempts)) == (Finish.STOP, 2)


@pytest.mark.parametrize("second", ["length", "400", "rate", "500"])
def test_what_is_cut_off_again_or_cannot_be_longer_is_the_answer(second: str) -> None:
    primary = Scripted("a", "length", second)
    result, _ = run(primary)
    assert isinstance(result, CallResult)
    assert (result.response.finish, primary.calls) == (Finish.LENGTH, 2)


def test_a_question_that_fills_the_context_is_not_asked_again() -> None:
    primary = Scripted("a", "context")
    result, _ = run(primary)
    assert isinstance(result, CallResult)
    assert (result.response.finish, primary.calls) == (Finish.CONTEXT, 1)


def test_the_fallback_is_given_more_room_too() -> None:
    primary, fallback = Scripted("a", "quota"), Scripted("b", "length", "ok")
    result, _ = run(primary, fallback)
    assert isinstance(result, CallResult)
    assert (result.fallback_used, fallback.rooms) == (True, [4096, 8192])


def test_a_server_where_nobody_listens_is_waited_for_by_all_and_not_for_ever() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    downs = CoolDowns(now=lambda: now)
    policy = RetryPolicy(cool_downs=downs, away_s=60.0)
    outcome, waits = run(Scripted("a", "away", "away", "away"), policy=policy)
    assert isinstance(outcome, ServerAway)
    assert "nobody listens" in outcome.message
    assert (outcome.retry_after, waits, len(outcome.attempts)) == (15.0, [0.5, 5.0], 3)
    waiting, _ = run(Scripted("a", "ok"), policy=policy)
    assert isinstance(waiting, ServerAway)
    assert "cannot be reached" in waiting.message
    assert not waiting.attempts, "nobody else asks meanwhile"
    now += timedelta(seconds=61)
    ended, _ = run(Scripted("a", "away", "away", "away"), policy=policy)
    assert isinstance(ended, ModelError)
    assert ended.extra["cause"] == "unreachable"


def test_who_waits_for_the_answer_is_told_at_once_that_nobody_listens() -> None:
    outcome, _ = run(Scripted("a", "away", "away", "away"))
    assert isinstance(outcome, ModelError)
    answered, _ = run(Scripted("a", "away", "away"), Scripted("b", "ok"), RetryPolicy(away_s=60.0))
    assert isinstance(answered, CallResult)
    assert answered.fallback_used


class Slow(Scripted):
    """Counts how many of its questions are open at once."""

    open, most_open = 0, 0

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0.05)
        self.open -= 1
        return await super().complete(request, client=client)


@pytest.mark.parametrize("max_concurrent, most_open", [(None, 6), (2, 2)])
def test_a_server_that_takes_two_at_once_is_asked_two_at_once(max_concurrent: int | None, most_open: int) -> None:
    slow = Slow("two", *["ok"] * 6)
    slow.spec = replace(slow.spec, max_concurrent=max_concurrent)

    async def all_of_them() -> None:
        ask = LLMRequest(system="", messages=())
        await asyncio.gather(
            *(
                call_with_fallback(ask, primary=slow, fallback=None, client=CLIENT, sleep=asyncio.sleep)
                for _ in range(6)
            )
        )

    asyncio.run(all_of_them())
    assert (slow.most_open, slow.calls) == (most_open, 6)


def test_a_worker_does_others_meanwhile_where_all_places_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "PLACE_WAIT_S", 0.2)
    full = Scripted("full", "ok")
    full.spec = replace(full.spec, max_concurrent=1)
    assert take_place(replace(full.spec, model="another of the same server"))
    outcome, _ = run(full, policy=RetryPolicy(away_s=60.0))
    assert isinstance(outcome, AllTaken)
    assert not outcome.attempts
    leave_place(full.spec)
    assert isinstance(run(full)[0], CallResult)

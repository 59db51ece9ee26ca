"""THE retry policy for model calls: when to wait, repeat, fall back and give up (docs/adr/0011-retry-and-fallback.md).

    rate limit                   RateLimited goes up at once: the conversation gives its slot back and waits, on the
                                 same model; so does everybody else who asks that model (cool_downs)
    it lasts too long            where there is a fallback, that one at once: the wait, told or in the queue of the
                                 model's bucket, is longer than `longest_wait_s`, or it has limited us for so long
    5xx, 529, timeout, no or     one repeat on the same model within a second; after the backoff the fallback, or where
    broken answer                there is none a second repeat
    nobody listens there         as above; where no fallback answers and the worker can wait (`away_s`), that is the
                                 server's state: ServerAway goes up as a rate limit does, until it lasts too long
    quota spent                  the fallback at once
    model not found (404)        the fallback at once: a retired model is what a fallback is for
    any other refusal, address   ModelError at once: our key, request or address is wrong; another model would hide it
    refused by the guard
    the fallback fails too       ModelError with the last raw error; RateLimited when that was a rate limit

Refused, blocked and cut answers are results (base.Finish), not failures. One that is cut off is asked for once more,
with twice the room; where the model refuses that, the cut one is the answer. Whoever may be paid for is metered: every
call leaves an Attempt, on the answer or on the error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby

import httpx

from apps.connectors import rates
from apps.connectors.cool_downs import CoolDowns, key_of
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
from apps.connectors.llms.base import LLM, Attempt, Finish, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.places import leave_place, take_place, wait_in_line
from apps.core.usage import Usage

Sleep = Callable[[float], Awaitable[None]]
Places = Callable[[ModelSpec], Awaitable[float]]
AWAY_S = 600.0  # so long a worker waits for a server that is away; then each question ends as failed
AWAY_WAIT_S = 15.0  # between two looks whether it is back
PLACE_WAIT_S, PLACE_EVERY_S = 90.0, 0.1  # in line; a second judge that gets no place is left out
_REPEATABLE = (RemoteFailure, Unreachable, BadReply)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Policy of asking a model again: how often and when.

    It waits `first_backoff_s` before the first repeat and `backoff_s` before later ones (the brief's 5 s). A rate limit
    of more than `longest_wait_s` (the brief's two retries of 5 s), told or lasting, is left to the fallback.
    `cool_downs` are shared by all who ask the same models. `away_s` is how long it waits for a server where nobody
    listens; 0 where somebody waits for the answer.
    """

    backoff_s: float = 5.0
    first_backoff_s: float = 0.5
    longest_wait_s: float = 10.0
    away_s: float = 0.0
    cool_downs: CoolDowns = field(default_factory=CoolDowns, compare=False)

    def pauses(self, *, fallback: bool) -> tuple[float, ...]:
        """Seconds before each repeat on the same model."""
        first = min(self.first_backoff_s, self.backoff_s)
        return (first,) if fallback else (first, self.backoff_s)

    def must_wait(self, primary: LLM, fallback: LLM | None) -> bool:
        """Tell whether a question to these models would have to wait, by what is known now."""
        if fallback is None and self.cool_downs.backlog(primary.spec):
            return True
        for llm in (primary, fallback):
            if llm is None:
                return True
            left = self.cool_downs.remaining(llm.spec)
            if left <= 0:
                return False
            if not self.too_long(llm, left):
                return True
        return True

    def too_long(self, llm: LLM, wait_s: float) -> bool:
        """Tell whether this wait for `llm` is more than anybody should wait who has another model to ask."""
        return max(wait_s, self.cool_downs.limited_for(llm.spec)) > self.longest_wait_s


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """An answer and what it took: `attempts` in the order they were made, the answering one last."""

    response: LLMResponse
    attempts: tuple[Attempt, ...]
    fallback_used: bool


class _Waiting:
    off = False


@contextmanager
def testing() -> Iterator[None]:
    """Skip the waits between attempts in this block and process, for tests and benchmarks."""
    before, _Waiting.off = _Waiting.off, True
    try:
        yield
    finally:
        _Waiting.off = before


async def call_with_fallback(
    request: LLMRequest,
    *,
    primary: LLM,
    fallback: LLM | None,
    client: httpx.AsyncClient,
    policy: RetryPolicy | None = None,
    sleep: Sleep = asyncio.sleep,
    places: Places | None = None,
) -> CallResult:
    """Ask `primary`, and where the policy says so `fallback`, which may be another provider.

    Raises RateLimited (wait `retry_after` seconds, then ask again) or ModelError (give up; `raw`, `status` and
    `extra["cause"]` are the last error's); both carry `.attempts`. `places` gives a call its place at a model that
    limits us, in seconds from now; by default from the bucket that is known here. Costs at most three model calls, none
    during a cool-down, and one more where the answer is cut off. Not safe to repeat without paying again.
    """
    policy = policy or RetryPolicy()
    asking = _CallState(request, client, policy, _no_wait if _Waiting.off else sleep, places)
    answer = await asking.try_once(primary, is_fallback=False)
    for pause in policy.pauses(fallback=fallback is not None):
        if not isinstance(answer, _REPEATABLE):
            break
        await asking.pause(pause)
        answer = await asking.try_once(primary, is_fallback=False)
    if isinstance(answer, ConnectorError) and fallback is not None and _falls_back(answer, primary, policy):
        if isinstance(answer, _REPEATABLE):
            await asking.pause(policy.backoff_s)
        answer = await asking.try_once(fallback, is_fallback=True)
    if isinstance(answer, ConnectorError):
        raise _final(asking.away(answer, primary), asking.attempts)
    if answer.finish is Finish.LENGTH and request.may_widen:
        answer = await asking.try_wider(fallback if fallback and asking.attempts[-1].fallback else primary, answer)
    return CallResult(response=answer, attempts=tuple(asking.attempts), fallback_used=asking.attempts[-1].fallback)


async def _no_wait(seconds: float) -> None:
    await asyncio.sleep(0)


def _falls_back(error: ConnectorError, primary: LLM, policy: RetryPolicy) -> bool:
    if isinstance(error, RemoteRefusal):
        return error.status == 404 or error.extra.get("remote_code") == "model_not_found"
    if isinstance(error, RateLimited):
        return policy.too_long(primary, error.retry_after)
    return isinstance(error, (*_REPEATABLE, QuotaSpent))


class _CallState:
    """One question on its way: the calls made for it, each metered in `attempts`."""

    def __init__(
        self, request: LLMRequest, client: httpx.AsyncClient, policy: RetryPolicy, pause: Sleep, places: Places | None
    ) -> None:
        self.request, self.client, self.pause = request, client, pause
        self.cool_downs, self.away_s = policy.cool_downs, policy.away_s
        self.places = places or self._own_place
        self.attempts: list[Attempt] = []

    async def try_once(self, llm: LLM, *, is_fallback: bool) -> LLMResponse | ConnectorError:
        """One metered call; a failure is given back, not raised. No call during a cool-down."""
        if (left := await self._wait_for_place(llm)) > 0:
            error = ServerAway if self.cool_downs.is_away(llm.spec) else RateLimited
            return error(f"{llm.spec.label} model {llm.spec.model!r} {error.does}", retry_after=left)
        if not await self._may_begin(llm):
            return AllTaken(f"{llm.spec.label} model {llm.spec.model!r} answers others", retry_after=AWAY_WAIT_S)
        began = self.cool_downs.now()
        try:
            response = await self._complete(llm)
        except RateLimited as error:
            error.retry_after = self.cool_downs.limited(llm.spec, retry_after=error.retry_after, told=error.told)
            return self._failed(error, llm, is_fallback=is_fallback)
        except ConnectorError as error:
            if not _nobody_listens(error):
                self.cool_downs.answered(llm.spec, began=began)  # whatever it is, it is no rate limit
            return self._failed(error, llm, is_fallback=is_fallback)
        self.cool_downs.answered(llm.spec, began=began)
        return self._answered(response, llm, is_fallback=is_fallback)

    async def _may_begin(self, llm: LLM) -> bool:
        """Wait until the server takes one more of our questions; a worker gives up after a while, and does others."""
        waited_s = 0.0
        while not take_place(llm.spec):
            if self.away_s and waited_s >= PLACE_WAIT_S:
                return False
            await wait_in_line(PLACE_EVERY_S)
            waited_s += PLACE_EVERY_S
        return True

    async def _complete(self, llm: LLM) -> LLMResponse:
        try:
            return await llm.complete(_in_time(self.request, llm), client=self.client)
        finally:
            leave_place(llm.spec)

    def away(self, error: ConnectorError, primary: LLM) -> ConnectorError:
        """The last error, or the wait for a server where nobody listens, which is everybody's. It counts from when this
        model was first away or limited us."""
        if not _nobody_listens(error) or self.cool_downs.limited_for(primary.spec) >= self.away_s:
            return error
        return ServerAway(error.message, retry_after=self.cool_downs.away(primary.spec, wait_s=AWAY_WAIT_S))

    async def try_wider(self, llm: LLM, cut: LLMResponse) -> LLMResponse:
        """The answer with twice the room; the one that was cut off where the model cannot give it."""
        is_fallback = self.attempts[-1].fallback
        self.request = self.request.widened()
        answer = await self.try_once(llm, is_fallback=is_fallback)
        return cut if isinstance(answer, ConnectorError) else answer

    async def _wait_for_place(self, llm: LLM) -> float:
        """Wait for a place at the model while nobody else could use the slot; return the seconds still to wait, if
        any."""
        if (left := self.cool_downs.remaining(llm.spec)) > 0:
            return left
        if not self.cool_downs.is_paced(llm.spec):
            return 0.0
        wait = await self.places(llm.spec)
        if wait > rates.HORIZON_S:
            return wait
        if wait > 0:
            await self.pause(wait)
        return self.cool_downs.remaining(llm.spec)

    async def _own_place(self, spec: ModelSpec) -> float:
        return self.cool_downs.take(key_of(spec))

    def _failed(self, error: ConnectorError, llm: LLM, *, is_fallback: bool) -> ConnectorError:
        self.attempts.append(
            Attempt(
                provider=llm.spec.label,
                model=llm.spec.model,
                requested_model=llm.spec.model,
                outcome=error.code,
                usage=Usage(),
                cost_usd=None,
                latency_ms=int(error.extra.get("latency_ms", 0)),
                fallback=is_fallback,
                status=error.status,
                error=error.message[:1000],
                request_id=error.extra.get("request_id"),
            )
        )
        return error

    def _answered(self, response: LLMResponse, llm: LLM, *, is_fallback: bool) -> LLMResponse | ConnectorError:
        spec = llm.spec
        attempt = Attempt(
            provider=response.provider,
            model=response.model,
            requested_model=spec.model,
            outcome="ok",
            usage=response.usage,
            cost_usd=response.cost_usd,
            latency_ms=response.latency_ms,
            fallback=is_fallback,
            status=200,
            request_id=response.request_id,
        )
        if response.finish is Finish.ERROR:
            message = f"{spec.label} model {spec.model!r} stopped with an error of its own"
            self.attempts.append(replace(attempt, outcome=RemoteFailure.code, error=message))
            return RemoteFailure(message, status=200, raw=response.text)
        self.attempts.append(attempt)
        return response


def _nobody_listens(error: ConnectorError) -> bool:
    return isinstance(error, Unreachable) and error.refused


def _in_time(request: LLMRequest, llm: LLM) -> LLMRequest:
    """The request with the provider row's own timeout, where it has one."""
    own = llm.spec.options.get("timeout_s")
    if isinstance(own, bool) or not isinstance(own, int | float) or own <= 0:
        return request
    return replace(request, timeout_s=float(own))


def _tried(attempts: Sequence[Attempt]) -> Iterator[str]:
    """Each model that was asked, with its outcome; the same outcome several times in a row is named once."""
    for words, tries in groupby(
        f"{attempt.provider}/{attempt.requested_model}: {attempt.outcome}" for attempt in attempts
    ):
        times = len(list(tries))
        yield words if times == 1 else f"{words}, {times} times"


def _final(error: ConnectorError, attempts: list[Attempt]) -> ConnectorError:
    if isinstance(error, RateLimited):
        error.attempts = tuple(attempts)
        return error
    tried = " → ".join(_tried(attempts))
    hint = " (configuration)" if isinstance(error, RemoteRefusal | AddressRefused) else ""
    final = ModelError(
        f"no model answered{hint} ({tried}). Last error: {error.message}",
        status=error.status,
        raw=error.raw or error.message,
        cause=error.code,
    )
    final.attempts = tuple(attempts)
    final.__cause__ = error
    return final

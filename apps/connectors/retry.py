"""THE retry policy for model calls: when to wait, repeat, fall back and give up (docs/adr/0011-retry-and-fallback.md).

    rate limit                   RateLimited goes up at once: the conversation gives its slot back and waits, on the
                                 same model, for as long as the provider said
    5xx, 529, timeout, no or     one repeat on the same model after the backoff, then the fallback after the backoff
    broken answer
    quota spent                  the fallback at once
    model not found (404)        the fallback at once: a retired model is what a fallback is for
    any other refusal, address   ModelError at once: our key, request or address is wrong; another model would hide it
    refused by the guard
    the fallback fails too       ModelError with the last raw error; RateLimited when that was a rate limit

Refused, blocked and cut answers are results (base.Finish), not failures. Whoever may be paid for is metered: every call
leaves an Attempt, on the answer or on the error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import httpx

from apps.connectors.errors import (
    AddressRefused,
    BadReply,
    ConnectorError,
    ModelError,
    QuotaSpent,
    RateLimited,
    RemoteFailure,
    RemoteRefusal,
    Unreachable,
)
from apps.connectors.llms.base import LLM, Attempt, Finish, LLMRequest, LLMResponse
from apps.core.usage import Usage

Sleep = Callable[[float], Awaitable[None]]
_REPEATABLE = (RemoteFailure, Unreachable, BadReply)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """`backoff_s` before the repeat and before the fallback (the seed's 5 s); `repeats` on the same model (one)."""

    backoff_s: float = 5.0
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An answer and what it took: `attempts` in the order they were made, the answering one last."""

    response: LLMResponse
    attempts: tuple[Attempt, ...]
    fallback_used: bool


class _Waiting:
    off = False


@contextmanager
def testing() -> Iterator[None]:
    """Inside this block, in this process, no backoff is waited for. For tests and benchmarks."""
    before, _Waiting.off = _Waiting.off, True
    try:
        yield
    finally:
        _Waiting.off = before


async def ask(
    request: LLMRequest,
    *,
    primary: LLM,
    fallback: LLM | None,
    client: httpx.AsyncClient,
    policy: RetryPolicy = RetryPolicy(),
    sleep: Sleep = asyncio.sleep,
) -> Asked:
    """Ask `primary`, and where the policy says so `fallback`, which may be another provider.

    Raises RateLimited (wait `retry_after` seconds, then ask again) or ModelError (give up; `raw`, `status` and
    `extra["cause"]` are the last error's); both carry `.attempts`. Costs one to three model calls. Not safe to repeat
    without paying again.
    """
    attempts: list[Attempt] = []
    pause = _no_wait if _Waiting.off else sleep
    answer = await _try(request, primary, client, attempts, is_fallback=False)
    for _ in range(policy.repeats):
        if not isinstance(answer, _REPEATABLE):
            break
        await pause(policy.backoff_s)
        answer = await _try(request, primary, client, attempts, is_fallback=False)
    if isinstance(answer, ConnectorError) and fallback is not None and _falls_back(answer):
        if isinstance(answer, _REPEATABLE):
            await pause(policy.backoff_s)
        answer = await _try(request, fallback, client, attempts, is_fallback=True)
    if isinstance(answer, ConnectorError):
        raise _final(answer, attempts)
    return Asked(response=answer, attempts=tuple(attempts), fallback_used=attempts[-1].fallback)


async def _no_wait(seconds: float) -> None:
    await asyncio.sleep(0)


def _falls_back(error: ConnectorError) -> bool:
    if isinstance(error, RemoteRefusal):
        return error.status == 404 or error.extra.get("remote_code") == "model_not_found"
    return isinstance(error, (*_REPEATABLE, QuotaSpent))


async def _try(
    request: LLMRequest, llm: LLM, client: httpx.AsyncClient, attempts: list[Attempt], *, is_fallback: bool
) -> LLMResponse | ConnectorError:
    """One metered call; a failure is given back, not raised."""
    spec = llm.spec
    try:
        response = await llm.complete(request, client=client)
    except ConnectorError as error:
        attempts.append(
            Attempt(
                provider=spec.label,
                model=spec.model,
                requested_model=spec.model,
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
        attempts.append(replace(attempt, outcome=RemoteFailure.code, error=message))
        return RemoteFailure(message, status=200, raw=response.text)
    attempts.append(attempt)
    return response


def _final(error: ConnectorError, attempts: list[Attempt]) -> ConnectorError:
    if isinstance(error, RateLimited):
        error.attempts = tuple(attempts)
        return error
    tried = " → ".join(f"{attempt.provider}/{attempt.requested_model}: {attempt.outcome}" for attempt in attempts)
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

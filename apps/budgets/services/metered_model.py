"""The one way to pay for a model call (law 15), in three parts.

`open`    the thread that owns the connection reserves money for a batch of work and writes the ledger's row of each
          first call (`BudgetReservations.reserve`, `.open`);
`ask`     plain data, in the asyncio loop (`MeteredModel.ask`). A further call of the same work (a repeat, a fallback, a
          second question) has its row written before it too: the loop asks the thread, and waits for it;
`settle`  that thread fills the rows in, in the transaction that stores what came of the work (`ledger.record_calls`).

A worker that is killed between any two of them leaves an open row, which counts as its estimate (`ledger.settle_lost`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from apps.budgets.domain.estimate import History, PriceState, cost_at_most, request_tokens
from apps.budgets.services.ledger import CallFor, LedgerCall, OpenCall
from apps.connectors.errors import ConnectorError
from apps.connectors.llms.base import LLM, Attempt, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.parallel import Delivery, Emit
from apps.connectors.retry import CallResult, RetryPolicy, call_with_fallback

Opener = Callable[[OpenCall], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningRequest:
    """A call that waits in the loop for its ledger row."""

    call: OpenCall
    written: "Future[None]" = field(default_factory=Future)


def opener(emit: Emit) -> Opener:
    """The loop's side: hand the row to the owning thread, and wait until it is written."""

    async def open_one(call: OpenCall) -> None:
        request = OpeningRequest(call=call)
        emit(request)
        await asyncio.wrap_future(request.written)

    return open_one


async def without_ledger(call: OpenCall) -> None:
    """An opener for whoever pays nothing (tests of parts that know no database)."""


def write_openings(deliveries: Sequence[Delivery], *, write: Callable[[Sequence[OpenCall]], None]) -> list[Delivery]:
    """The thread's side: write the rows that are waited for, let their calls go; the other deliveries are given back.

    One insert. Raises what the database raises: whoever tries again writes the same rows.
    """
    waiting = [one.value for one in deliveries if isinstance(one.value, OpeningRequest)]
    if not waiting:
        return list(deliveries)
    write([one.call for one in waiting])
    for one in waiting:
        if not one.written.done():
            one.written.set_result(None)
    return [one for one in deliveries if not isinstance(one.value, OpeningRequest)]


@dataclass(slots=True, kw_only=True)
class MeteredModel:
    """One model, its fallback, and who pays. Every call is noted in `calls`, which `settle` writes.

    `first` is the row that was opened for the first call; `opener` opens those of the others. The offline rules are
    not paid for and open none.
    """

    primary: LLM
    fallback: LLM | None
    policy: RetryPolicy
    client: Any
    opener: Opener
    history: History = field(default_factory=dict)
    first: OpenCall | None = None
    calls: list[LedgerCall] = field(default_factory=list)

    async def ask(self, request: LLMRequest, *, call_for: CallFor) -> CallResult:
        """One question: one to three calls, as the retry policy says.

        Raises RateLimited and ModelError as `retry.call_with_fallback` does; the calls made are in `calls` then too.
        """
        rows: list[OpenCall] = []
        primary = _WithLedger(self.primary, self, rows, call_for)
        behind = _WithLedger(self.fallback, self, rows, call_for, fallback=True) if self.fallback else None
        try:
            result = await call_with_fallback(
                request, primary=primary, fallback=behind, client=self.client, policy=self.policy
            )
        except ConnectorError as error:
            self._note(call_for, rows, getattr(error, "attempts", ()))
            raise
        self._note(call_for, rows, result.attempts)
        return result

    def _note(self, call_for: CallFor, rows: list[OpenCall], attempts: Sequence[Attempt]) -> None:
        """Rows and attempts are of the same calls, in the same order; an attempt that asked nobody has no row."""
        for attempt in attempts:
            at = next((n for n, row in enumerate(rows) if _same(row, attempt)), None)
            if at is None:
                self.calls.append(LedgerCall(call_for=call_for, attempt=attempt))
            else:
                self.calls.append(LedgerCall(call_for=call_for, attempt=attempt, id=rows.pop(at).id))

    async def row_for(self, spec: ModelSpec, request: LLMRequest, call_for: CallFor, *, fallback: bool) -> OpenCall:
        """The ledger row of the next call, written by now."""
        first, self.first = self.first, None
        if first is not None and (first.provider, first.model) == (spec.label, spec.model):
            return first
        row = opening(spec, request, call_for, fallback=fallback, history=self.history)
        await self.opener(row)
        return row


class _WithLedger:
    """A model whose calls have a row before they are made."""

    def __init__(
        self, inner: LLM, meter: MeteredModel, rows: list[OpenCall], call_for: CallFor, *, fallback: bool = False
    ) -> None:
        self.inner, self.spec, self.meter, self.rows = inner, inner.spec, meter, rows
        self.call_for, self.is_fallback = call_for, fallback

    async def complete(self, request: LLMRequest, *, client: Any) -> LLMResponse:
        if self.spec.provider != "offline":
            row = await self.meter.row_for(self.spec, request, self.call_for, fallback=self.is_fallback)
            self.rows.append(row)
        return await self.inner.complete(request, client=client)


def opening(
    spec: ModelSpec, request: LLMRequest, call_for: CallFor, *, fallback: bool = False, history: History | None = None
) -> OpenCall:
    """The row of a call with this question, not yet written."""
    cost = cost_at_most(
        spec, input_tokens=request_tokens(request), output_tokens=request.max_output_tokens, history=history
    )
    known = cost.price is PriceState.KNOWN
    return OpenCall(
        call_for=call_for,
        provider=spec.label,
        model=spec.model,
        estimate_usd=cost.usd if known else None,
        fallback=fallback,
    )


def _same(row: OpenCall, attempt: Attempt) -> bool:
    return row.model == attempt.requested_model and row.fallback == attempt.fallback

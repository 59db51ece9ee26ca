"""The one way to pay for a model call, in three parts.

`open`    the thread that owns the connection reserves money for a batch of work and writes the ledger's row of each
          first call (`BudgetReservations.reserve`, `.open`);
`ask`     plain data, in the asyncio loop (`MeteredModel.ask`). A further call of the same work (a repeat, a fallback, a
          second question) has its row written before it too: the loop asks the thread, and waits for it;
`settle`  that thread fills the rows in, in the transaction that stores what came of the work (`ledger.record_calls`).

A worker that is killed between any two of them leaves an open row, which counts as its estimate (`ledger.settle_lost`).
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from apps.budgets.domain.estimate import Estimate, History, PriceState, cost_at_most, max_cost, request_tokens
from apps.budgets.domain.plausible import chargeable, implausible_words
from apps.budgets.services.ledger import CallFor, LedgerCall, OpenCall
from apps.budgets.services.reserving import Refusal
from apps.connectors.cool_downs import key_of
from apps.connectors.errors import ConnectorError, RemoteRefusal
from apps.connectors.llms.base import LLM, Attempt, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.parallel import Delivery, Emit
from apps.connectors.retry import CallResult, RetryPolicy, call_with_fallback
from apps.core.events import EventType, log_event
from apps.jobs.services.cool_downs import PlaceRequest, give_places

Refuse = Callable[[Sequence[OpenCall]], Mapping[uuid.UUID, Refusal]]


class Unfunded(Exception):
    """Error of a question for which there is no money. It is not asked, and `refusal` says when to try again."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


@dataclass(slots=True, kw_only=True)
class OpeningRequest:
    """A call that waits in the loop for its ledger row, or for its place at a model that limits us."""

    call: "OpenCall | PlaceRequest"
    written: "Future[None]" = field(default_factory=Future)


Opener = Callable[[OpenCall | PlaceRequest], Awaitable[None]]


def opener(emit: Emit) -> Opener:
    """The loop's side: hand the row to the owning thread, and wait until it is written."""

    async def open_one(call: OpenCall | PlaceRequest) -> None:
        request = OpeningRequest(call=call)
        emit(request)
        await asyncio.wrap_future(request.written)

    return open_one


def _refuse_none(calls: Sequence[OpenCall]) -> Mapping[uuid.UUID, Refusal]:
    return {}


def write_openings(
    deliveries: Sequence[Delivery], *, write: Callable[[Sequence[OpenCall]], None], refuse: Refuse = _refuse_none
) -> list[Delivery]:
    """The thread's side: write the rows that are waited for, let their calls go; the other deliveries are given back.

    `refuse` says, by the call's id, which of them cannot be paid: these are not made, and end with Unfunded. One
    insert, and where models limit us one transaction for each of them. Raises what the database raises: whoever tries
    again writes the same rows.
    """
    waiting = [delivery.value for delivery in deliveries if isinstance(delivery.value, OpeningRequest)]
    if not waiting:
        return list(deliveries)
    calls = [value.call for value in waiting if isinstance(value.call, OpenCall)]
    refused = refuse(calls) if calls else {}
    if paid := [call for call in calls if call.id not in refused]:
        write(paid)
    if places := [value.call for value in waiting if isinstance(value.call, PlaceRequest)]:
        give_places(places)
    for value in waiting:
        if value.written.done():
            continue
        if isinstance(value.call, OpenCall) and value.call.id in refused:
            value.written.set_exception(Unfunded(refused[value.call.id]))
        else:
            value.written.set_result(None)
    return [delivery for delivery in deliveries if not isinstance(delivery.value, OpeningRequest)]


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

        Raises RateLimited and ModelError as `retry.call_with_fallback` does; the calls made are in `calls` then too;
        and Unfunded, before the first of them.
        """
        rows: list[OpenCall] = []
        primary = _WithLedger(self.primary, self, rows, call_for)
        behind = _WithLedger(self.fallback, self, rows, call_for, fallback=True) if self.fallback else None
        try:
            result = await call_with_fallback(
                request, primary=primary, fallback=behind, client=self.client, policy=self.policy, places=self._place
            )
        except ConnectorError as error:
            self._note(call_for, rows, getattr(error, "attempts", ()), request)
            raise
        self._note(call_for, rows, result.attempts, request)
        return result

    async def _place(self, spec: ModelSpec) -> float:
        """A place at a model that limits us, out of the bucket that all workers share."""
        request = PlaceRequest(cool_downs=self.policy.cool_downs, key=key_of(spec))
        await self.opener(request)
        wait = request.wait_from(self.policy.cool_downs.now())
        return self.policy.cool_downs.take(request.key) if wait is None else wait

    def _note(self, call_for: CallFor, rows: list[OpenCall], attempts: Sequence[Attempt], request: LLMRequest) -> None:
        """Rows and attempts are of the same calls, in the same order; an attempt that asked nobody has no row."""
        answered = [attempt for attempt in attempts if attempt.outcome == "ok"]
        for reported in attempts:
            is_wider = reported in answered[1:]  # the first answer was cut off
            attempt = self._bounded(reported, request.widened() if is_wider else request)
            at = next((n for n, row in enumerate(rows) if _same(row, attempt)), None)
            if at is None:
                self.calls.append(LedgerCall(call_for=call_for, attempt=attempt))
            else:
                self.calls.append(LedgerCall(call_for=call_for, attempt=attempt, id=rows.pop(at).id))

    def _bounded(self, attempt: Attempt, request: LLMRequest) -> Attempt:
        """The attempt with what it is charged; tokens stay as they were reported."""
        llm = self.fallback if attempt.fallback and self.fallback is not None else self.primary
        usd = chargeable(attempt, llm.spec, request)
        if usd == attempt.cost_usd or usd is None or attempt.cost_usd is None:
            return attempt
        words = implausible_words(attempt.cost_usd, usd)
        log_event(EventType.IMPLAUSIBLE_COST, model=f"{llm.spec.label}/{llm.spec.model}", why=words)
        return replace(attempt, cost_usd=usd, error=words)

    async def row_for(
        self, spec: ModelSpec, request: LLMRequest, call_for: CallFor, *, fallback: bool, again: bool
    ) -> OpenCall:
        """The ledger row of the next call, written by now. `again`: a further attempt at the same question, for which
        its money is reserved already."""
        first, self.first = self.first, None
        if first is not None and (first.provider, first.model) == (spec.label, spec.model):
            return first
        row = opening(spec, request, call_for, fallback=fallback, history=self.history)
        if not again:
            row = replace(row, question=self._question_at_most(request))
        await self.opener(row)
        return row

    def _question_at_most(self, request: LLMRequest) -> Estimate:
        specs = [llm.spec for llm in (self.primary, self.fallback) if llm is not None]
        tokens = {"input_tokens": request_tokens(request), "output_tokens": request.max_output_tokens}
        return max_cost(specs, **tokens, history=self.history)


class _WithLedger:
    """A model whose calls have a row before they are made."""

    def __init__(
        self, inner: LLM, meter: MeteredModel, rows: list[OpenCall], call_for: CallFor, *, fallback: bool = False
    ) -> None:
        self.inner, self.spec, self.meter, self.rows = inner, inner.spec, meter, rows
        self.call_for, self.is_fallback, self.room = call_for, fallback, 0

    async def complete(self, request: LLMRequest, *, client: Any) -> LLMResponse:
        if self.spec.provider != "offline":
            is_wider = 0 < self.room < request.max_output_tokens  # costs more than what was reserved
            self.room = request.max_output_tokens
            again = bool(self.rows) and not is_wider
            try:
                row = await self.meter.row_for(
                    self.spec, request, self.call_for, fallback=self.is_fallback, again=again
                )
            except Unfunded as error:
                if not is_wider:
                    raise
                refusal = f"not asked with more room: {error}"
                raise RemoteRefusal(refusal, provider=self.spec.label, model=self.spec.model) from error
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

"""A call has its row before it is made: what a killed worker asked for stays in the ledger and counts."""

import asyncio
import uuid
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.models import Budget, ModelCall
from apps.budgets.services import CallFor, LedgerCall, OpenCall, record_calls
from apps.budgets.services.accounts import ledger_total
from apps.budgets.services.ledger import CALL_LEASE, drop_unused, extend_calls, open_calls, settle_lost
from apps.budgets.services.metered_model import MeteredModel
from apps.budgets.services.metered_run import run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.connectors.errors import ModelError
from apps.connectors.llms.base import LLMRequest, ModelSpec
from apps.connectors.llms.registry import llm_for
from apps.connectors.retry import RetryPolicy
from apps.connectors.retry import testing as no_backoff
from apps.tenants.errors import TenantUnavailable
from apps.tenants.services import suspend_tenant
from tests.budgets.test_ledger import ATTEMPT
from tests.loopback.providers import ModelProvider

RUN, HOLDER = uuid.uuid4(), uuid.uuid4()
MADE_FOR = CallFor(purpose=Purpose.JUDGE, run_id=RUN)
ESTIMATE = Decimal("0.02")


@pytest.fixture
def now():
    return timezone.now()


def opened(now, **changes) -> OpenCall:
    call = replace(OpenCall(call_for=MADE_FOR, provider="openai", model="gpt-4o", estimate_usd=ESTIMATE), **changes)
    open_calls(calls=[call], holder=HOLDER, now=now)
    return call


def answered(call: OpenCall, usd="0.005") -> LedgerCall:
    return LedgerCall(call_for=MADE_FOR, attempt=replace(ATTEMPT, cost_usd=Decimal(usd)), id=call.id)


def spent() -> Decimal:
    sums = {row.scope: row.spent_usd for row in Budget.objects.all()}
    for scope, usd in sums.items():
        assert usd == ledger_total(scope)
    return sums.get(Scope(ScopeKind.RUN, str(RUN)), Decimal(0))


def test_a_row_is_opened_before_the_call_and_filled_in_after_it(tenant, now):
    call = opened(now)
    row = ModelCall.objects.get()
    assert [row.outcome, row.cost_usd, row.estimate_usd, spent()] == ["open", None, ESTIMATE, Decimal(0)]
    record_calls(calls=[answered(call)])
    record_calls(calls=[answered(call)])
    row.refresh_from_db()
    assert (row.outcome, row.cost_usd, row.expires_at, row.holder) == ("ok", Decimal("0.005"), None, None)
    assert spent() == Decimal("0.005")


def test_a_call_of_a_killed_worker_counts_as_its_estimate_when_its_lease_ends(tenant, now):
    opened(now)
    assert settle_lost(now=now + CALL_LEASE - timedelta(seconds=1)) == 0
    assert settle_lost(now=now + CALL_LEASE) == 1
    assert settle_lost(now=now + CALL_LEASE) == 0
    row = ModelCall.objects.get()
    assert (row.outcome, row.cost_usd) == ("lost", ESTIMATE)
    assert spent() == ESTIMATE


def test_a_heartbeat_keeps_a_call_open(tenant, now):
    opened(now)
    extend_calls(holder=HOLDER, now=now + timedelta(seconds=40))
    assert settle_lost(now=now + CALL_LEASE) == 0


def test_a_worker_that_was_only_late_puts_its_row_right(tenant, now):
    call = opened(now)
    settle_lost(now=now + CALL_LEASE)
    record_calls(calls=[answered(call)])
    assert ModelCall.objects.get().outcome == "ok"
    assert spent() == Decimal("0.005")


def test_a_lost_call_of_unknown_price_is_counted_as_a_call(tenant, now):
    opened(now, estimate_usd=None)
    settle_lost(now=now + CALL_LEASE)
    assert ModelCall.objects.get().cost_usd is None
    assert not Budget.objects.exists()


def test_rows_of_calls_nobody_made_are_taken_back(tenant, now):
    first, second = opened(now), opened(now)
    record_calls(calls=[answered(second)])
    drop_unused(ids=[first.id, second.id])
    assert list(ModelCall.objects.values_list("id", flat=True)) == [second.id]


# --- Asking -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def model():
    with ModelProvider() as server:
        yield server


def job(server: ModelProvider, rows_seen: list[int] | None = None, model: str = "gpt-4o"):
    priced = {"price_provider": "openai"}
    llm = llm_for(
        ModelSpec(provider="openai", model=model, base_url=server.base_url("openai"), api_key="k", options=priced)
    )

    async def ask(client, opener):
        async def watched(call: OpenCall) -> None:
            await opener(call)
            if rows_seen is not None:
                rows_seen.append(len(server.requests))

        metered = MeteredModel(primary=llm, fallback=None, policy=RetryPolicy(), client=client, opener=watched)
        with suppress(ModelError):
            await metered.ask(LLMRequest(system="s", messages=()), call_for=MADE_FOR)
        return metered.calls

    return ask


def run(jobs, now, store=None):
    reservations = BudgetReservations(holder=HOLDER, now=lambda: now)
    with no_backoff():
        return run_metered(
            dict(enumerate(jobs)),
            reservations=reservations,
            concurrency=2,
            store=store or (lambda ended: record_calls(calls=[call for calls in ended for call in calls])),
        )


def test_every_attempt_has_its_row_before_the_wire(tenant, model, now):
    model.script("500", "ok")
    before: list[int] = []
    run([job(model, before)], now)
    assert before == [0, 1]
    rows = ModelCall.objects.order_by("id").values_list("outcome", "estimate_usd")
    assert [(outcome, usd is not None) for outcome, usd in rows] == [("remote_failure", True), ("ok", True)]


def test_an_answer_is_booked_before_the_next_question_is_asked(tenant, model, now):
    booked = []
    run([job(model) for _ in range(5)], now, store=lambda ended: booked.append((len(ended), len(model.requests))))
    done = 0
    for ended, asked in booked:
        done += ended
        assert asked <= done + 2


def test_a_worker_that_breaks_while_it_asks_leaves_its_row(tenant, model, now):
    async def broken(client, opener):
        await opener(OpenCall(call_for=MADE_FOR, provider="openai", model="gpt-4o", estimate_usd=ESTIMATE))
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run([broken], now)
    settle_lost(now=now + CALL_LEASE)
    assert spent() == ESTIMATE


def test_a_tenant_that_is_suspended_meanwhile_is_asked_nothing_more(tenant, model, now):
    def store(ended):
        record_calls(calls=[call for calls in ended for call in calls])
        suspend_tenant(slug=tenant)

    with pytest.raises(TenantUnavailable):
        run([job(model) for _ in range(20)], now, store=store)
    assert len(model.requests) == ModelCall.objects.count() <= 4


def test_open_rows_are_no_failures_and_no_answers_without_a_price(tenant, now):
    from apps.budgets.queries import spent_on_run  # noqa: PLC0415 - beside what it is about

    opened(now)
    found = spent_on_run(RUN)
    assert (found.calls, found.unpriced, found.cost_usd) == (1, 0, Decimal(0))
    assert month_of(now)

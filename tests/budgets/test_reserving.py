"""Reserving and settling on real rows: limits hold, promises end, warnings come once."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from apps.budgets.domain.allowance import RefusalReason
from apps.budgets.domain.estimate import PriceState
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.models import Budget, ModelCall, Reservation
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.accounts import ledger_total, recount
from apps.budgets.services.limits import declare_limit, lift_stops, set_limit
from apps.budgets.services.reserving import LEASE, ReservationRequest, extend, release, reserve
from apps.core.errors import BadInput
from apps.core.events import EventType
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from tests.budgets.test_ledger import ATTEMPT

RUN = uuid.uuid4()
WORKER = uuid.uuid4()


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def events(caplog):
    caplog.set_level("INFO", logger="ratiba.events")
    return lambda kind: [record.fields for record in caplog.records if getattr(record, "event_type", "") == kind.value]


def want(usd="0.10", *, run=RUN, pull_request="", id=None) -> ReservationRequest:
    return ReservationRequest(id=id or uuid.uuid4(), usd=Decimal(usd), run_id=run, pull_request=pull_request)


def spend(usd, *, run=RUN, pull_request="", id=None) -> LedgerCall:
    call_for = CallFor(purpose=Purpose.JUDGE, run_id=run, pull_request=pull_request)
    call = LedgerCall(call_for=call_for, attempt=replace(ATTEMPT, cost_usd=Decimal(usd)))
    record_calls(calls=[call])
    return call


def month(now) -> Budget:
    return Budget.objects.get(pk=month_of(now).id)


def test_money_is_promised_up_to_the_limit_and_not_beyond(tenant, now):
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal("0.25"))
    wants = [want(), want(), want()]
    decided = reserve(holder=WORKER, requests=wants, now=now)
    assert list(decided.refused) == [wants[2].id]
    assert decided.refused[wants[2].id].why is RefusalReason.PROMISED
    assert sum(Reservation.objects.values_list("usd", flat=True)) == Decimal("0.20")


def test_settled_money_is_free_again_as_far_as_it_was_not_spent(tenant, now):
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal("0.25"))
    first, second = want("0.20"), want("0.20")
    assert not reserve(holder=WORKER, requests=[first], now=now).refused
    assert reserve(holder=WORKER, requests=[second], now=now).refused
    spend("0.03")
    release(holder=WORKER, ids=[first.id])
    assert not reserve(holder=WORKER, requests=[second], now=now).refused
    assert reserve(holder=WORKER, requests=[want("0.03")], now=now).refused


def test_work_asked_for_twice_is_promised_once(tenant, now):
    one = want("0.10")
    reserve(holder=WORKER, requests=[one], now=now)
    other_lane = uuid.uuid4()
    reserve(holder=other_lane, requests=[one], now=now)
    assert list(Reservation.objects.values_list("usd", "holder")) == [(Decimal("0.10"), other_lane)]
    release(holder=WORKER, ids=[one.id])  # it is the other worker's now
    assert Reservation.objects.count() == 1


def test_what_costs_nothing_asks_nothing(tenant, now, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert not reserve(holder=WORKER, requests=[want("0"), want("0")], now=now).refused


def test_free_calls_touch_no_budget(tenant):
    spend("0")
    assert not Budget.objects.exists()


def test_promises_of_a_killed_worker_end_by_themselves(tenant, now):
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal("0.10"))
    assert not reserve(holder=WORKER, requests=[want()], now=now).refused
    assert reserve(holder=uuid.uuid4(), requests=[want()], now=now + LEASE - timedelta(seconds=1)).refused
    assert not reserve(holder=uuid.uuid4(), requests=[want()], now=now + LEASE).refused
    assert Reservation.objects.count() == 1


def test_promises_that_are_extended_stay(tenant, now):
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal("0.10"))
    reserve(holder=WORKER, requests=[want()], now=now)
    extend(holder=WORKER, now=now + timedelta(seconds=60))
    assert reserve(holder=uuid.uuid4(), requests=[want()], now=now + LEASE).refused


def test_a_holder_that_stops_gives_everything_back(tenant, now):
    reserve(holder=WORKER, requests=[want(), want()], now=now)
    assert release(holder=WORKER) == 2


# --- Every scope ------------------------------------------------------------------------------------------------------
def test_the_month_the_run_the_pull_request_and_the_tenant_are_charged(tenant, now):
    spend("0.5", pull_request="ratiba#12")
    spend("0.25", run=uuid.uuid4())
    assert {row.kind: row.spent_usd for row in Budget.objects.exclude(kind="run")} == {
        "month": Decimal("0.75"),
        "tenant": Decimal("0.75"),
        "pull_request": Decimal("0.5"),
    }
    assert Budget.objects.get(name=str(RUN)).spent_usd == Decimal("0.5")


def test_a_call_entered_twice_is_charged_once(tenant, now):
    call = spend("0.5")
    record_calls(calls=[call])
    assert month(now).spent_usd == Decimal("0.5")


def test_a_budget_made_late_counts_what_was_spent_before(tenant, now):
    spend("0.5")
    Budget.objects.all().delete()
    spend("0.25")
    assert set(Budget.objects.values_list("spent_usd", flat=True)) == {Decimal("0.75")}


def test_recounting_puts_a_wrong_sum_right_and_says_so(tenant, now, events):
    spend("0.5")
    Budget.objects.update(spent_usd=9)
    assert recount([month_of(now)]) == {month_of(now): Decimal("-8.5")}
    assert month(now).spent_usd == ledger_total(month_of(now)) == Decimal("0.5")
    assert events(EventType.BUDGET_RECOUNTED)
    assert recount([month_of(now)]) == {}


def test_settings_give_the_limits_and_the_environment_that_of_a_pull_request(tenant, now, settings):
    update_workflow_config(
        slug=tenant, changes={"budget_run_usd": 0.05, "budget_month_usd": 1, "budget_pull_request_usd": 2}
    )
    run = Scope(ScopeKind.RUN, str(RUN))
    (no,) = reserve(holder=WORKER, requests=[want("0.06")], now=now).refused.values()
    assert (no.scope, no.why) == (run, RefusalReason.SPENT)
    set_limit(scope=run, usd=Decimal(100))
    (no,) = reserve(holder=WORKER, requests=[want("1.01")], now=now).refused.values()
    assert no.scope == month_of(now)
    update_workflow_config(slug=tenant, changes={"budget_month_usd": None})
    assert not reserve(holder=WORKER, requests=[want("1.5", pull_request="p")], now=now).refused
    settings.EVAL_BUDGET_USD = Decimal("0.5")
    (no,) = reserve(holder=WORKER, requests=[want("0.6", pull_request="q")], now=now).refused.values()
    assert no.scope == Scope(ScopeKind.PULL_REQUEST, "q")


def test_a_declared_limit_lowers_what_the_tenant_allows_and_never_raises_it(tenant, now):
    scope = Scope(ScopeKind.PULL_REQUEST, "acme/shop PR 12")
    update_workflow_config(slug=tenant, changes={"budget_pull_request_usd": 2})
    declare_limit(pull_request=scope.name, usd=Decimal("0.05"))
    (no,) = reserve(holder=WORKER, requests=[want("0.06", pull_request=scope.name)], now=now).refused.values()
    assert no.scope == scope
    declare_limit(pull_request=scope.name, usd=Decimal(50))
    assert not reserve(holder=WORKER, requests=[want("1.5", pull_request=scope.name)], now=now).refused
    (no,) = reserve(holder=WORKER, requests=[want("2.5", pull_request=scope.name)], now=now).refused.values()
    assert no.scope == scope, "the tenant's two dollars hold"
    with pytest.raises(BadInput, match="between 0"):
        declare_limit(pull_request=scope.name, usd=Decimal(-1))


def test_a_price_nobody_knows_is_refused_for_a_declared_limit_and_not_for_a_default(tenant, now):
    unknown = replace(want("0", pull_request="p"), price=PriceState.UNTOLD, unpriced="m")
    assert not reserve(holder=WORKER, requests=[unknown], now=now).refused
    declare_limit(pull_request="p", usd=Decimal(20))
    (no,) = reserve(holder=WORKER, requests=[unknown], now=now).refused.values()
    assert no.why is RefusalReason.UNPRICED
    assert no.sentence.startswith("no budget can be held: the price of m is not known")


# --- Warnings and stops -----------------------------------------------------------------------------------------------
def test_a_warning_comes_once_at_its_share(tenant, now, events):
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal("1"))
    spend("0.79")
    assert not reserve(holder=WORKER, requests=[want("0.01")], now=now).past_warning
    spend("0.01")
    for _ in range(2):
        assert reserve(holder=WORKER, requests=[want("0.01")], now=now).past_warning == {Scope(ScopeKind.RUN, str(RUN))}
    assert len(events(EventType.BUDGET_WARNING)) == 1


def test_a_spent_budget_says_how_it_stands_and_what_to_do(tenant, now, events):
    set_limit(scope=month_of(now), usd=Decimal("1"))
    spend("0.95")
    for _ in range(2):
        (no,) = reserve(holder=WORKER, requests=[want("0.10")], now=now).refused.values()
    assert no.why is RefusalReason.SPENT
    assert no.sentence.startswith(
        f"budget too small to go on: the budget of {now:%Y-%m}, $0.95 of $1.00 spent. Raise it "
    )
    assert no.detail == "$0.95 of $1.00 spent, and the next piece of work may need $0.10"
    assert no.until is not None
    assert no.until.day == 1
    assert len(no.sentence) < 200
    assert len(events(EventType.BUDGET_SPENT)) == 1
    assert month(now).needed_usd == Decimal("0.10")


def test_a_stop_is_lifted_when_there_is_money_again(tenant, now, django_assert_num_queries):
    with django_assert_num_queries(2):  # the search path, and the question
        assert lift_stops(now=now) == []
    set_limit(scope=month_of(now), usd=Decimal("1"))
    spend("0.95")
    reserve(holder=WORKER, requests=[want("0.10")], now=now)
    assert lift_stops(now=now) == []
    set_limit(scope=month_of(now), usd=Decimal("1.04"))
    assert lift_stops(now=now) == []
    set_limit(scope=month_of(now), usd=Decimal("1.05"))
    assert lift_stops(now=now) == [month_of(now)]
    assert month(now).stopped_at is None


def test_a_stop_of_a_month_ends_with_the_month(tenant):
    november = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    set_limit(scope=month_of(november), usd=Decimal(0))
    assert reserve(holder=WORKER, requests=[want()], now=november).refused
    assert lift_stops(now=november) == []
    december = november + timedelta(minutes=1)
    assert lift_stops(now=december) == [month_of(november)]
    assert not reserve(holder=WORKER, requests=[want()], now=december).refused


def test_nothing_is_counted_for_another_tenant(tenant, now):
    spend("0.5")
    assert ModelCall.objects.count() == 1
    with in_tenant("beta"):
        assert not Budget.objects.exists()


def test_money_that_calls_in_flight_hold_is_told_as_held(tenant, now):
    set_limit(scope=month_of(now), usd=Decimal("3"))
    spend("0.52")
    decided = reserve(holder=WORKER, requests=[want("2.00"), want("1.00"), want("2.60")], now=now)
    held, short = decided.refused.values()
    assert (held.why, short.why) == (RefusalReason.PROMISED, RefusalReason.SPENT)
    told = "$0.52 of $3.00 spent, $2.00 held by calls in flight"
    assert held.sentence == f"the budget of {now:%Y-%m}: {told}. It goes on when they have ended"
    assert short.sentence.startswith(f"budget too small for more: the budget of {now:%Y-%m}, {told}. Raise it under")
    assert len(short.sentence) < 200

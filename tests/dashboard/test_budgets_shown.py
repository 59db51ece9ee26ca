"""What people see of budgets: limits on the usage page, and on Home what is near its end or spent."""

import uuid
from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import timezone

from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.limits import set_limit
from apps.budgets.services.reserving import ReservationRequest, reserve
from apps.dashboard.home.queries.inbox import home_page
from apps.dashboard.usage.queries.month import usage_page
from tests.budgets.test_ledger import ATTEMPT

RUN = uuid.uuid4()


@pytest.fixture
def now(tenant):
    return timezone.now()


def spend(usd: str, **more) -> None:
    attempt = replace(ATTEMPT, cost_usd=Decimal(usd))
    record_calls(calls=[LedgerCall(call_for=CallFor(purpose=Purpose.JUDGE, run_id=RUN), attempt=attempt, **more)])


def titles(now) -> list[str]:
    return [need.title for need in home_page(now=now).needs]


def test_nothing_is_said_while_there_is_money(now):
    spend("1")
    assert titles(now) == []
    month, whole = usage_page(now.date(), now=now).budgets
    assert (month.limit, month.spent, month.promised, month.left) == tuple(map(Decimal, (300, 1, 0, 299)))
    assert (whole.limit, whole.left, whole.sentence) == (None, None, "")


def test_a_limit_that_calls_without_a_price_count_for_is_said_to_hold_nothing(now):
    record_calls(
        calls=[LedgerCall(call_for=CallFor(purpose=Purpose.JUDGE, run_id=RUN), attempt=replace(ATTEMPT, cost_usd=None))]
    )
    month, whole = usage_page(now.date(), now=now).budgets
    assert (month.as_json()["spent_usd"], month.as_json()["left_usd"], whole.as_json()["spent_usd"]) == (None,) * 3
    assert month.sentence.startswith(f"the budget of {now:%Y-%m}, $300.00, cannot be held: calls without a price")


def promise(usd: str, now) -> None:
    request = ReservationRequest(id=uuid.uuid4(), usd=Decimal(usd), run_id=RUN)
    reserve(holder=uuid.uuid4(), requests=[request], now=now)


def test_home_warns_from_the_share_on(now):
    spend("240")
    assert titles(now) == [
        f"$240.00 of $300.00 spent of the budget of {now:%Y-%m}: no new conversation is cross-checked"
    ]


def test_home_names_a_run_whose_budget_is_too_small_to_go_on(now):
    run = Scope(ScopeKind.RUN, str(RUN))
    set_limit(scope=run, usd=Decimal(1))
    spend("0.99")
    reserve(
        holder=uuid.uuid4(), requests=[ReservationRequest(id=uuid.uuid4(), usd=Decimal("0.02"), run_id=RUN)], now=now
    )
    told = "Budget too small to go on: the run's budget, $0.99 of $1.00 spent. Raise it under Usage"
    assert titles(now) == [told]
    assert usage_page(now.date(), now=now).budgets[0].scope == run  # what stops work first


def test_the_page_counts_what_is_in_flight_and_a_month_s_own_limit(now):
    set_limit(scope=month_of(now), usd=Decimal(5))
    reserve(
        holder=uuid.uuid4(), requests=[ReservationRequest(id=uuid.uuid4(), usd=Decimal("0.25"), run_id=RUN)], now=now
    )
    month = usage_page(now.date(), now=now).budgets[0]
    assert (month.limit, month.own_limit, month.promised, month.left) == (
        Decimal(5),
        True,
        Decimal("0.25"),
        Decimal("4.75"),
    )


def test_answers_from_cache_are_no_calls_and_their_saving_is_shown(now):
    spend("0.5")
    spend("0", cached=True, saved_usd=Decimal("0.5"))
    page = usage_page(now.date(), now=now)
    assert (page.spent.calls, page.spent.cached, page.spent.saved_usd) == (1, 1, Decimal("0.5"))
    assert (page.purposes[0]["calls"], page.purposes[0]["cached"], page.purposes[0]["saved"]) == (1, 1, Decimal("0.5"))


def test_what_stops_work_stands_above_what_only_warns(now):
    set_limit(scope=Scope(ScopeKind.RUN, str(RUN)), usd=Decimal(1))
    set_limit(scope=month_of(now), usd=Decimal("1.2"))
    spend("0.99")
    reserve(
        holder=uuid.uuid4(), requests=[ReservationRequest(id=uuid.uuid4(), usd=Decimal("0.02"), run_id=RUN)], now=now
    )
    assert [need.look.label for need in home_page(now=now).needs] == ["stuck", "attention"]

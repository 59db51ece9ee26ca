"""What models cost, by day, purpose and model."""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce, TruncDate

from apps.budgets.domain.scopes import month_of
from apps.budgets.models import ModelCall
from apps.budgets.queries import Spent, spent_between
from apps.budgets.queries.standing import Standing, standing_now, standing_of
from apps.dashboard.domain.figures import dollars, forecast
from apps.dashboard.domain.sentences import Headline, usage_headline


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    day: date
    cost: Decimal
    calls: int
    x: int
    y: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UsagePage:
    month: date
    earlier: date
    later: date | None
    headline: Headline
    spent: Spent
    ceiling: float | None
    warn_at: float | None
    expected: float
    over: bool
    days: Sequence[Day]
    purposes: Sequence[dict[str, Any]]
    models: Sequence[dict[str, Any]]
    budgets: Sequence[Standing]


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthSpent:
    """This month against what the tenant allows itself."""

    spent: Spent
    ceiling: float | None
    warn: bool
    expected: float
    budgets: Sequence[Standing]


def month_spent(now: datetime) -> MonthSpent:
    """Five queries."""
    budgets = standing_now(now=now)
    start = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    spent = spent_between(start, now + timedelta(days=1))
    month = budgets[0]
    return MonthSpent(
        spent=spent,
        ceiling=_number(month.limit),
        warn=month.warn,
        expected=_expected(spent, start, now),
        budgets=budgets,
    )


def usage_page(month: date, *, now: datetime) -> UsagePage:
    """All of the page. Nine queries whatever the size."""
    start = datetime(month.year, month.month, 1, tzinfo=UTC)
    end = start + timedelta(days=monthrange(month.year, month.month)[1])
    current = start <= now < end
    spent = spent_between(start, end)
    budgets = standing_now(now=now) if current else standing_of([month_of(start)], now=now)
    ceiling = _number(budgets[0].limit)
    expected = _expected(spent, start, now) if current else float(spent.cost_usd)
    calls = ModelCall.objects.filter(created_at__gte=start, created_at__lt=end)
    return UsagePage(
        month=start.date(),
        earlier=(start - timedelta(days=1)).date(),
        later=end.date() if end <= now else None,
        headline=usage_headline(
            month=f"{start:%B %Y}",
            spent=dollars(float(spent.cost_usd)),
            ceiling=dollars(ceiling) if ceiling is not None else "",
            expected=dollars(expected),
            current=current,
        ),
        spent=spent,
        ceiling=ceiling,
        warn_at=_number(budgets[0].warn_at),
        expected=expected,
        over=ceiling is not None and expected > ceiling,
        days=_days(calls, start, (end - start).days),
        purposes=_by(calls, "purpose"),
        models=_by(calls, "provider", "requested_model"),
        budgets=sorted(budgets, key=lambda one: (one.stopped_at is None, not one.warn)),  # worst first
    )


def _number(usd: Decimal | None) -> float | None:
    return None if usd is None else float(usd)


def _expected(spent: Spent, start: datetime, now: datetime) -> float:
    passed = (now - start).total_seconds() / 86_400
    return forecast(float(spent.cost_usd), day=passed, days=monthrange(start.year, start.month)[1])


def _days(calls: Any, start: datetime, count: int) -> list[Day]:
    rows = calls.annotate(day=TruncDate("created_at", tzinfo=UTC)).values("day").annotate(
        cost=Coalesce(Sum("cost_usd"), Decimal(0)), calls=Count("id", filter=Q(cached=False))
    ).order_by("day")  # fmt: skip
    found = {row["day"]: row for row in rows}
    paid = any(row["cost"] for row in found.values())
    top = max((float(row["cost"] if paid else row["calls"]) for row in found.values()), default=0.0)
    days = []
    for n in range(count):
        day = (start + timedelta(days=n)).date()
        row = found.get(day) or {"cost": Decimal(0), "calls": 0}
        height = 80 * float(row["cost"] if paid else row["calls"]) / top if top else 0.0
        height = max(height, 2.0) if row["calls"] else 0.5
        days.append(Day(day=day, cost=row["cost"], calls=row["calls"], x=n * 20, y=80 - height, height=height))
    return days


def _by(calls: Any, *names: str) -> list[dict[str, Any]]:
    rows = (
        calls.values(*names)
        .annotate(
            cost=Coalesce(Sum("cost_usd"), Decimal(0)),
            calls=Count("id", filter=Q(cached=False)),
            saved=Coalesce(Sum("saved_usd"), Decimal(0)),
            failed=Count("id", filter=~Q(outcome="ok")),
            cached=Count("id", filter=Q(cached=True)),
            tokens_in=Coalesce(Sum("input_tokens"), 0),
            tokens_out=Coalesce(Sum("output_tokens"), 0) + Coalesce(Sum("reasoning_tokens"), 0),
        )
        .order_by(F("cost").desc(), F("calls").desc())
    )
    return list(rows)

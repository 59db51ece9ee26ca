"""The cost of models, by day, purpose and model."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q

from apps.budgets.domain.scopes import ScopeKind, month_of
from apps.budgets.models import ModelCall
from apps.budgets.queries import Spent
from apps.budgets.queries.statuses import BudgetStatus, budget_statuses_now, budget_statuses_of
from apps.dashboard.domain.figures import cost_text, dollars, forecast
from apps.dashboard.domain.sentences import Headline, usage_headline

DEAREST = 10  # runs that are named


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
    budgets: Sequence[BudgetStatus]
    top: str  # what the highest day stands for
    runs: Sequence["RunCost"]


@dataclass(frozen=True, slots=True)
class RunCost:
    """The cost of one run's calls this month; `unpriced` of them have no known price."""

    run: UUID
    name: str
    agent: str
    cost: Decimal
    calls: int
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthSpent:
    """Cost of this month against the tenant's own limit. `spent_usd` is the budget's, which is the ledger's sum."""

    spent_usd: Decimal
    ceiling: float | None
    warn: bool
    expected: float
    budgets: Sequence[BudgetStatus]
    words: str = ""
    partly: bool = False  # known: calls without a price stand beside it


def month_spent(now: datetime) -> MonthSpent:
    """Return what was spent this month, against its budgets. Four queries.
    One more where nothing was spent: it looks whether no call has a price."""
    budgets = budget_statuses_now(now=now)
    start = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    month = budgets[0]
    unpriced = ModelCall.objects.filter(created_at__gte=start, cached=False, cost_usd=None, outcome="ok").exists()
    return MonthSpent(
        spent_usd=month.spent,
        ceiling=_number(month.limit),
        warn=month.warn,
        expected=_expected(month.spent, start, now),
        budgets=budgets,
        words=_words(month.spent, _number(month.limit), start, unpriced=unpriced),
        partly=unpriced and month.spent > 0,
    )


def _words(spent: Decimal, ceiling: float | None, start: datetime, *, unpriced: bool) -> str:
    if spent or not unpriced:
        return f"{'at least ' if unpriced else ''}{cost_text(float(spent), calls=0, unpriced=0, ceiling=ceiling)}"
    made = ModelCall.objects.filter(created_at__gte=start, cached=False)
    counts = made.aggregate(calls=Count("pk"), unpriced=Count("pk", filter=Q(cost_usd=None, outcome="ok")))
    return cost_text(0.0, **counts)


def usage_page(month: date, *, now: datetime) -> UsagePage:
    """All of the page. Seven queries whatever the size; the month's ledger is read twice."""
    start = datetime(month.year, month.month, 1, tzinfo=UTC)
    end = start + timedelta(days=monthrange(month.year, month.month)[1])
    current = start <= now < end
    groups = _groups(start, end)
    spent = _spent(groups)
    budgets = budget_statuses_now(now=now) if current else budget_statuses_of([month_of(start)], now=now)
    budgets = [_known_by(budget, spent) for budget in budgets]
    ceiling = _number(budgets[0].limit)
    expected = _expected(spent.known_usd, start, now) if current else float(spent.known_usd)
    days = _days(groups, start, (end - start).days)
    return UsagePage(
        month=start.date(),
        earlier=(start - timedelta(days=1)).date(),
        later=end.date() if end <= now else None,
        headline=usage_headline(
            month=f"{start:%B %Y}",
            spent=cost_text(float(spent.known_usd), calls=spent.calls, unpriced=spent.unpriced, ceiling=ceiling),
            expected=dollars(expected),
            current=current,
        ),
        spent=spent,
        ceiling=ceiling,
        warn_at=_number(budgets[0].warn_at),
        expected=expected,
        over=ceiling is not None and expected > ceiling,
        days=days,
        top=_top(days),
        runs=_runs(start, end) if groups else (),
        purposes=_by(groups, "purpose"),
        models=_by(groups, "provider", "requested_model"),
        budgets=sorted(budgets, key=lambda budget: (budget.stopped_at is None, not budget.warn)),  # worst first
    )


def _known_by(budget: BudgetStatus, month: Spent) -> BudgetStatus:
    """The budget, with its spending marked unknown where a call of the month has no price (month and tenant only)."""
    counts = budget.scope.kind in (ScopeKind.MONTH, ScopeKind.TENANT)
    return replace(budget, unpriced=month.unpriced > 0) if counts else budget


def _number(usd: Decimal | None) -> float | None:
    return None if usd is None else float(usd)


def _expected(spent_usd: Decimal, start: datetime, now: datetime) -> float:
    passed = (now - start).total_seconds() / 86_400
    return forecast(float(spent_usd), day=passed, days=monthrange(start.year, start.month)[1])


_KEYS = ("day", "purpose", "provider", "requested_model")
_SUMS = ("cost", "saved", "calls", "cached", "failed", "unpriced", "tokens_in", "tokens_out", "tokens")
# Day by day along the index: the planner cannot know how many days a column of times holds, and would sort them all.
_GROUPS = """
SELECT d.day::date, c.* FROM generate_series(%s::timestamptz, %s::timestamptz - interval '1 day', '1 day') AS d(day),
LATERAL (
  SELECT purpose, provider, requested_model, coalesce(sum(cost_usd), 0), coalesce(sum(saved_usd), 0),
    count(*) FILTER (WHERE NOT cached), count(*) FILTER (WHERE cached),
    count(*) FILTER (WHERE outcome NOT IN ('ok', 'open')),
    count(*) FILTER (WHERE cost_usd IS NULL AND outcome = 'ok'), sum(input_tokens),
    sum(output_tokens) + sum(reasoning_tokens), sum(input_tokens) + sum(output_tokens)
  FROM budgets_modelcall WHERE created_at >= d.day AND created_at < d.day + interval '1 day'
  GROUP BY purpose, provider, requested_model) c
"""


def _groups(start: datetime, end: datetime) -> list[dict[str, Any]]:
    """The month's calls summed by day (UTC), purpose and model: some hundred rows, however many calls. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_GROUPS, [start, end])
        return [dict(zip((*_KEYS, *_SUMS), row, strict=True)) for row in cursor.fetchall()]


# The dearest; where nothing has a price, those with the most calls.
_RUNS = """
SELECT m.run_id, r.name, coalesce(nullif(r.subject->>'agent', ''), a.name, ''), m.cost, m.calls, m.unpriced FROM (
  SELECT run_id, coalesce(sum(cost_usd), 0) AS cost, count(*) FILTER (WHERE NOT cached) AS calls,
    count(*) FILTER (WHERE cost_usd IS NULL AND outcome = 'ok') AS unpriced
  FROM budgets_modelcall WHERE created_at >= %s AND created_at < %s AND run_id IS NOT NULL
  GROUP BY run_id ORDER BY 2 DESC, 3 DESC LIMIT %s) m
JOIN runs_testrun r ON r.id = m.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
ORDER BY m.cost DESC, m.calls DESC
"""


def _runs(start: datetime, end: datetime) -> list[RunCost]:
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, [start, end, DEAREST])
        return [RunCost(*row) for row in cursor.fetchall()]


def _top(days: Sequence[Day]) -> str:
    """The highest bar's figure: dollars, or calls in a month without a known price."""
    cost = max((day.cost for day in days), default=Decimal(0))
    calls = max((day.calls for day in days), default=0)
    return dollars(float(cost)) if cost else f"{calls:,} call{'' if calls == 1 else 's'}"


def _summed(groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: sum((group[name] for group in groups), Decimal(0) if name == "cost" else 0) for name in _SUMS}


def _spent(groups: Sequence[Mapping[str, Any]]) -> Spent:
    whole = _summed(groups)
    return Spent(
        calls=whole["calls"],
        known_usd=whole["cost"],
        tokens=whole["tokens"],
        unpriced=whole["unpriced"],
        cached=whole["cached"],
        saved_usd=Decimal(whole["saved"]),
    )


def _by(groups: Sequence[Mapping[str, Any]], *names: str) -> list[dict[str, Any]]:
    """The groups that agree in these names, summed; the dearest first."""
    together: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for group in groups:
        together.setdefault(tuple(group[name] for name in names), []).append(group)
    rows = [dict(zip(names, key, strict=True)) | _summed(some) for key, some in together.items()]
    return sorted(rows, key=lambda row: (-row["cost"], -row["calls"], *(row[name] for name in names)))


def _days(groups: Sequence[Mapping[str, Any]], start: datetime, count: int) -> list[Day]:
    rows_by_day = {row["day"]: row for row in _by(groups, "day")}
    paid = any(row["cost"] for row in rows_by_day.values())
    top = max((float(row["cost"] if paid else row["calls"]) for row in rows_by_day.values()), default=0.0)
    days = []
    for n in range(count):
        day = (start + timedelta(days=n)).date()
        row = rows_by_day.get(day) or {"cost": Decimal(0), "calls": 0}
        height = 80 * float(row["cost"] if paid else row["calls"]) / top if top else 0.0
        height = max(height, 2.0) if row["calls"] else 0.5
        days.append(Day(day=day, cost=row["cost"], calls=row["calls"], x=n * 20, y=80 - height, height=height))
    return days

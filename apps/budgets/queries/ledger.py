"""Reading the ledger."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum, Value
from django.db.models.functions import Coalesce

from apps.budgets.domain.scopes import SHARE_PREFIX, Scope, ScopeKind, month_span
from apps.budgets.models import ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The sums over a set of calls. `known_usd` is what those with a price cost; `unpriced` counts those without one,
    and what all of them cost is then unknown.

    `calls` are those that reached a model; `cached` answers were kept from before; `saved_usd` is what these had cost.
    """

    calls: int
    known_usd: Decimal
    tokens: int
    unpriced: int
    cached: int = 0
    saved_usd: Decimal = Decimal(0)

    @property
    def cost_usd(self) -> Decimal | None:
        """The cost of all calls; None where any has no price."""
        return None if self.unpriced else self.known_usd

    def as_json(self) -> dict[str, Any]:
        """The cost as every document has it."""
        return {
            "cost_usd": None if self.cost_usd is None else float(self.cost_usd),
            "known_cost_usd": float(self.known_usd),
            "model_calls": self.calls,
            "calls_without_price": self.unpriced,
        }


def _spent(condition: Q) -> Spent:
    totals = ModelCall.objects.filter(condition).aggregate(
        calls=Count(Value(1), filter=Q(cached=False)),
        cached=Count(Value(1), filter=Q(cached=True)),
        saved=Coalesce(Sum("saved_usd"), Decimal(0)),
        cost=Coalesce(Sum("cost_usd"), Decimal(0)),
        tokens=Coalesce(Sum("input_tokens"), 0) + Coalesce(Sum("output_tokens"), 0),
        unpriced=Count(Value(1), filter=Q(cost_usd__isnull=True, outcome="ok")),
    )
    return Spent(
        calls=totals["calls"],
        known_usd=totals["cost"],
        tokens=totals["tokens"],
        unpriced=totals["unpriced"],
        cached=totals["cached"],
        saved_usd=totals["saved"],
    )


def spent_on_evaluation(evaluation_id: uuid.UUID) -> Spent:
    """Calls, dollars and tokens of one evaluation. One query."""
    return _spent(Q(evaluation_id=evaluation_id))


def spent_on_run(run_id: uuid.UUID) -> Spent:
    """Calls, dollars and tokens of one run, its evaluations included. One query."""
    return _spent(Q(run_id=run_id))


def spent_on_runs(run_ids: Collection[uuid.UUID]) -> Spent:
    """Calls, dollars and tokens of some runs together, their evaluations included. One query."""
    return _spent(Q(run_id__in=run_ids))


def spent_between(start: datetime, end: datetime) -> Spent:
    """Calls, dollars and tokens of a span of time (start included, end not). One query."""
    return _spent(Q(created_at__gte=start, created_at__lt=end))


def spent_of(scope: Scope) -> Spent:
    """Return calls, dollars and tokens of a budget. One query, indexed for a run and a month only."""
    if scope.kind is ScopeKind.RUN:
        return _spent(Q(run_id=scope.name))
    condition = Q()
    if scope.month:
        start, end = month_span(scope.month)
        condition &= Q(created_at__gte=start, created_at__lt=end)
    if scope.kind is ScopeKind.PULL_REQUEST:
        condition &= Q(pull_request=scope.name)
    if scope.kind is ScopeKind.SHARE:
        condition &= Q(pull_request=f"{SHARE_PREFIX}{scope.name.partition('/')[0]}")
    return _spent(condition)


def cost_by_conversation(
    *, evaluation_id: uuid.UUID | None = None, run_id: uuid.UUID | None = None
) -> dict[uuid.UUID, float]:
    """Dollars by conversation: of judging it in an evaluation, or of playing it in a run (no evaluation's calls).

    Conversations without a call are absent, and so are those of which any call has no price. One query.
    """
    calls = ModelCall.objects.filter(conversation_id__isnull=False)
    if evaluation_id is not None:
        calls = calls.filter(evaluation_id=evaluation_id)
    else:
        calls = calls.filter(run_id=run_id, evaluation_id__isnull=True)
    unpriced = Count(Value(1), filter=Q(cost_usd__isnull=True, outcome="ok"))
    sums = calls.values_list("conversation_id").annotate(usd=Sum("cost_usd"), unpriced=unpriced).order_by()
    return {conversation: float(usd) for conversation, usd, lacks in sums if usd is not None and not lacks}

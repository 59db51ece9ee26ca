"""Report on budgets: limits, what is spent, what is promised, what is stopped."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Q

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.domain.sentences import spent_sentence, unheld_sentence, warning_sentence
from apps.budgets.models import Budget
from apps.budgets.queries.limits import Limits, limits_in_force

_PROMISED = """
SELECT b.id, sum(r.usd) FROM budgets_reservation r, unnest(r.budgets) AS b(id) WHERE r.expires_at > %s GROUP BY b.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStatus:
    """One budget now. `limit` None: no limit. `promised` is what calls in flight may still cost at most. `unpriced`:
    calls without a price count for it, so that nobody knows what is spent, and a limit cannot be held."""

    scope: Scope
    limit: Decimal | None
    own_limit: bool
    spent: Decimal
    promised: Decimal
    warn_at: Decimal | None
    stopped_at: datetime | None
    unpriced: bool = False

    @property
    def left(self) -> Decimal | None:
        """The money that is neither spent nor promised; never below 0."""
        return None if self.limit is None else max(Decimal(0), self.limit - self.spent - self.promised)

    @property
    def warn(self) -> bool:
        """Tell whether the share was reached from which no new conversation is cross-checked."""
        return self.warn_at is not None and self.spent >= self.warn_at

    @property
    def sentence(self) -> str:
        """The warning for people; "" where there is none."""
        if self.limit is not None and self.stopped_at is not None:
            return spent_sentence(self.scope, limit=self.limit, spent=self.spent, held=self.promised)
        if self.limit is not None and self.unpriced:
            return unheld_sentence(self.scope, limit=self.limit)
        if self.limit is not None and self.warn:
            return warning_sentence(self.scope, spent=self.spent, limit=self.limit)
        return ""

    def as_json(self) -> dict[str, Any]:
        """The state as JSON for commands and the API; money as plain numbers."""
        return {
            "budget": self.scope.kind.value,
            "name": self.scope.name,
            "limit_usd": _number(self.limit),
            "own_limit": self.own_limit,
            "spent_usd": None if self.unpriced else _number(self.spent),
            "known_spent_usd": _number(self.spent),
            "promised_usd": _number(self.promised),
            "left_usd": None if self.unpriced else _number(self.left),
            "warning": self.warn,
            "stopped": self.stopped_at is not None,
            "sentence": self.sentence,
        }


def budget_statuses_of(scopes: Collection[Scope], *, now: datetime) -> list[BudgetStatus]:
    """Return the state of these budgets, in their order; a budget nobody touched has spent nothing. Three queries."""
    rows = {row.scope: row for row in Budget.objects.filter(pk__in=[scope.id for scope in scopes])}
    promised, limits = _promised(now), limits_in_force()
    return [_status(rows.get(scope) or _untouched(scope), limits, promised) for scope in scopes]


def budget_statuses_now(*, now: datetime) -> list[BudgetStatus]:
    """The month, the tenant's whole budget, and whatever else is stopped. Three queries."""
    always = [month_of(now), Scope(ScopeKind.TENANT)]
    touched = Budget.objects.filter(Q(pk__in=[scope.id for scope in always]) | Q(stopped_at__isnull=False))
    rows = {row.scope: row for row in touched}
    promised, limits = _promised(now), limits_in_force()
    every = [*always, *sorted(scope for scope in rows if scope not in always)]
    return [_status(rows.get(scope) or _untouched(scope), limits, promised) for scope in every]


def _status(row: Budget, limits: Limits, promised: dict[uuid.UUID, Decimal]) -> BudgetStatus:
    limit = limits.of(row)
    return BudgetStatus(
        scope=row.scope,
        limit=limit,
        own_limit=row.limit_usd is not None,
        spent=row.spent_usd,
        promised=promised.get(row.pk, Decimal(0)),
        warn_at=None if limit is None else limit * limits.warn_share,
        stopped_at=row.stopped_at,
    )


def _untouched(scope: Scope) -> Budget:
    return Budget(id=scope.id, kind=scope.kind.value, name=scope.name, spent_usd=Decimal(0))


def _promised(now: datetime) -> dict[uuid.UUID, Decimal]:
    with connection.cursor() as cursor:
        cursor.execute(_PROMISED, [now])
        return dict(cursor.fetchall())


def _number(usd: Decimal | None) -> float | None:
    return None if usd is None else float(usd)

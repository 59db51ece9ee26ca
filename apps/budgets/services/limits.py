"""Changing limits, and letting work go on where there is money again."""

from datetime import datetime
from decimal import Decimal

from django.db import transaction

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of, pull_request_name
from apps.budgets.models import Budget
from apps.budgets.queries.limits import limits_in_force
from apps.budgets.services.accounts import locked
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event

_MOST = Decimal(1_000_000)


def set_limit(*, scope: Scope, usd: Decimal | None) -> None:
    """Give one scope a limit of its own; None means that the tenant's setting counts again.

    Raises BadInput for a sum below 0 or beyond a million. Work that waits for this money goes on with the next tick,
    or at once where the door wakes workers. Safe to repeat.
    """
    if usd is not None:
        _check_sum(usd)
    with transaction.atomic():
        row = locked([scope])[scope]
        share = limits_in_force().warn_share
        warned = row.warned_at if usd is not None and row.spent_usd >= usd * share else None
        Budget.objects.filter(pk=row.pk).update(limit_usd=usd, warned_at=warned)
    log_event(EventType.BUDGET_RAISED, budget=str(scope), limit_usd=None if usd is None else str(usd))


def declare_limit(*, pull_request: str, usd: Decimal) -> None:
    """Declare the limit of a pull request, as its own repository sets it: the last declaration counts, within the
    tenant's limit. Raises BadInput as `set_limit`. Two queries; safe to repeat."""
    _check_sum(usd)
    with transaction.atomic():
        row = locked([Scope(ScopeKind.PULL_REQUEST, pull_request_name(pull_request))]).popitem()[1]
        if row.declared_usd != usd:
            Budget.objects.filter(pk=row.pk).update(declared_usd=usd)


def _check_sum(usd: Decimal) -> None:
    if not 0 <= usd <= _MOST:
        raise BadInput(f"A budget is between 0 and {_MOST:,} dollars, not {usd}.", code="bad_budget", pointer="/usd")


def lift_stops(*, now: datetime) -> list[Scope]:
    """Take back the stops of budgets that have what was refused: raised, or their month is over. Which these were.

    One query where nothing is stopped, so that every tick may ask. Safe to repeat and to race.
    """
    stopped = list(Budget.objects.filter(stopped_at__isnull=False))
    if not stopped:
        return []
    limits = limits_in_force()
    lifted = []
    for row in stopped:
        limit = limits.of(row)
        over = bool(row.scope.month) and row.scope.month != month_of(now).name
        if over or limit is None or row.spent_usd + (row.needed_usd or 0) <= limit:
            same = Budget.objects.filter(pk=row.pk, stopped_at=row.stopped_at)
            if same.update(stopped_at=None, needed_usd=None):
                lifted.append(row.scope)
    return lifted

"""The rows of budgets: made when first needed, locked in one order, charged in the transaction that writes the ledger.

A row is counted from the ledger when it is made, under its own lock, and whoever writes the ledger locks the row after
writing: whichever comes first, each call is counted once.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from django.db import connection, transaction
from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from apps.budgets.domain.scopes import SHARE_PREFIX, Scope, ScopeKind, month_span
from apps.budgets.models import Budget, ModelCall
from apps.core.events import EventType, log_event

_MAKE = """
INSERT INTO budgets_budget (id, kind, name, spent_usd)
SELECT id, kind, name, 0 FROM unnest(%(ids)s::uuid[], %(kinds)s::text[], %(names)s::text[]) AS b(id, kind, name)
ON CONFLICT (id) DO NOTHING RETURNING id
"""

_CHARGE = """
UPDATE budgets_budget b SET spent_usd = b.spent_usd + c.usd
FROM unnest(%(ids)s::uuid[], %(amounts)s::numeric[]) AS c(id, usd) WHERE b.id = c.id
"""


def locked(scopes: Collection[Scope]) -> dict[Scope, Budget]:
    """The rows of these scopes, locked until the transaction ends. Two queries; more for a row's first time.

    Rows are made before any is locked, and locked in the order of their ids: no two transactions wait for each other.
    """
    return _locked(scopes)[0]


def charge(amounts: Mapping[Scope, Decimal]) -> None:
    """Add what was just written into the ledger: inside that transaction, after the ledger. Three queries."""
    amounts = {scope: usd for scope, usd in amounts.items() if usd}
    if not amounts:
        return
    _, created = _locked(amounts)
    due = [(scope.id, usd) for scope, usd in amounts.items() if scope not in created]  # who makes a row counts it whole
    if due:
        with connection.cursor() as cursor:
            cursor.execute(_CHARGE, {"ids": [id for id, _ in due], "amounts": [usd for _, usd in due]})


def recount(scopes: Collection[Scope]) -> dict[Scope, Decimal]:
    """Put these budgets right from the ledger; by how much each was wrong. Safe to repeat and to race with work."""
    wrong = {}
    with transaction.atomic():
        for scope, row in locked(scopes).items():
            spent = ledger_total(scope)
            if spent != row.spent_usd:
                wrong[scope] = spent - row.spent_usd
                Budget.objects.filter(pk=row.pk).update(spent_usd=spent)
    for scope, by in wrong.items():
        log_event(EventType.BUDGET_RECOUNTED, budget=str(scope), by_usd=str(by))
    return wrong


def ledger_total(scope: Scope) -> Decimal:
    """The money spent according to the ledger. One query."""
    match scope.kind:
        case ScopeKind.RUN:
            which = Q(run_id=uuid.UUID(scope.name))
        case ScopeKind.PULL_REQUEST:
            which = Q(pull_request=scope.name)
        case ScopeKind.MONTH:
            start, end = month_span(scope.name)
            which = Q(created_at__gte=start, created_at__lt=end)
        case ScopeKind.SHARE:
            start, end = month_span(scope.month)
            which = Q(pull_request=SHARE_PREFIX + scope.name.rpartition("/")[0])
            which &= Q(created_at__gte=start, created_at__lt=end)
        case ScopeKind.TENANT:
            which = Q()
    total: Decimal = ModelCall.objects.filter(which).aggregate(usd=Coalesce(Sum("cost_usd"), Decimal(0)))["usd"]
    return total


def _locked(scopes: Collection[Scope]) -> tuple[dict[Scope, Budget], set[Scope]]:
    by_id = {scope.id: scope for scope in scopes}
    there = set(Budget.objects.filter(pk__in=by_id).values_list("pk", flat=True))
    missing = [by_id[id] for id in sorted(set(by_id) - there)]
    created = _make(missing) if missing else set()
    rows = Budget.objects.filter(pk__in=by_id).order_by("pk").select_for_update()
    accounts = {by_id[row.pk]: row for row in rows}
    spent = {scope: usd for scope, usd in _ledger_totals(created).items() if usd}
    for scope, usd in spent.items():
        accounts[scope].spent_usd = usd
    if spent:
        Budget.objects.bulk_update([accounts[scope] for scope in spent], ["spent_usd"])
    return accounts, created


def _ledger_totals(scopes: Collection[Scope]) -> dict[Scope, Decimal]:
    """Sum the ledger for several budgets as `ledger_total`. One query for all runs, one for each other scope."""
    runs = [uuid.UUID(scope.name) for scope in scopes if scope.kind is ScopeKind.RUN]
    sums = {scope: ledger_total(scope) for scope in scopes if scope.kind is not ScopeKind.RUN}
    if runs:
        run_sums = ModelCall.objects.filter(run_id__in=runs).values("run_id").annotate(usd=Sum("cost_usd")).order_by()
        by_run = {str(row["run_id"]): row["usd"] or Decimal(0) for row in run_sums}
        sums |= {scope: by_run.get(scope.name, Decimal(0)) for scope in scopes if scope.kind is ScopeKind.RUN}
    return sums


def _make(scopes: Sequence[Scope]) -> set[Scope]:
    """Create budgets; return those created here and not by somebody else at the same time."""
    names = {scope.id: scope for scope in scopes}
    with connection.cursor() as cursor:
        cursor.execute(
            _MAKE,
            {
                "ids": list(names),
                "kinds": [scope.kind.value for scope in scopes],
                "names": [scope.name for scope in scopes],
            },
        )
        return {names[row[0]] for row in cursor.fetchall()}

"""What is said when money runs short."""

from decimal import Decimal

from apps.budgets.domain.scopes import Scope, ScopeKind, month_span

SPENT_CODE = "budget_spent"  # the error code of work that waits for money


def dollars(usd: Decimal) -> str:
    """Cents, or more places where cents would say nothing."""
    return f"${usd:.2f}" if usd >= Decimal("0.01") or usd == 0 else f"${usd:.6f}".rstrip("0")


def spent_sentence(scope: Scope, *, spent: Decimal, limit: Decimal, needed: Decimal) -> str:
    """Which budget, how it stands, and what to do; fits into 200 characters for any real pull request."""
    wait = ""
    if scope.kind is ScopeKind.MONTH:
        wait = f", or wait until {month_span(scope.name)[1]:%-d %B}"
    return (
        f"budget spent: {scope}, {dollars(spent)} of {dollars(limit)}; one more may need {dollars(needed)}. "
        f"Raise it (set_budget){wait}"
    )


def warning_sentence(scope: Scope, *, spent: Decimal, limit: Decimal) -> str:
    """What is said from 80 % on."""
    return f"{dollars(spent)} of {dollars(limit)} spent of {scope}: no second judge is asked any more"

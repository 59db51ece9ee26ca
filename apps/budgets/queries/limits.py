"""Which limit is in force for a scope."""

from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

from apps.budgets.domain.scopes import ScopeKind
from apps.budgets.models import Budget
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The tenant's settings as decimals; None means no limit. `warn_share` of a limit is where warnings begin."""

    by_kind: dict[ScopeKind, Decimal | None]
    warn_share: Decimal

    def of(self, budget: Budget) -> Decimal | None:
        """The budget's own limit, else what the settings say of its kind."""
        own: Decimal | None = budget.limit_usd
        return own if own is not None else self.by_kind[ScopeKind(budget.kind)]


def limits_in_force() -> Limits:
    """The tenant's limits. RATIBA_EVAL_BUDGET_USD, where set, is the limit of a pull request. One query."""
    config = workflow_config(current_slug())
    pull_request = settings.EVAL_BUDGET_USD
    return Limits(
        by_kind={
            ScopeKind.RUN: _usd(config.budget_run_usd),
            ScopeKind.PULL_REQUEST: _usd(config.budget_pull_request_usd if pull_request is None else pull_request),
            ScopeKind.MONTH: _usd(config.budget_month_usd),
            ScopeKind.TENANT: None,  # only where somebody set one
        },
        warn_share=Decimal(str(config.budget_warn_share)),
    )


def _usd(value: float | Decimal | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))

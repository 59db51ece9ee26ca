"""The limit that is in force for a scope."""

from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

from apps.budgets.domain.scopes import ScopeKind
from apps.budgets.models import Budget
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.queries import find_tenant

_SETTINGS = {
    ScopeKind.RUN: "budget_run_usd",
    ScopeKind.PULL_REQUEST: "budget_pull_request_usd",
    ScopeKind.MONTH: "budget_month_usd",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The tenant's settings as decimals; None means no limit. `warn_share` of a limit is where warnings begin.

    `chosen` are the kinds whose limit somebody set: a default stops no model whose price nobody knows.
    """

    by_kind: dict[ScopeKind, Decimal | None]
    warn_share: Decimal
    chosen: frozenset[ScopeKind] = frozenset()

    def of(self, budget: Budget) -> Decimal | None:
        """The budget's own limit, else what the settings say of its kind; less where less was declared."""
        allowed = budget.limit_usd if budget.limit_usd is not None else self.by_kind[ScopeKind(budget.kind)]
        declared: Decimal | None = budget.declared_usd
        return min((one for one in (allowed, declared) if one is not None), default=None)

    def binding(self, budget: Budget) -> Decimal | None:
        """Return the limit as `of` does, but None for one that is only a default.

        A limit binds where somebody set it here, declared it, or set it for all of its kind.
        """
        own = budget.limit_usd is not None or budget.declared_usd is not None
        return self.of(budget) if own or budget.kind in self.chosen else None


def limits_in_force() -> Limits:
    """The tenant's limits. RATIBA_EVAL_BUDGET_USD, where set, is the limit of a pull request. One query."""
    stored = find_tenant(current_slug()).settings
    config = WorkflowConfig.from_json(stored)
    pull_request = settings.EVAL_BUDGET_USD
    chosen = {kind for kind, name in _SETTINGS.items() if name in stored}
    if pull_request is not None:
        chosen.add(ScopeKind.PULL_REQUEST)
    if "sampling_budget_share" in stored or ScopeKind.MONTH in chosen:
        chosen.add(ScopeKind.SHARE)
    return Limits(
        by_kind={
            ScopeKind.RUN: _usd(config.budget_run_usd),
            ScopeKind.PULL_REQUEST: _usd(config.budget_pull_request_usd if pull_request is None else pull_request),
            ScopeKind.MONTH: _usd(config.budget_month_usd),
            ScopeKind.TENANT: None,  # only where somebody set one
            ScopeKind.SHARE: _share(config),
        },
        warn_share=Decimal(str(config.budget_warn_share)),
        chosen=frozenset(chosen),
    )


def _share(config: WorkflowConfig) -> Decimal | None:
    """Return the month's share for judging real conversations. A month without a limit has shares without one."""
    month = _usd(config.budget_month_usd)
    return None if month is None else month * Decimal(str(config.sampling_budget_share))


def _usd(value: float | Decimal | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))

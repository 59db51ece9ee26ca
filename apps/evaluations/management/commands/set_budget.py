"""Command `set_budget --run R|--pull-request REF|--month [2026-11]|--whole-tenant [--usd N|--as-set]`."""

import uuid
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.budgets.domain.dollars import read_dollars
from apps.budgets.domain.scopes import Scope, ScopeKind, month_of, month_span
from apps.budgets.queries.ledger import spent_of
from apps.budgets.queries.statuses import budget_statuses_of
from apps.budgets.services.limits import set_limit
from apps.core.errors import BadInput
from apps.evaluations.progress.services.resume import resume_after_budget_raise
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Give a run, a pull request, a month or the whole tenant a budget of its own; work that waits for it goes on. "
        "Without --usd: how that budget stands."
    )

    reads_rows = False

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--run", type=uuid.UUID, help="the run's id")
        which.add_argument("--pull-request", help="as it was named when the run was started")
        which.add_argument("--month", nargs="?", const="", help="this month, or 2026-11; settings hold every month's")
        which.add_argument("--whole-tenant", action="store_true", help="everything this tenant ever spends")
        limit = parser.add_mutually_exclusive_group()
        limit.add_argument("--usd", help="dollars")
        limit.add_argument("--as-set", action="store_true", help="as the tenant's settings say")

    def answer(self, *, tenant: str, usd: str | None, as_set: bool, **options: Any) -> dict[str, Any]:
        now = timezone.now()
        scope = _scope(options, month_of(now))
        if usd is not None or as_set:
            set_limit(scope=scope, usd=None if usd is None else read_dollars(usd))
            resume_after_budget_raise(now=now)
            wake_workers_on_commit(tenant)
        (status,) = budget_statuses_of([scope], now=now)
        return replace(status, unpriced=spent_of(scope).unpriced > 0).as_json()


def _scope(options: dict[str, Any], month: Scope) -> Scope:
    if options["run"]:
        return Scope(ScopeKind.RUN, str(options["run"]))
    if options["pull_request"]:
        return Scope(ScopeKind.PULL_REQUEST, options["pull_request"][:200])
    if options["whole_tenant"]:
        return Scope(ScopeKind.TENANT)
    if not options["month"]:
        return month
    try:
        month_span(options["month"])
    except ValueError:
        raise BadInput(f"{options['month']!r} is not a month: write 2026-11", pointer="/month") from None
    return Scope(ScopeKind.MONTH, options["month"])

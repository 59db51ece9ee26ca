"""The budget for judging real conversations this month, and the money spent of it."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from apps.budgets.domain.forecast import PartForecast
from apps.budgets.domain.scopes import month_of, month_span
from apps.evaluations.requests.queries.cost_forecast import judging_estimate
from apps.tenants.domain.workflow_config import WorkflowConfig

_SPENT = """
SELECT coalesce(sum(m.cost_usd), 0), count(*) FILTER (WHERE m.cost_usd IS NULL AND m.outcome = 'ok')
FROM budgets_modelcall m JOIN evaluations_evaluation e ON e.id = m.evaluation_id
WHERE m.created_at >= %(starts)s AND m.created_at < %(ends)s AND NOT m.cached
  AND e.triggered_by IN ('sampling', 'anchors')
"""
# What is owed and not yet asked: two rules of one tick must not both take the last dollar.
_OWED = """
SELECT split_part(e.config_ref, '@', 1), count(*) FROM evaluations_judgement j
JOIN evaluations_evaluation e ON e.id = j.evaluation_id
WHERE j.status = 'pending' AND e.triggered_by IN ('sampling', 'anchors') GROUP BY 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingBudget:
    """Budget of sampling in a month.

    `limit_usd` None: the tenant's month has no limit. `spent_usd` counts what is still owed, as it is expected; where
    calls without a price count for it (`unpriced`), nobody knows what is spent.
    """

    limit_usd: float | None
    spent_usd: float
    unpriced: int = 0

    def expected(self, config: str, conversations: int) -> PartForecast:
        """The probable cost of judging this many conversations; `usd` None where nobody knows the price, and `why` says
        which. At most nine queries."""
        return judging_estimate(config, conversations)


def sampling_budget(settings: WorkflowConfig, *, now: datetime) -> SamplingBudget:
    """Return this month's budget. Two queries, and nine for each config of which judgements are owed."""
    month = settings.budget_month_usd
    starts, ends = month_span(month_of(now).name)
    with connection.cursor() as cursor:
        cursor.execute(_SPENT, {"starts": starts, "ends": ends})
        known, unpriced = cursor.fetchone()
        cursor.execute(_OWED)
        owed = cursor.fetchall()
    return SamplingBudget(
        limit_usd=None if month is None else month * settings.sampling_budget_share,
        spent_usd=float(known) + sum(judging_estimate(config, count).usd or 0.0 for config, count in owed),
        unpriced=unpriced,
    )

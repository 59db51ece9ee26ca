"""Budgets that are nearly spent."""

from datetime import datetime

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.budgets.queries.statuses import budget_statuses_now


def spent_budgets(now: datetime) -> list[Condition]:
    """Budgets beyond the share at which the settings warn (80 %), or stopped. Three queries."""
    return [
        Condition(
            rule=Rule.BUDGET,
            # A month's name is in its scope, so next month's is another alert; spent is another than nearly spent.
            key=f"{status.scope} {'stopped' if status.stopped_at else 'warning'}",
            sentence=status.sentence,
            path="/usage/",
            severity=Severity.CRITICAL if status.stopped_at else Severity.WARNING,
        )
        for status in budget_statuses_now(now=now)
        if status.sentence
    ]

"""Reading the ledger; how budgets stand is asked in `standing`."""

from apps.budgets.queries.ledger import (
    Spent,
    cost_by_conversation,
    spent_between,
    spent_on_evaluation,
    spent_on_run,
    spent_on_runs,
)

__all__ = ["Spent", "cost_by_conversation", "spent_between", "spent_on_evaluation", "spent_on_run", "spent_on_runs"]

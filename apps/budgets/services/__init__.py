"""Writing to the ledger; reserving money stands in `reserving`."""

from apps.budgets.services.ledger import CallFor, LedgerCall, OpenCall, record_calls

__all__ = ["CallFor", "LedgerCall", "OpenCall", "record_calls"]

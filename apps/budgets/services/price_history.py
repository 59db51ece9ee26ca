"""The past costs of models without a listed price, from the ledger: read by the thread that owns the connection."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from apps.budgets.domain.estimate import ModelKey, PaidSoFar, has_listed_price, key_of
from apps.connectors.llms.base import ModelSpec

NEWEST = 5_000  # calls of the ledger that are looked at
SAMPLE = 100  # of one model: prices change
FRESH = timedelta(seconds=30)
FRESH_UNTOLD = timedelta(seconds=5)
FRESH_UNTRIED = timedelta(seconds=0.5)  # the first answer may tell

_PAID = """
WITH newest AS MATERIALIZED (
  SELECT provider, requested_model, cost_usd, input_tokens, output_tokens, created_at
  FROM budgets_modelcall WHERE NOT cached AND outcome = 'ok' ORDER BY created_at DESC LIMIT %(newest)s
), wanted AS (
  SELECT * FROM unnest(%(providers)s::text[], %(models)s::text[]) AS w(provider, requested_model)
)
SELECT w.provider, w.requested_model,
  coalesce(sum(c.cost_usd) FILTER (WHERE c.cost_usd > 0), 0),
  coalesce(sum(c.input_tokens) FILTER (WHERE c.cost_usd > 0), 0),
  coalesce(sum(c.output_tokens) FILTER (WHERE c.cost_usd > 0), 0),
  count(c.cost_usd), count(*) FILTER (WHERE c.provider IS NOT NULL AND c.cost_usd IS NULL),
  coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY c.cost_usd) FILTER (WHERE c.cost_usd > 0), 0)
FROM wanted w LEFT JOIN LATERAL (
  SELECT * FROM newest n WHERE n.provider = w.provider AND n.requested_model = w.requested_model
  ORDER BY n.created_at DESC LIMIT %(sample)s
) c ON true GROUP BY 1, 2
"""


class PriceHistory:
    """The sums by model, kept for half a minute; for a shorter time where no cost is known yet."""

    def __init__(self, *, now: Callable[[], datetime]) -> None:
        self.now = now
        self.paid: dict[ModelKey, PaidSoFar] = {}
        self._read_at: dict[ModelKey, datetime] = {}

    def load(self, specs: Iterable[ModelSpec]) -> None:
        """Read what was paid for those that no list knows. One query where something is due, none for listed models."""
        at = self.now()
        due = {key_of(spec) for spec in specs if not has_listed_price(spec) and self._due(key_of(spec), at)}
        if due:
            self.paid |= paid_so_far(due)
            self._read_at |= dict.fromkeys(due, at)

    def _due(self, key: ModelKey, at: datetime) -> bool:
        read_at = self._read_at.get(key)
        if read_at is None:
            return True
        paid = self.paid[key]
        return at - read_at >= (FRESH if paid.usual else FRESH_UNTOLD if paid.silent else FRESH_UNTRIED)


def paid_so_far(models: Iterable[ModelKey]) -> dict[ModelKey, PaidSoFar]:
    """Return what was paid so far for each model. One query, some milliseconds.

    It reads the newest 5,000 calls of the ledger.
    """
    keys = sorted(models)
    params: dict[str, Any] = {
        "newest": NEWEST,
        "sample": SAMPLE,
        "providers": [provider[:100] for provider, _ in keys],
        "models": [model[:120] for _, model in keys],
    }
    with connection.cursor() as cursor:
        cursor.execute(_PAID, params)
        by_name = {
            (row[0], row[1]): PaidSoFar(
                usd=row[2],
                input_tokens=int(row[3]),
                output_tokens=int(row[4]),
                reported=row[5],
                silent=row[6],
                usual=row[7],
            )
            for row in cursor.fetchall()
        }
    return {(provider, model): by_name[provider[:100], model[:120]] for provider, model in keys}

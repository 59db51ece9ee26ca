"""The costs of earlier conversations, from the ledger: a forecast starts from them."""

import uuid
from collections.abc import Collection

from django.db import connection

from apps.budgets.domain.forecast import PastCosts

NEWEST = 200  # conversations; prices and prompts change

_PAST = """
WITH each AS (
  SELECT c.conversation_id, sum(c.cost_usd) AS usd, sum(c.input_tokens) AS asked, sum(c.output_tokens) AS answered,
    count(*) FILTER (WHERE c.cost_usd IS NULL AND c.outcome = 'ok') AS unpriced,
    array_agg(DISTINCT c.provider || '/' || c.requested_model) AS models
  FROM budgets_modelcall c
  WHERE NOT c.cached AND c.conversation_id IS NOT NULL AND {which}
  GROUP BY c.conversation_id, c.evaluation_id ORDER BY max(c.created_at) DESC LIMIT %(newest)s
)
SELECT count(*), coalesce(avg(usd), 0), stddev_samp(coalesce(usd, 0)), coalesce(avg(asked), 0),
  coalesce(avg(answered), 0), coalesce(sum(unpriced), 0),
  ARRAY(SELECT DISTINCT m FROM each, unnest(each.models) AS m ORDER BY m)
FROM each
"""
_PLAYED = _PAST.format(which="c.run_id = ANY(%(ids)s) AND c.evaluation_id IS NULL")
_JUDGED = _PAST.format(which="c.evaluation_id = ANY(%(ids)s)")


def past_costs_of_playing(runs: Collection[uuid.UUID]) -> PastCosts:
    """Return what it cost to play the newest conversations of these runs. One query.

    The costs are those of simulated customers, of their review, and of checks.
    """
    return _past(_PLAYED, runs)


def past_costs_of_judging(evaluations: Collection[uuid.UUID]) -> PastCosts:
    """Return what it cost to judge the newest conversations of these evaluations, second opinions included. One
    query."""
    return _past(_JUDGED, evaluations)


def _past(statement: str, ids: Collection[uuid.UUID]) -> PastCosts:
    if not ids:
        return PastCosts()
    with connection.cursor() as cursor:
        cursor.execute(statement, {"ids": list(ids), "newest": NEWEST})
        n, mean, deviation, questions, answered, unpriced, models = cursor.fetchone()
    return PastCosts(
        conversations=n,
        mean_usd=float(mean),
        deviation=None if deviation is None else float(deviation),
        input_tokens=float(questions),
        output_tokens=float(answered),
        unpriced=int(unpriced),
        models=tuple(models),
    )

"""Recent conversations of real customers, and canaries that are served, went back, or wait for a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from apps.core.plurals import many
from apps.core.timestamps import format_if_known
from apps.production.promotion.queries.candidates import waiting_candidates
from apps.production.rollouts.domain.rules import MIN_TIME, MetricVerdict
from apps.production.rollouts.domain.states import RolloutStatus
from apps.production.rollouts.models import Rollout
from apps.production.rollouts.queries.documents import rollout_line

SHOWN = 5  # of one kind
LATELY = timedelta(hours=24)
RECENT = timedelta(days=7)  # older rollbacks are history

# A complaint is a conversation with a customer's thumbs-down.
_CAME_IN = """
SELECT (SELECT count(*) FROM production_productionconversation WHERE created_at >= %(recent)s),
  count(DISTINCT conversation_id), count(DISTINCT conversation_id) FILTER (WHERE created_at >= %(lately)s),
  max(created_at)
FROM production_feedback WHERE rating = 'down' AND given_by = '' AND created_at >= %(recent)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionStanding:
    """The state of production: the conversations of the last seven days, and the canaries of these days.

    `complaints_lately` are those since yesterday. Canaries run, went back by the rule and have no successor, or wait
    for a person.
    """

    conversations: int
    complaints: int
    complaints_lately: int
    newest_complaint: datetime | None
    served: Sequence[Rollout]
    rolled_back: Sequence[Rollout]
    promotable: Sequence[Rollout]

    @property
    def sentence(self) -> str:
        """ "" where nothing came in and no canary runs."""
        parts = []
        if self.conversations:
            complaints = many(self.complaints, "complaint") if self.complaints else "no complaint"
            parts.append(f"{many(self.conversations, 'real conversation')} and {complaints} in the last 7 days")
        return "; ".join([*parts, *(f"{row.canary.version} gets {row.percentage} %" for row in self.served[:SHOWN])])


def production_standing(now: datetime) -> ProductionStanding:
    """Return the present state of production. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(_CAME_IN, {"recent": now - RECENT, "lately": now - LATELY})
        conversations, complaints, complaints_lately, newest = cursor.fetchone()
    recent = Rollout.objects.filter(Q(status=RolloutStatus.RUNNING) | Q(created_at__gte=now - 2 * RECENT))
    newest_of_role = dict[UUID, Rollout]()
    for row in recent.select_related("canary", "stable", "line").order_by("created_at"):
        newest_of_role[row.line_id] = row
    rows = list(newest_of_role.values())
    return ProductionStanding(
        conversations=conversations,
        complaints=complaints,
        complaints_lately=complaints_lately,
        newest_complaint=newest,
        served=[row for row in rows if row.served(now)],
        rolled_back=[row for row in rows if _went_back(row, now)],
        promotable=[row for row in rows if _may_be_promoted(row, now)],
    )


def _went_back(row: Rollout, now: datetime) -> bool:
    by_the_rule = row.status == RolloutStatus.ROLLED_BACK and not row.ended_by
    return by_the_rule and row.ended_at is not None and row.ended_at >= now - RECENT


def _may_be_promoted(row: Rollout, now: datetime) -> bool:
    """Tell by the rollout's last look whether it may be promoted: the page asks once more."""
    if row.status != RolloutStatus.RUNNING or now - row.created_at < MIN_TIME:
        return False
    verdicts = {metric["metric"]: metric["verdict"] for metric in row.figures.get("metrics", ())}
    return verdicts.get("score") == MetricVerdict.WITHIN and MetricVerdict.WORSE not in verdicts.values()


def production_document(now: datetime) -> dict[str, Any]:
    """Return the state of production as a document, with the count of waiting candidates. Three queries."""
    standing = production_standing(now)
    return {
        "sentence": standing.sentence,
        "conversations": standing.conversations,
        "complaints": standing.complaints,
        "complaints_since_yesterday": standing.complaints_lately,
        "newest_complaint_at": format_if_known(standing.newest_complaint),
        "candidates_waiting": waiting_candidates(),
        "served": [rollout_line(row, now=now) for row in standing.served],
        "rolled_back": [rollout_line(row, now=now) for row in standing.rolled_back],
        "promotable": [rollout_line(row, now=now) for row in standing.promotable],
    }

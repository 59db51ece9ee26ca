"""The machines that have not done their part of an erasure."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.tenants.context import in_public
from apps.tenants.models import Node

GONE_AFTER = timedelta(days=1)  # without a sign: erasures wait for it no longer
FORGOTTEN_AFTER = timedelta(days=8)  # then no receipt names it any more


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherNodes:
    """The names of the other nodes: `live` ones will do their part, `silent` ones said nothing for a day."""

    live: tuple[str, ...]
    silent: tuple[str, ...]


def nodes_without(answered: Collection[str], *, now: datetime) -> OtherNodes:
    """The nodes that have not answered. One query."""
    with in_public():
        rows = list(Node.objects.exclude(key__in=list(answered)).order_by("name"))
    live = tuple(str(row.name) for row in rows if row.seen_at >= now - GONE_AFTER)
    return OtherNodes(live=live, silent=tuple(str(row.name) for row in rows if row.seen_at < now - GONE_AFTER))

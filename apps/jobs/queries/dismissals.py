"""The entries that a person has dismissed on Home."""

from datetime import datetime

from apps.jobs.domain.dismissals import FORGOTTEN_AFTER, Dismissal
from apps.jobs.models import DismissedNeed


def dismissals_of(user: str, *, now: datetime) -> dict[str, Dismissal]:
    """Return a person's dismissals by key. One query."""
    rows = DismissedNeed.objects.filter(user=user, dismissed_at__gte=now - FORGOTTEN_AFTER)
    return {key: Dismissal(state, count) for key, state, count in rows.values_list("key", "state", "count")}

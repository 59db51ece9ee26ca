"""The open alerts, as they were at the last look."""

from datetime import datetime, timedelta
from typing import Any

from apps.alerts.domain.conditions import Rule
from apps.alerts.models import Alert, AlertRound
from apps.core.timestamps import format_timestamp

EVERY = timedelta(minutes=1)  # the rules are looked at
OF_RUNS = frozenset(Rule) - {Rule.BUDGET, Rule.DELIVERIES}  # what whoever reads runs may read: no money, no addresses


def last_look_at() -> datetime | None:
    """Return when a worker last looked at the rules; None where no channel was ever added. One query."""
    due = AlertRound.objects.values_list("not_before", flat=True).first()
    return None if due is None else due - EVERY


def open_alerts_of_runs() -> list[dict[str, Any]] | None:
    """Return the open alerts about runs, judges, scores and canaries, newest first.
    None where the alert rules were never checked. Two queries."""
    last = last_look_at()
    if last is None:
        return None
    rows = Alert.objects.filter(resolved_at=None, seen_at__gte=last, rule__in=OF_RUNS).order_by("-opened_at")
    return [
        {
            "rule": row.rule,
            "severity": row.severity,
            "sentence": row.sentence,
            "opened_at": format_timestamp(row.opened_at),
        }
        for row in rows
    ]

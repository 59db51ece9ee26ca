"""Decide when a condition becomes an alert, when it is over, and when people are told: pure rules.

An alert is told once, at a look that saw it. What is gone for CALM is resolved; what comes back before, or within a day
of being resolved, is the same alert and is not told again: a figure that goes up and down tells once a day at most.
What lasted, was told and is gone for OVER is told to be over, and is another alert when it comes back. Alerts that
begin within GATHER are told together, and after a message the next one waits for GAP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.alerts.domain.conditions import LASTING, Condition

CALM = timedelta(minutes=15)
OVER = timedelta(hours=1)
SAME_AGAIN = timedelta(hours=24)
GATHER = timedelta(minutes=1)
GAP = timedelta(minutes=15)
Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertState:
    """An alert as it is known. `told_at`, `over_told_at`: when people were told of it, and of its end; None where they
    were not."""

    condition: Condition
    opened_at: datetime
    seen_at: datetime
    resolved_at: datetime | None = None
    told_at: datetime | None = None
    over_told_at: datetime | None = None
    times: int = 1

    @property
    def open(self) -> bool:
        return self.resolved_at is None


def key_of(condition: Condition) -> Key:
    """The key of a condition: two conditions with one key are the same."""
    return (condition.rule.value, condition.key)


def after_look(
    known: Mapping[Key, AlertState], conditions: Sequence[Condition], *, now: datetime
) -> dict[Key, AlertState]:
    """The alerts after a look that found these conditions; those that changed, or were seen again."""
    changed = dict[Key, AlertState]()
    present = {key_of(one): one for one in conditions}
    for key, condition in present.items():
        before = known.get(key)
        if before is None or _was_another(before, now):
            changed[key] = AlertState(condition=condition, opened_at=now, seen_at=now)
        else:
            again = before.resolved_at is not None
            changed[key] = replace(
                before, condition=condition, seen_at=now, resolved_at=None, times=before.times + again
            )
    for key, before in known.items():
        if key not in present and before.open and now - before.seen_at >= CALM:
            changed[key] = replace(before, resolved_at=now)
    return changed


def _was_another(before: AlertState, now: datetime) -> bool:
    """Tell whether what comes back now is another alert than this one."""
    if before.resolved_at is None:
        return False
    return before.over_told_at is not None or now - before.resolved_at > SAME_AGAIN


def to_tell(alerts: Sequence[AlertState], *, last_message: datetime | None, now: datetime) -> list[AlertState]:
    """Return the alerts that a message should report now: all seen at this look, the worst first.

    Return none until one of them has lasted GATHER (a condition that ended sooner is not reported), and none within GAP
    of the last message.
    """
    waiting = [alert for alert in alerts if alert.told_at is None and alert.open and alert.seen_at == now]
    lasting = any(now - alert.opened_at >= GATHER for alert in waiting)
    if not lasting or (last_message is not None and now - last_message < GAP):
        return []
    return _worst_first(waiting)


def to_tell_over(alerts: Sequence[AlertState], *, last_message: datetime | None, now: datetime) -> list[AlertState]:
    """Return the alerts whose end a message should report now. They lasted, were told, and are gone for OVER."""
    gone = [
        alert
        for alert in alerts
        if alert.condition.rule in LASTING
        and alert.told_at
        and not alert.open
        and alert.over_told_at is None
        and now - alert.seen_at >= OVER
    ]
    return [] if last_message is not None and now - last_message < GAP else _worst_first(gone)


def _worst_first(alerts: Sequence[AlertState]) -> list[AlertState]:
    return sorted(alerts, key=lambda alert: (alert.condition.severity, alert.opened_at, alert.condition.key))

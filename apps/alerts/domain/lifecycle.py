"""When something becomes an alert, when it is over, and when people are told: pure rules.

An alert is told once. What is gone for CALM is resolved; what comes back before, or within a day of being resolved, is
the same alert and is not told again, so a figure that goes up and down tells once a day at most. Alerts that begin
within GATHER are told together, and after a message the next one waits for GAP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.alerts.domain.conditions import Condition

CALM = timedelta(minutes=15)
SAME_AGAIN = timedelta(hours=24)
GATHER = timedelta(minutes=1)
GAP = timedelta(minutes=15)
Key = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertState:
    """An alert as it is known. `told_at`: when people were told of it, None where they were not yet."""

    condition: Condition
    opened_at: datetime
    seen_at: datetime
    resolved_at: datetime | None = None
    told_at: datetime | None = None
    times: int = 1

    @property
    def open(self) -> bool:
        return self.resolved_at is None


def key_of(condition: Condition) -> Key:
    """What makes two conditions the same."""
    return (condition.rule.value, condition.key)


def after_look(known: Mapping[Key, AlertState], found: Sequence[Condition], *, now: datetime) -> dict[Key, AlertState]:
    """The alerts after a look that found these conditions; those that changed, or were seen again."""
    changed = dict[Key, AlertState]()
    present = {key_of(one): one for one in found}
    for key, condition in present.items():
        before = known.get(key)
        if before is None or (before.resolved_at is not None and now - before.resolved_at > SAME_AGAIN):
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


def to_tell(alerts: Sequence[AlertState], *, last_message: datetime | None, now: datetime) -> list[AlertState]:
    """Those that one message should tell of now: all that were seen at this look, once one of them has lasted GATHER.
    None before, so that what was right again tells nobody; and none soon after another message."""
    waiting = [one for one in alerts if one.told_at is None and one.open]
    lasting = any(one.seen_at - one.opened_at >= GATHER for one in waiting)
    if not lasting or (last_message is not None and now - last_message < GAP):
        return []
    told = [one for one in waiting if one.seen_at == now or one.seen_at - one.opened_at >= GATHER]
    return sorted(told, key=lambda one: (one.condition.severity, one.opened_at, one.condition.key))

"""The look at the rules, once a minute: what is wrong becomes an alert, what is right again is resolved, people are
told."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q

from apps.alerts.domain.conditions import Condition, Rule, Severity
from apps.alerts.domain.lifecycle import SAME_AGAIN, AlertState, Key, after_look, key_of, to_tell, to_tell_over
from apps.alerts.domain.wording import AlertEvent
from apps.alerts.models import Alert, AlertRound, AlertRuleSetting
from apps.alerts.queries.open_alerts import EVERY
from apps.alerts.rules import RULES
from apps.alerts.services.telling import tell
from apps.core.events import EventType, log_event
from apps.core.models import new_id
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable

ROUNDS = LeasedTable(table="alerts_alertround", lease=timedelta(minutes=5))


@dataclass(frozen=True, slots=True, kw_only=True)
class LookReport:
    """The report of one look. `told` messages were written, one for each channel."""

    opened: int
    resolved: int
    open: int
    told: int


def pay_rounds(*, now: datetime) -> int:
    """Look for alerts where it is due, and schedule the next look in a minute; return how many looks.
    Safe to repeat and to race."""
    token = new_id()
    claimed = ROUNDS.claim(token=token, limit=1, now=now)
    for (row_id,) in claimed:
        look_at_rules(now=now)
        ROUNDS.put_off(token=token, id=row_id, until=now + EVERY, why="")
    return len(claimed)


def look_at_rules(*, now: datetime) -> LookReport:
    """Ask every rule that is on; keep alerts and tell of new ones. A rule that breaks is logged, leaves its alerts as
    they are and stops no other. Some 40 queries; in one transaction but for the questions. Safe to repeat."""
    found, silent = _conditions(now)
    with transaction.atomic():
        rows = _known(now)
        known = {key: _state(row) for key, row in rows.items() if row.rule not in silent}
        changed = after_look(known, found, now=now)
        opened = sum(key not in rows or state.opened_at == now for key, state in changed.items())
        resolved = sum(state.resolved_at == now for state in changed.values())
        _store(rows, changed)
        told = _tell(now)
    if opened:
        log_event(EventType.ALERT_OPENED, count=opened)
    if resolved:
        log_event(EventType.ALERT_RESOLVED, count=resolved)
    still = Alert.objects.filter(resolved_at__isnull=True).count()
    return LookReport(opened=opened, resolved=resolved, open=still, told=told)


def _conditions(now: datetime) -> tuple[list[Condition], set[str]]:
    off = set(AlertRuleSetting.objects.filter(enabled=False).values_list("rule", flat=True))
    found, silent = list[Condition](), set[str]()
    for rule, question in RULES.items():
        if rule.value in off:
            continue
        try:
            with transaction.atomic():
                found += question(now)
        except Exception as error:
            silent.add(rule.value)
            log_event(EventType.LOG, level=logging.ERROR, check=f"alert rule {rule}", why=row_error(error).message)
    return found, silent


def _known(now: datetime) -> dict[Key, Alert]:
    """Return the newest alert of each rule and key that is open, or ended less than SAME_AGAIN ago.

    Its row stays locked until the transaction ends.
    """
    recent = Q(resolved_at__isnull=True) | Q(resolved_at__gt=now - SAME_AGAIN)
    rows = Alert.objects.select_for_update().filter(recent).order_by("opened_at")
    return {(row.rule, row.key): row for row in rows}


def _state(row: Alert) -> AlertState:
    condition = Condition(
        rule=Rule(row.rule), key=row.key, sentence=row.sentence, path=row.path, severity=Severity(row.severity)
    )
    return AlertState(
        condition=condition,
        opened_at=row.opened_at,
        seen_at=row.seen_at,
        resolved_at=row.resolved_at,
        told_at=row.told_at,
        over_told_at=row.over_told_at,
        times=row.times,
    )


def _store(rows: dict[Key, Alert], changed: dict[Key, AlertState]) -> None:
    for key, state in changed.items():
        before = rows.get(key)
        row = before if before is not None and before.opened_at == state.opened_at else Alert(rule=key[0], key=key[1])
        row.severity, row.sentence = state.condition.severity.value, state.condition.sentence
        row.path, row.times = state.condition.path[:300], state.times
        row.opened_at, row.seen_at, row.resolved_at = state.opened_at, state.seen_at, state.resolved_at
        row.save()


def _tell(now: datetime) -> int:
    """Tell of alerts that began or ended; return how many messages.
    Rules that are off tell nothing: nobody looked."""
    off = AlertRuleSetting.objects.filter(enabled=False).values("rule")
    rows = Alert.objects.exclude(rule__in=off)
    last = Alert.objects.aggregate(told=Max("told_at"), over=Max("over_told_at"))
    begun = list(rows.filter(resolved_at__isnull=True, told_at__isnull=True))
    over = list(rows.filter(resolved_at__gte=now - SAME_AGAIN, told_at__isnull=False, over_told_at__isnull=True))
    beginning = _of(begun, to_tell(_states(begun), last_message=last["told"], now=now))
    ending = _of(over, to_tell_over(_states(over), last_message=last["over"], now=now))
    Alert.objects.filter(pk__in=[row.pk for row in beginning]).update(told_at=now)
    Alert.objects.filter(pk__in=[row.pk for row in ending]).update(over_told_at=now)
    origin = AlertRound.objects.values_list("origin", flat=True).first() or ""
    written = tell(alerts=beginning, origin=origin, now=now) if beginning else 0
    return written + (tell(alerts=ending, origin=origin, now=now, event=AlertEvent.RESOLVED) if ending else 0)


def _states(rows: Sequence[Alert]) -> list[AlertState]:
    return [_state(row) for row in rows]


def _of(rows: Sequence[Alert], chosen: Sequence[AlertState]) -> list[Alert]:
    keys = {key_of(state.condition) for state in chosen}
    return [row for row in rows if (row.rule, row.key) in keys]

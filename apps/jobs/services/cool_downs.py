"""Sharing cool-downs between workers: what one is told by a provider, all of them obey (connectors.cool_downs).

The row stands in public: a limit belongs to an address and a key, and two tenants that share both share the limit.
Called by the thread that owns the connection, whenever it claims or stores (law 10).
"""

from collections.abc import Callable, Iterable
from datetime import datetime

from apps.connectors.cool_downs import FORGOTTEN, CoolDown, CoolDowns, key_of
from apps.connectors.llms.base import ModelSpec
from apps.core.events import EventType, log_event
from apps.tenants.models import ModelCoolDown

_FIELDS = ("provider", "model", "since", "until", "strikes")


def exchange(cool_downs: CoolDowns) -> None:
    """Write down what changed here, and learn what the others wrote. One query; two more where something changed.

    Safe to repeat and to race: the later end of two counts.
    """
    changes = cool_downs.take_changes()
    for one in changes.begun:
        _store(one)
        log_event(
            EventType.MODEL_RATE_LIMITED,
            provider=one.provider,
            model=one.model,
            until=one.until.isoformat(),
            strikes=one.strikes,
        )
    if changes.over:
        ModelCoolDown.objects.filter(key__in=changes.over).delete()
    if changes.begun:
        ModelCoolDown.objects.filter(until__lt=cool_downs.now() - FORGOTTEN).delete()
    rows = ModelCoolDown.objects.values_list("key", *_FIELDS)
    cool_downs.load(CoolDown(**dict(zip(("key", *_FIELDS), row, strict=True))) for row in rows)


def known_cool_downs(now: Callable[[], datetime] | None = None) -> CoolDowns:
    """Cool-downs as all workers know them at this moment. One query."""
    cool_downs = CoolDowns(now=now) if now else CoolDowns()
    exchange(cool_downs)
    return cool_downs


def end_cool_downs(specs: Iterable[ModelSpec]) -> int:
    """Let these models be asked again at once; how many of them nobody would have asked. One query."""
    deleted, _ = ModelCoolDown.objects.filter(key__in={key_of(spec) for spec in specs}).delete()
    return deleted


def _store(one: CoolDown) -> None:
    values = {name: getattr(one, name) for name in _FIELDS}
    values["provider"], values["model"] = one.provider[:60], one.model[:200]
    row, new = ModelCoolDown.objects.get_or_create(key=one.key, defaults=values)
    if not new and row.until < one.until:
        ModelCoolDown.objects.filter(key=one.key, until__lt=one.until).update(**values)

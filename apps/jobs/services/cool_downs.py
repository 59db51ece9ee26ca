"""Share limits between workers.

One worker is told by a provider, and all of them obey (connectors.cool_downs); all of them take their places out of one
bucket (connectors.rates).

The row stands in public: a limit belongs to an address and a key, and two tenants that share both share the limit.
Called by the thread that owns the connection: `exchange` whenever it claims or stores, `give_places` when
calls wait for a place.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from apps.connectors import rates
from apps.connectors.cool_downs import FORGOTTEN, CoolDown, CoolDowns, key_of
from apps.connectors.llms.base import ModelSpec
from apps.connectors.rates import Bucket
from apps.core.events import EventType, log_event
from apps.tenants.models import ModelCoolDown

_FIELDS = ("provider", "model", "since", "until", "strikes")
_SAME_MOMENT_S = 2.0  # two workers that open a bucket within this time found the same limit


@dataclass(slots=True, kw_only=True)
class PlaceRequest:
    """A call that waits for its place at the model `key`; `wait_s` is the answer, as it was at `given_at`."""

    cool_downs: CoolDowns
    key: str
    wait_s: float | None = None
    given_at: datetime | None = None

    def wait_from(self, now: datetime) -> float | None:
        """The seconds that are left of it: what the answer took on its way to the caller is over."""
        if self.wait_s is None or self.given_at is None or self.wait_s > rates.HORIZON_S:
            return self.wait_s  # nobody has a place: the seconds say when to come again
        return max(0.0, self.wait_s - (now - self.given_at).total_seconds())


def exchange(cool_downs: CoolDowns) -> None:
    """Write down what changed here, and learn what the others wrote. One query; two more where something changed.

    Safe to repeat and to race: the later end of two counts.
    """
    changes = cool_downs.take_changes()
    for one in changes.begun:
        _store(one, now=cool_downs.now())
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
        last = cool_downs.now() - FORGOTTEN
        idle = Q(bucket=None) | Q(bucket__window_at__lt=last.timestamp())
        ModelCoolDown.objects.filter(idle, until__lt=last).delete()
    cool_downs.load(_read(row) for row in ModelCoolDown.objects.values_list("key", *_FIELDS, "bucket"))


def give_places(requests: Sequence[PlaceRequest]) -> None:
    """Give each of these its place: one short transaction for each model, with its row locked. A model whose row is
    gone limits nobody any more."""
    cool_downs = {id(request.cool_downs): request.cool_downs for request in requests}
    for known in cool_downs.values():
        if known.changed:
            exchange(known)
    for owner, key in sorted({(id(request.cool_downs), request.key) for request in requests}):
        with transaction.atomic():
            _give(
                cool_downs[owner],
                key,
                [request for request in requests if (id(request.cool_downs), request.key) == (owner, key)],
            )


def _give(cool_downs: CoolDowns, key: str, requests: Sequence[PlaceRequest]) -> None:
    row = ModelCoolDown.objects.select_for_update().filter(key=key).first()
    shared = Bucket.from_json(row.bucket) if row is not None and row.bucket else None
    if shared is None or rates.is_over(shared):
        cool_downs.drop(key)
        if row is not None:
            row.delete()
        for request in requests:
            request.wait_s = 0.0
        return
    queue = 0
    for request in requests:
        request.wait_s, request.given_at = cool_downs.take(key, shared, queue=queue), cool_downs.now()
        queue += request.wait_s > rates.HORIZON_S
        shared = cool_downs.bucket(key)
    ModelCoolDown.objects.filter(key=key).update(bucket=shared.as_json() if shared else None)


def known_cool_downs(now: Callable[[], datetime] | None = None) -> CoolDowns:
    """Cool-downs as all workers know them at this moment. One query."""
    cool_downs = CoolDowns(now=now) if now else CoolDowns()
    exchange(cool_downs)
    return cool_downs


def end_cool_downs(specs: Iterable[ModelSpec]) -> int:
    """Let these models be asked again at once; return how many of them nobody would have asked. One query."""
    deleted, _ = ModelCoolDown.objects.filter(key__in={key_of(spec) for spec in specs}).delete()
    return deleted


def _read(row: Sequence[Any]) -> CoolDown:
    *values, bucket = row
    known = Bucket.from_json(bucket) if bucket else None
    return CoolDown(**dict(zip(("key", *_FIELDS), values, strict=True)), bucket=known)


def _store(one: CoolDown, *, now: datetime) -> None:
    values: dict[str, Any] = {name: getattr(one, name) for name in _FIELDS}
    values["provider"], values["model"] = one.provider[:60], one.model[:200]
    mine = one.bucket.as_json() if one.bucket else None
    with transaction.atomic():
        row, new = ModelCoolDown.objects.select_for_update().get_or_create(
            key=one.key, defaults={**values, "bucket": mine}
        )
        if new:
            return
        changed = values if row.until < one.until else {}
        ModelCoolDown.objects.filter(key=one.key).update(**changed, bucket=_merged(row.bucket, one, now))


def _merged(stored: dict[str, Any] | None, one: CoolDown, now: datetime) -> dict[str, Any] | None:
    """The bucket of all: theirs, stopped as long as this cool-down says; both, where both have just begun."""
    if one.bucket is None or not stored:
        return stored or (one.bucket.as_json() if one.bucket else None)
    theirs = Bucket.from_json(stored)
    if one.strikes == 1 and now.timestamp() - theirs.window_at < _SAME_MOMENT_S and theirs.calm == 0:
        return rates.joined(theirs, one.bucket).as_json()
    return rates.paused(theirs, until=one.until.timestamp()).as_json()

"""The registry of what is delivered: each kind once, by the room that makes its rows. Its work, schedule, batch, events
and metrics follow from the line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.core.events import EventType
from apps.jobs.domain.delivery_schedule import DELAYS_S
from apps.jobs.services.outbound import SLOW
from apps.jobs.work import Work, register


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryKind:
    """A kind of delivery. `adapter` is the dotted path of a `DeliveryAdapter`; `work` names its kind of work (two are
    registered: the quick queue, and `slow_<work>` for receivers that did not answer quickly), `label` one of its rows
    for people. `enqueue` and `after` are dotted paths of functions of `now`, called before and after a pass ("": none).
    `delays_s` says how long after each failed attempt the next one comes; `sent` and `failed` are what the log calls an
    attempt. `at_once` are taken in a pass, `per_receiver` of them to one receiver. `freed_by` as in `Work`; so is
    `finds`: where `enqueue` and `after` have something to do. `page` is where people see what became of them."""

    name: str
    label: str
    work: str
    adapter: str
    sent: EventType
    failed: EventType
    enqueue: str = ""
    after: str = ""
    delays_s: Sequence[float] = DELAYS_S
    at_once: int = 50
    per_receiver: int = 10
    freed_by: tuple[str, ...] = ()
    finds: tuple[str, ...] = ()
    page: str = ""

    @property
    def slow_work(self) -> str:
        """The kind of work of receivers that take their time."""
        return f"slow_{self.work}"


_KINDS: dict[str, DeliveryKind] = {}


def register_delivery(*kinds: DeliveryKind) -> None:
    """Each room names what it delivers once, in its `registrations.py`."""
    for kind in kinds:
        _KINDS[kind.name] = kind
        register(*_queues(kind))


# Slow receivers that could be tried: whoever sends the others calls their worker.
_SLOW_DUE = """
SELECT 1 FROM {{schema}}.jobs_outbounddelivery WHERE {pending} AND (not_before IS NULL OR not_before <= %(now)s)
  AND (lease_expires_at IS NULL OR lease_expires_at < %(now)s)
"""


def _queues(kind: DeliveryKind) -> tuple[Work, Work]:
    of_slow = f"status = 'pending' AND kind = '{kind.name}' AND waiting_for = '{SLOW}'"
    quick = Work(
        name=kind.work,
        label=kind.label,
        serve="apps.jobs.delivery_work.deliver",
        queue="control",
        every_s=5.0,  # the first delays of the schedule
        expires_s=20.0,  # longer than a slow receiver of another tenant is waited for, too short to pile up
        table="jobs_outbounddelivery",
        pending=f"status = 'pending' AND kind = '{kind.name}' AND waiting_for <> '{SLOW}'",
        begins="not_before",
        freed_by=kind.freed_by,
        finds=(*kind.finds, _SLOW_DUE.format(pending=of_slow)),
    )
    slow = replace(
        quick,
        name=kind.slow_work,
        label=f"{kind.label} to a slow receiver",
        serve="apps.jobs.delivery_work.deliver_slow",
        queue="improvement",
        every_s=60.0,  # whoever sends the others calls it earlier
        expires_s=600.0,  # as all calls of that queue: in a full one a shorter call is void before its turn comes
        pending=of_slow,
        finds=(),
    )
    return quick, slow


def delivery_kinds() -> Sequence[DeliveryKind]:
    """All that rooms have named."""
    return list(_KINDS.values())


def delivery_kind_of(work: str) -> DeliveryKind:
    """Return the kind of delivery that this work serves, quick or slow. Raises KeyError."""
    kinds = {name: kind for kind in _KINDS.values() for name in (kind.work, kind.slow_work)}
    return kinds[work]

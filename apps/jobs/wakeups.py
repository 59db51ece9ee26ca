"""Waking workers after rows were written that owe work, without flooding them.

Doors and rooms come here: commands, pages, the API, and what hears that conversations ended. The first wake-up goes
at once; those within the same second share one more, a second later, which finds their rows. A wake-up that is lost
costs one tick. All of it happens after the commit, so that no transaction waits for a broker or a cache.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from django.core.cache import cache
from django.db import transaction
from django.utils.module_loading import import_string

logger = logging.getLogger(__name__)
SHARED_FOR_S = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkKind:
    """A kind of work: the dotted path of the task that pays one tenant's, and how many workers may do so at once.

    `table` holds its rows, `pending` (SQL of our own) says which of them still owe work, and `due` names the columns of
    time that must all have passed before one can be done. `freed_by`: other tables a write to which may set work free.
    `slots` names the numbered slots its workers take, where they take turns with those of other tenants; `due_sql` then
    says, of a `{schema}` and the moment `%(now)s`, whether any of its work could be done.
    """

    task: str
    table: str
    workers: Callable[[], int] = lambda: 1
    pending: str = "status = 'pending'"
    due: tuple[str, ...] = ("not_before", "lease_expires_at")
    freed_by: tuple[str, ...] = ()
    slots: str = ""
    due_sql: str = ""


_KINDS: dict[str, WorkKind] = {}


def register(name: str, kind: WorkKind) -> None:
    """Each room names its work once, when Django starts."""
    _KINDS[name] = kind


def registered() -> Sequence[WorkKind]:
    """All work that rooms have named."""
    return list(_KINDS.values())


def wake_workers_on_commit(tenant: str, *kinds: str) -> None:
    """Wake the workers of this work in the tenant; without a kind, those who play and those who judge.

    Raises KeyError for work that no room has registered.
    """
    for name in kinds or ("playing", "judging"):
        transaction.on_commit(partial(_publish, _KINDS[name], tenant))


def call_another_worker(tenant: str, name: str, *, for_s: float = 5.0) -> None:
    """Call one more worker to this work, at most once a second: whoever is at it saw more than it can take. The call
    lasts `for_s`; where nobody is free by then, it is made again."""
    kind = _KINDS[name]
    if _first(f"{kind.task}:{tenant}:another"):
        import_string(kind.task).apply_async(kwargs={"tenant": tenant}, expires=for_s)


def _publish(kind: WorkKind, tenant: str) -> None:
    if _first(f"{kind.task}:{tenant}"):
        task = import_string(kind.task)  # Celery and the connectors: 0.5 s of every process
        for _ in range(kind.workers()):
            task.delay_on_commit(tenant=tenant)
    elif _first(f"{kind.task}:{tenant}:later"):
        import_string(kind.task).apply_async_on_commit(kwargs={"tenant": tenant}, countdown=SHARED_FOR_S)


def _first(name: str) -> bool:
    """Whether nobody came within the second. A cache that is away lets everybody be the first."""
    try:
        return cache.add(f"wake-up:{name}", 1, timeout=SHARED_FOR_S)
    except Exception as error:  # whatever the cache's client raises: no request and no worker fails for it
        logger.warning("the cache is away, so wake-ups are not shared: %s", type(error).__name__)
        return True

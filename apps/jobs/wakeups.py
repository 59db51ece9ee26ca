"""Waking workers after rows were written that owe work, without flooding them.

Doors and rooms come here: commands, pages, the API, and what hears that conversations ended. A call goes out only while
none is outstanding: who takes it finds all rows that were written before. The first one goes at once; what comes within
the same second after it was taken shares one more, a second later. A call that is lost, or that nobody takes, is void
after `expires_s` of its kind, and a tick makes the next. All of it happens after the commit, so that no transaction
waits for a broker or a cache.
"""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.utils.module_loading import import_string

from apps.jobs.work import Work, work_named

logger = logging.getLogger(__name__)
SHARED_FOR_S = 1


def wake_workers_on_commit(tenant: str, *kinds: str) -> None:
    """Wake the workers of this work in the tenant; without a kind, those who play and those who judge.

    Raises KeyError for work that no room has registered.
    """
    for name in kinds or ("playing", "judging"):
        transaction.on_commit(partial(_publish, work_named(name), tenant))


def call_another_worker(tenant: str, name: str, *, for_s: float = 5.0) -> None:
    """Call one more worker to this work, at most once a second: whoever is at it saw more than it can take. The call
    lasts `for_s`; where nobody is free by then, it is made again."""
    kind = work_named(name)
    if _first(f"wake-up:{name}:{tenant}:another"):
        _serve().apply_async(kwargs={"tenant": tenant, "work": name}, queue=kind.queue, expires=for_s)


def without_call(kind: Work, tenants: Sequence[str]) -> list[str]:
    """Of these tenants those for whom no call of this kind is outstanding; one is taken to be made now. Two questions
    to the cache; where it is away, all of them."""
    keys = {_outstanding(kind.name, tenant): tenant for tenant in tenants}
    try:
        made = cache.get_many(keys)
        free = {key: tenant for key, tenant in keys.items() if key not in made}
        cache.set_many(dict.fromkeys(free, 1), timeout=kind.expires_s)
    except Exception as error:
        _note_no_cache(error)
        return list(tenants)
    return list(free.values())


def call_taken(tenant: str, name: str) -> None:
    """A worker begins this work: whatever is written from now on needs another call."""
    try:
        cache.delete(_outstanding(name, tenant))
    except Exception as error:
        _note_no_cache(error)


def _publish(kind: Work, tenant: str) -> None:
    if not _first(_outstanding(kind.name, tenant), for_s=kind.expires_s):
        return
    message = {"kwargs": {"tenant": tenant, "work": kind.name}, "queue": kind.queue, "expires": kind.expires_s}
    if _first(f"wake-up:{kind.name}:{tenant}"):
        for _ in range(kind.workers()):
            _serve().apply_async_on_commit(**message)
    else:
        _serve().apply_async_on_commit(**message, countdown=SHARED_FOR_S)


def _outstanding(name: str, tenant: str) -> str:
    return f"outstanding-call:{name}:{tenant}"


def _serve() -> Any:
    """The task, loaded when it is needed: Celery takes 0.5 s of every process."""
    return import_string("apps.jobs.tasks.serve")


def _first(key: str, *, for_s: float = SHARED_FOR_S) -> bool:
    """Whether nobody came within that time. A cache that is away lets everybody be the first."""
    try:
        return cache.add(key, 1, timeout=for_s)
    except Exception as error:  # whatever the cache's client raises: no request and no worker fails for it
        _note_no_cache(error)
        return True


def _note_no_cache(error: Exception) -> None:
    logger.warning("the cache is away, so wake-ups are not shared: %s", type(error).__name__)

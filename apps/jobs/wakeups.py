"""Waking workers after rows were written that owe work, without flooding them.

Doors and rooms come here: commands, pages, the API, and what hears that conversations ended. The first wake-up goes
at once; those within the same second share one more, a second later, which finds their rows. A wake-up that is lost, or
that nobody takes within `expires_s` of its kind, costs one tick. All of it happens after the commit, so that no
transaction waits for a broker or a cache.
"""

import logging
from functools import partial
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.dispatch import Signal
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


def wake_on(signal: Signal, *kinds: str) -> None:
    """Wake the workers of this work whenever the signal, which carries a `tenant`, is sent."""

    def wake(*, tenant: str, **_: Any) -> None:
        wake_workers_on_commit(tenant, *kinds)

    signal.connect(wake, weak=False)


def call_another_worker(tenant: str, name: str, *, for_s: float = 5.0) -> None:
    """Call one more worker to this work, at most once a second: whoever is at it saw more than it can take. The call
    lasts `for_s`; where nobody is free by then, it is made again."""
    kind = work_named(name)
    if _first(f"{name}:{tenant}:another"):
        _serve().apply_async(kwargs={"tenant": tenant, "work": name}, queue=kind.queue, expires=for_s)


def _publish(kind: Work, tenant: str) -> None:
    message = {"kwargs": {"tenant": tenant, "work": kind.name}, "queue": kind.queue, "expires": kind.expires_s}
    if _first(f"{kind.name}:{tenant}"):
        for _ in range(kind.workers()):
            _serve().apply_async_on_commit(**message)
    elif _first(f"{kind.name}:{tenant}:later"):
        _serve().apply_async_on_commit(**message, countdown=SHARED_FOR_S)


def _serve() -> Any:
    """The task, loaded when it is needed: Celery takes 0.5 s of every process."""
    return import_string("apps.jobs.tasks.serve")


def _first(name: str) -> bool:
    """Tell whether nobody came within the second. A cache that is away lets everybody be the first."""
    try:
        return cache.add(f"wake-up:{name}", 1, timeout=SHARED_FOR_S)
    except Exception as error:  # whatever the cache's client raises: no request and no worker fails for it
        logger.warning("the cache is away, so wake-ups are not shared: %s", type(error).__name__)
        return True

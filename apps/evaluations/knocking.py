"""Waking workers after work was owed, without flooding them: a hundred requests a second are a few knocks.

The one place for it: commands, pages, the API and the stage's signal come here. The first knock goes at once; those
within the same second share one more, a second later, which finds their rows. A knock that is lost costs one tick: rows
owe the work. All of it happens after the commit, so that no transaction waits for
a broker or a cache.
"""

import logging
from functools import partial
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction

logger = logging.getLogger(__name__)
SHARED_FOR_S = 1


def knock(tenant: str) -> None:
    """Wake the tenant's stage and its judging lanes: what a door does that may have owed either."""
    knock_for_playing(tenant)
    knock_for_judging(tenant)


def knock_for_judging(tenant: str) -> None:
    """Wake the tenant's judging lanes."""
    from apps.evaluations.tasks import judge_tenant  # noqa: PLC0415 - Celery and the connectors: 0.5 s of every process

    _wake(judge_tenant, tenant, times=settings.JUDGING_LANES)


def knock_for_playing(tenant: str) -> None:
    """Wake the tenant's stage."""
    from apps.runs.tasks import play_owed  # noqa: PLC0415 - as above

    _wake(play_owed, tenant)


def knock_for_analysis(tenant: str) -> None:
    """Wake a worker for an analysis that was just asked for."""
    from apps.evaluations.tasks import analyse_tenant  # noqa: PLC0415 - as above

    _wake(analyse_tenant, tenant)


def on_conversations_ended(*, tenant: str, **_: Any) -> None:
    """Receives `runs.signals.conversations_ended` (see apps.py): what has ended may be judged, or an evaluation end."""
    knock_for_judging(tenant)


def _wake(task: Any, tenant: str, *, times: int = 1) -> None:
    transaction.on_commit(partial(_publish, task, tenant, times))


def _publish(task: Any, tenant: str, times: int) -> None:
    if _first(f"{task.name}:{tenant}"):
        for _ in range(times):
            task.delay_on_commit(tenant=tenant)
    elif _first(f"{task.name}:{tenant}:later"):
        task.apply_async_on_commit(kwargs={"tenant": tenant}, countdown=SHARED_FOR_S)


def _first(name: str) -> bool:
    """Whether nobody came within the second. A cache that is away lets everybody be the first."""
    try:
        return cache.add(f"knock:{name}", 1, timeout=SHARED_FOR_S)
    except Exception as error:  # whatever the cache's client raises: no request and no lane fails for it
        logger.warning("the cache is away, so knocks are not shared: %s", type(error).__name__)
        return True

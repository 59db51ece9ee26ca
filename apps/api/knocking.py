"""Waking workers after a request, without flooding them: a hundred requests a second are a few knocks, not hundreds.

The first knock goes at once; those within the same second share one more, a second later, which finds their rows. A
knock that is lost costs one tick: rows owe the work.
"""

from django.conf import settings
from django.core.cache import cache

SHARED_FOR_S = 1


def knock_for_judging(tenant: str) -> None:
    """Wake the tenant's judging lanes after the commit."""
    from apps.evaluations.tasks import judge_tenant  # noqa: PLC0415 - Celery and the connectors: 0.5 s of every process

    if cache.add("api-knock", 1, timeout=SHARED_FOR_S):
        for _ in range(settings.JUDGING_LANES):
            judge_tenant.delay_on_commit(tenant=tenant)
    elif cache.add("api-knock-later", 1, timeout=SHARED_FOR_S):
        judge_tenant.apply_async_on_commit(kwargs={"tenant": tenant}, countdown=SHARED_FOR_S)


def knock_for_playing(tenant: str) -> None:
    """Wake the tenant's stage after the commit."""
    from apps.runs.tasks import play_owed  # noqa: PLC0415 - as above

    play_owed.delay_on_commit(tenant=tenant)


def knock_for_analysis(tenant: str) -> None:
    """Wake a worker for an analysis that was just asked for, after the commit."""
    from apps.evaluations.tasks import analyse_tenant  # noqa: PLC0415 - as above

    analyse_tenant.delay_on_commit(tenant=tenant)

"""The Celery application. Start workers with `celery -A ratiba_eval.celery worker -Q …`.

REMAP_SIGTERM=SIGQUIT must be in the worker's environment before it starts (Celery reads it when it is imported): a stop
then is a soft shutdown, which leaves 30 s for what is in hand.
"""

import gc
import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, task_success, worker_init, worker_process_init, worker_shutting_down

from ratiba_eval.env import stop_unless_configured
from ratiba_eval.start_checks import stop_where_sessions_mix
from ratiba_eval.ticks import name_of_tick

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
stop_unless_configured()

app = Celery("ratiba")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.set_default()  # also for threads that did not import this module
app.autodiscover_tasks()


@setup_logging.connect
def _use_our_logging(**_: Any) -> None:
    """Workers log as everything else does; without this Celery would set up its own."""
    from django.conf import settings  # noqa: PLC0415 - settings may not be configured when this module is imported

    logging.config.dictConfig(settings.LOGGING)


@worker_init.connect
def _prepare_connections(**_: Any) -> None:
    """Before the pool forks: what is proven here need not be proven by each of its processes."""
    from apps.tenants.lock_waits import limit_lock_waits  # noqa: PLC0415 - settings are there by now

    limit_lock_waits()
    stop_where_sessions_mix()


@worker_init.connect
def _share_with_the_pool(sender: Any = None, **_: Any) -> None:
    """Load what every process of the pool needs once, before the pool forks.

    It is kept out of garbage collection: the pages stay shared. The price table alone takes 0.8 s, so no conversation
    waits for it either.
    """
    if "judging" not in sender.app.amqp.queues.consume_from:
        return
    from apps.connectors.llms.pricing import warm  # noqa: PLC0415 - workers alone need it

    warm()
    gc.collect()
    gc.freeze()


@worker_init.connect
def _end_the_pool(sender: Any = None, **_: Any) -> None:
    """A stop is told to the main process alone: the pool's processes take up no more, and let their leases go. Celery
    tells it (`worker_shutting_down`) when a soft shutdown is over; what is in hand ends within it."""
    from apps.jobs.shutdown import announce_shutdown  # noqa: PLC0415 - as above; before the pool forks

    wait = sender.wait_for_soft_shutdown

    def announced(*_: Any, **__: Any) -> Any:
        announce_shutdown()
        return wait()

    sender.wait_for_soft_shutdown = announced
    worker_shutting_down.connect(lambda **_: announce_shutdown(), weak=False)


@worker_init.connect
def _step_aside(**_: Any) -> None:
    """Somebody waits for a page or an answer, nobody for a tick: on a machine of both, the web server goes first."""
    from django.conf import settings  # noqa: PLC0415 - as above

    os.nice(settings.WORKER_NICE)


@worker_process_init.connect
def _begin_node_rounds(**_: Any) -> None:
    """In each process of the pool, never before it forks: a thread and its locks do not come along."""
    from ratiba_eval.node_rounds import start_node_rounds  # noqa: PLC0415 - as above

    start_node_rounds()


@task_success.connect
def _note_tick(sender: Any = None, **_: Any) -> None:
    """A tick that ended well is written down: /metrics shows its age. Failing here is no failure of the tick."""
    from django.conf import settings  # noqa: PLC0415 - as above
    from django.db import Error  # noqa: PLC0415 - as above
    from django.utils import timezone  # noqa: PLC0415 - as above

    from apps.tenants.services import note_tick  # noqa: PLC0415 - apps are loaded by the time a task ends

    request = getattr(sender, "request", None)
    arguments = getattr(request, "kwargs", None) or {}
    name = name_of_tick(settings.CELERY_BEAT_SCHEDULE, task=getattr(sender, "name", ""), kwargs=arguments)
    if name is None:
        return
    try:
        note_tick(name=name, now=timezone.now())
    except Error:
        logging.getLogger(__name__).warning("the success of %s could not be written down", name)

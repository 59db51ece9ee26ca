"""The Celery application. Start workers with `celery -A ratiba_eval.celery worker -Q …`.

REMAP_SIGTERM=SIGQUIT must be in the worker's environment before it starts (Celery reads it when it is imported): a stop
then is a soft shutdown, which leaves 30 s for what is in hand.
"""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

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
def _load_prices(**_: Any) -> None:
    """The price table takes 0.8 s to load: before the pool forks, so that no conversation waits for it."""
    from apps.connectors.llms.pricing import warm  # noqa: PLC0415 - workers alone need it

    warm()

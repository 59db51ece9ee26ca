"""The Celery application. Start workers with `celery -A ratiba_eval.celery worker -Q …`.

REMAP_SIGTERM=SIGQUIT must be in the worker's environment before it starts (Celery reads it when it is imported): a stop
then is a soft shutdown, which leaves 30 s for what is in hand.
"""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

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

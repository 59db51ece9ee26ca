"""The Celery application of the beat alone: the schedule and the broker, without Django and without a task's code.

The beat sends ticks by name; what they do is loaded by the workers. It holds a third of the memory this way.
"""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

from ratiba_eval import settings
from ratiba_eval.env import stop_unless_configured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
stop_unless_configured()

app = Celery("ratiba", fixups=[], set_as_current=False)  # never in the place of the workers' application
app.config_from_object("ratiba_eval.settings", namespace="CELERY")


@setup_logging.connect
def _use_our_logging(**_: Any) -> None:
    logging.config.dictConfig(settings.LOGGING)

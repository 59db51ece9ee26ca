"""Taking calls from a worker's queues, by a process of its pool that has room for more than the one it was given."""

import logging
import random
import time
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.jobs.domain.former_tasks import FORMER_TASKS
from apps.jobs.tenant_threads import Assignment

logger = logging.getLogger(__name__)
MAX_ETA_S = 1.5  # a call that is meant for a moment from now is waited for


def next_call(app: Any, queues: Collection[str], *, task: str) -> Assignment | None:
    """Take the next call of this task that waits in one of the queues, is not void and not taken.

    None where none waits, or the broker is away. Some round trips to it. Whoever dies with a call costs a tick: rows
    say what is due.
    """
    try:
        with app.connection_or_acquire() as broker:
            for name in random.sample(sorted(queues), len(queues)):
                while (message := broker.default_channel.basic_get(name, no_ack=True)) is not None:
                    if (call := _read(message, task)) is not None:
                        return call
    except Exception as error:  # whatever the broker's client raises: what this process has in hand goes on
        logger.warning("the broker is away, so no further calls are taken: %s", type(error).__name__)
    return None


def _read(message: Any, task: str) -> Assignment | None:
    message.accept = {"application/json"}
    name, tenant = message.headers.get("task"), message.payload[1].get("tenant")
    work = message.payload[1].get("work") if name == task else FORMER_TASKS.get(name)
    if not work or not tenant:
        logger.warning("a message %s is no call of a worker, and was left out", name)
        return None
    now = timezone.now()
    if (void_at := message.headers.get("expires")) and datetime.fromisoformat(void_at) <= now:
        return None
    if due := message.headers.get("eta"):
        time.sleep(min(MAX_ETA_S, max(0.0, (datetime.fromisoformat(due) - now).total_seconds())))
    return Assignment(tenant=tenant, work=work)

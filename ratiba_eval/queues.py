"""Count the messages that wait at the broker."""

import logging

from django.conf import settings

from apps.core.events import EventType, log_event

_KEY_PREFIX = str(settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"])


def messages_waiting() -> dict[str, int]:
    """Return the waiting messages by queue; empty where the broker cannot be asked, within 2 s.

    Work is owed in rows: this is no backlog.
    """
    import redis  # noqa: PLC0415 - 60 ms that only a scrape or the health page needs

    from ratiba_eval.broker_errors import BROKER_ERRORS  # noqa: PLC0415 - as above

    try:
        address = settings.REDIS_URL.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")
        with redis.Redis.from_url(address, socket_timeout=2, socket_connect_timeout=2) as client:
            return {queue: int(client.llen(f"{_KEY_PREFIX}{queue}")) for queue in settings.QUEUES}
    except BROKER_ERRORS as error:
        log_event(EventType.LOG, level=logging.WARNING, check="broker", why=type(error).__name__)
        return {}

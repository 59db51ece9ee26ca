"""A process says that its machine is there, and does its machine's part of erasures: a thread that looks once a minute.

Files and logs stand where no other machine reaches, so it is no work that a queue could hand out. Each process of the
web server and of the workers' pools has one; rows decide who does what.
"""

import logging
import random
import threading

from django.db import connections
from django.utils import timezone

EVERY_S = 60.0


def start_node_rounds(every_s: float = EVERY_S) -> threading.Event:
    """Begin, in the background; setting what is returned ends it. A round costs three short statements."""
    stop = threading.Event()
    threading.Thread(target=_rounds, args=(stop, every_s), name="node-rounds", daemon=True).start()
    return stop


def _rounds(stop: threading.Event, every_s: float) -> None:
    from apps.erasure.services.nodes import do_parts  # noqa: PLC0415 - apps are loaded when a process has started

    while not stop.wait(every_s * random.uniform(0.5, 1.5)):
        try:
            do_parts(now=timezone.now)
        except Exception:
            logging.getLogger(__name__).warning("this machine's part of erasures could not be looked at", exc_info=True)
        finally:
            connections.close_all()

"""Waiting for a set of personas that workers write and validate."""

import time
import uuid
from collections.abc import Callable
from typing import Any

from django.db import connection

from apps.core.errors import RatibaError
from apps.personas.queries.generation_progress import generation_document


class GenerationTimeout(RatibaError):
    """The set was not settled when the patience of whoever waited had ended."""

    code = "still_running"


def wait_for_generation(
    generation_id: uuid.UUID,
    *,
    on_progress: Callable[[dict[str, Any]], None],
    timeout_s: float,
    every_s: float = 1.0,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """Poll until a set of personas is settled, and return its document. Raises GenerationTimeout.
    Three queries a poll (queries.generation_progress)."""
    until = clock() + timeout_s
    while True:
        document = generation_document(generation_id)
        on_progress(document)
        if document["settled"]:
            return document
        if clock() >= until:
            raise GenerationTimeout(
                f"Not settled after {timeout_s:g} s: {document['written']} of {document['wanted']} written. "
                "Are workers running?"
            )
        connection.close()
        sleep(every_s)

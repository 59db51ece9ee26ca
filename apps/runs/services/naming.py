"""Give a run a name for people."""

import uuid

from apps.core.errors import BadInput, NotFound
from apps.runs.conversations.models import TestRun

MAX_NAME = 200  # characters


def name_run(*, run_id: uuid.UUID, name: str) -> None:
    """Give a run a name; an empty one leaves it as it is called. One query, none without a name. Safe to repeat.

    Raises BadInput (`/name`) where it is too long, and NotFound."""
    name = " ".join(name.split())
    if len(name) > MAX_NAME:
        raise BadInput(f"A run's name has at most {MAX_NAME} characters, not {len(name)}.", pointer="/name")
    if name and not TestRun.objects.filter(pk=run_id).update(name=name):
        raise NotFound(f"There is no test run {run_id}.")

"""Another name for a run."""

import uuid

from apps.core.errors import BadInput, NotFound
from apps.runs.conversations.models import TestRun

MAX_NAME = 200


def rename_run(*, run_id: uuid.UUID, name: str) -> str:
    """Give a run another name, whatever its state; its plan and results stay as they are. The name as it is kept.

    Safe to repeat; one statement, and its entry in the history. Raises BadInput for no name and for one that is too
    long, NotFound for no such run.
    """
    shown_name = " ".join(name.split())
    if not shown_name or len(shown_name) > MAX_NAME or not shown_name.isprintable():
        raise BadInput(f"a run's name has 1 to {MAX_NAME} characters", pointer="/name")
    if not TestRun.objects.filter(pk=run_id).update(name=shown_name):
        raise NotFound(f"there is no run {run_id}")
    return shown_name

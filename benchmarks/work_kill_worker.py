"""Loaded by the workers of `benchmarks.work_kills`: each writes down, in a journal that outlives it, which kind of work
it begins and ends, and each lease before it takes it. So the drill knows what a killed worker held."""

import os
from typing import Any

from celery.signals import task_postrun, task_prerun

from apps.jobs.services.leases import LeasedTable

_worker = os.environ["RATIBA_DRILL_WORKER"]
_journal = os.open(os.environ["RATIBA_DRILL_JOURNAL"], os.O_WRONLY | os.O_APPEND)
_take_lease = LeasedTable.claim


def _note(*words: object) -> None:
    os.write(_journal, ("\t".join(map(str, (_worker, *words))) + "\n").encode())


def _claim(table: LeasedTable, *, token: Any, **more: Any) -> Any:
    _note("lease", token)
    return _take_lease(table, token=token, **more)


@task_prerun.connect
def _begins(task_id: str, kwargs: dict[str, Any], **_: Any) -> None:
    _note("begin", task_id, kwargs.get("tenant", ""), kwargs.get("work", ""))


@task_postrun.connect
def _ends(task_id: str, **_: Any) -> None:
    _note("end", task_id)


LeasedTable.claim = _claim  # type: ignore[method-assign]

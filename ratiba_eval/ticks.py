"""Define what beat ticks. A tick that was missed expires, the next one finds the same rows.

Beat knows neither Django nor the rooms: it tells an interval, and the worker that hears it reads the registry of work.
"""

from collections.abc import Mapping
from typing import Any

WORK_EVERY_S = (5.0, 15.0, 60.0)  # a kind of work is looked for in one of these intervals
_OTHERS_S = {
    "apps.calibration.tasks.open_rounds": 3600.0,
    "apps.runs.tasks.rescue_stalled": 60.0,
    "apps.evaluations.tasks.watchdog": 600.0,
    "apps.evaluations.tasks.roll_budgets": 3600.0,
}


def beat_schedule() -> dict[str, dict[str, Any]]:
    """The schedule as Celery wants it; every tick goes to the queue `control`."""
    work = {
        f"work_every_{seconds:g}_s": _entry("apps.jobs.tasks.tick", seconds, every_s=seconds)
        for seconds in WORK_EVERY_S
    }
    return work | {task.rpartition(".")[2]: _entry(task, seconds) for task, seconds in _OTHERS_S.items()}


def name_of_tick(schedule: Mapping[str, Mapping[str, Any]], *, task: str, kwargs: Mapping[str, Any]) -> str | None:
    """Return which line of the schedule this task was; None where it was none."""
    return next((name for name, one in schedule.items() if (one["task"], one["kwargs"]) == (task, dict(kwargs))), None)


def _entry(task: str, seconds: float, **kwargs: Any) -> dict[str, Any]:
    options = {"queue": "control", "expires": seconds}
    return {"task": task, "schedule": seconds, "kwargs": kwargs, "options": options}

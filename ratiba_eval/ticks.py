"""What beat ticks: {task: interval in seconds}. A tick that was missed expires, the next one finds the same rows."""

from typing import Any

TICKS_S = {
    "apps.runs.tasks.drive_runs": 15.0,
    "apps.evaluations.tasks.judge_due": 15.0,
    "apps.improvement.tasks.analyse_due": 15.0,
    "apps.gates.tasks.gates_due": 15.0,
    "apps.checks.tasks.measure_due": 15.0,
    "apps.personas.tasks.personas_due": 15.0,
    "apps.personas.tasks.reviews_due": 15.0,
    "apps.jobs.tasks.interactive_due": 15.0,
    "apps.calibration.tasks.certify_due": 60.0,
    "apps.calibration.tasks.open_rounds": 3600.0,
    "apps.api.tasks.send_callbacks": 5.0,
    "apps.runs.tasks.rescue_stalled": 60.0,
    "apps.evaluations.tasks.watchdog": 600.0,
    "apps.evaluations.tasks.roll_budgets": 3600.0,
}


def beat_schedule() -> dict[str, dict[str, Any]]:
    """The schedule as Celery wants it; every tick goes to the queue `control`."""
    return {
        task.rpartition(".")[2]: {
            "task": task,
            "schedule": seconds,
            "options": {"queue": "control", "expires": seconds},
        }
        for task, seconds in TICKS_S.items()
    }

"""The room's place in Django."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "apps.jobs"
    label = "jobs"

    def ready(self) -> None:
        from apps.jobs.wakeups import WorkKind, register  # noqa: PLC0415 - settings must be read first

        task = "apps.jobs.tasks.run_interactive_jobs"
        register("interactive", WorkKind(task=task, table="jobs_interactivejob"))

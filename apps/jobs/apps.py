"""The room's place in Django."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "apps.jobs"
    label = "jobs"

    def ready(self) -> None:
        from apps.jobs.work import Work, register  # noqa: PLC0415 - settings must be read first

        interactive = Work(
            name="interactive",
            label="thing asked for by a button",
            serve="apps.jobs.tasks.interactive",
            queue="improvement",
            table="jobs_interactivejob",
            begins="requested_at",
        )
        register(interactive)

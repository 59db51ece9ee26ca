"""What this room registers when Django starts."""

from apps.jobs.work import Work, register

register(
    Work(
        name="interactive",
        label="thing asked for by a button",
        serve="apps.jobs.tasks.interactive",
        table="jobs_interactivejob",
        begins="requested_at",
    )
)

"""Register the parts of this room when Django starts."""

from apps.connectors.llms.refused_parameters import share_refusals
from apps.jobs.services.refused_parameters import CachedRefusals
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
share_refusals(CachedRefusals())

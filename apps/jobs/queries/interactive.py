"""The state of the work that a page's buttons asked for, as the page shows it."""

import uuid

from apps.jobs.models import InteractiveJob


def interactive_job(*, kind: str, subject_id: uuid.UUID) -> InteractiveJob | None:
    """The job of this kind for this subject, whatever its state; None where nobody asked. One query."""
    job: InteractiveJob | None = InteractiveJob.objects.filter(kind=kind, subject_id=subject_id).first()
    return job


def interactive_jobs_of(subject_id: uuid.UUID) -> dict[str, InteractiveJob]:
    """{kind: job} of a subject. One query."""
    return {row.kind: row for row in InteractiveJob.objects.filter(subject_id=subject_id)}

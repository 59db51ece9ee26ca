"""Register the parts of this room when Django starts."""

from apps.jobs.work import Work, register

register(
    Work(
        name="erasure",
        label="erasure of a person",
        serve="apps.erasure.tasks.erase",
        table="erasure_erasure",
        pending="status IN ('pending', 'erased', 'found')",
        every_s=60.0,
        begins="requested_at",
    ),
    Work(
        name="word_retention",
        label="words that were kept long enough",
        serve="apps.erasure.tasks.retain",
        table="erasure_retentionround",
        pending="true",
        every_s=60.0,
        begins="due_at",
        due=("due_at",),
        finds=("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM {schema}.erasure_retentionround)",),
    ),
)

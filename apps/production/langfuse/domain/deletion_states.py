"""States of the deletion of a person's traces in a Langfuse."""

from enum import StrEnum


class LangfuseDeletionStatus(StrEnum):
    """State of a deletion.

    `asked`: the Langfuse took the request, and its traces are looked for until they are gone (`done`). `refused`: it
    did not, or they were still there after three days: a person must look.
    """

    PENDING = "pending"
    ASKED = "asked"
    DONE = "done"
    REFUSED = "refused"

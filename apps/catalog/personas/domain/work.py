"""States of the generation and the validation of personas."""

from enum import StrEnum


class PersonaWorkStatus(StrEnum):
    """State of work on a persona.

    `failed`: it could not be done, and the row says why; a persona then still waits for its validation. `superseded`:
    the persona was edited meanwhile, so the answer is not for its present text.
    """

    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"
    SUPERSEDED = "superseded"

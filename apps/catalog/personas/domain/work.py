"""Where the generation or the validation of personas stands."""

from enum import StrEnum


class PersonaWorkStatus(StrEnum):
    """`failed`: it could not be done, and the row says why; a persona then still waits for its validation.
    `superseded`: the persona was edited meanwhile, so the answer is not for what stands there now."""

    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"
    SUPERSEDED = "superseded"

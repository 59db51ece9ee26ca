"""The states of a row that owes one piece of work."""

from enum import StrEnum

FOR_A_WORKER = "a worker"  # what a row waits for that nobody has taken up


class WorkStatus(StrEnum):
    """State of work. `failed`: it could not be done, and the row says why."""

    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"

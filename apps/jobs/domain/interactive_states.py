"""States of a job that a person asked for on a page, and the results of its steps."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class InteractiveStatus(StrEnum):
    """State of a job. `failed`: it could not be done; the row says why."""

    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractiveRequest:
    """A request for one step of work, as plain data. `answer` is what earlier steps gave."""

    subject_id: uuid.UUID
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractiveStep:
    """The answer so far after a step, as JSON, and whether there is a further step."""

    answer: Mapping[str, Any] = field(default_factory=dict)
    more: bool = False


# One step of a job, a minute at most: it may ask the network, is in no transaction, and may be repeated when its worker
# is lost. Raises RatibaError for what cannot be done.
InteractiveHandler = Callable[[InteractiveRequest], InteractiveStep]

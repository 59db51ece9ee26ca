"""The one root of our errors.

    RatibaError                 everything this product raises on purpose
    ├── BadInput                the caller's mistake: names the field, line or id and says what to do
    │   ├── DocumentError       a conversation document that cannot be taken (apps.core.conversation)
    │   └── NotFound            an id or name that is not there for this tenant
    ├── Conflict                right request, wrong moment: the state of the thing forbids it
    └── ConnectorError          what came back (or did not) from outside (apps.connectors.errors)

`code` is stable and part of the API; `str(error)` is for people; `retryable` says whether the same call may
succeed later without a change by the caller; `fault` says who has to act.
"""

from enum import StrEnum
from typing import Any


class Fault(StrEnum):
    """The party that has to act so that it works next time."""

    CALLER = "caller"
    PLATFORM = "platform"
    REMOTE = "remote"


class RatibaError(Exception):
    """Root of every error raised on purpose. `extra` travels into problem+json as extension members."""

    code = "error"
    retryable = False
    fault = Fault.PLATFORM

    def __init__(self, message: str, *, code: str | None = None, **extra: Any) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code
        self.extra = extra


class BadInput(RatibaError):
    """The caller's mistake. `pointer` is an RFC 6901 JSON pointer to the field at fault, where one field is."""

    code = "invalid"
    fault = Fault.CALLER

    def __init__(self, message: str, *, code: str | None = None, pointer: str | None = None, **extra: Any) -> None:
        super().__init__(message, code=code, **extra)
        self.pointer = pointer


class NotFound(BadInput):
    """An id or a name that does not exist for this tenant."""

    code = "not_found"


class Conflict(RatibaError):
    """The request is well formed, but the state of the thing forbids it now."""

    code = "conflict"
    fault = Fault.CALLER

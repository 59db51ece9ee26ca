"""What a key may do, and where a callback stands."""

from enum import StrEnum


class KeyScope(StrEnum):
    """What an API key may do. A key that writes does not read unless it has both."""

    READ = "read"
    WRITE = "write"


class CallbackStatus(StrEnum):
    """`failed`: the schedule is used up. `gone`: the receiver answered 410. `refused`: our own guard said no.

    All three wait for a person, who may send again; the event keeps its id.
    """

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    GONE = "gone"
    REFUSED = "refused"

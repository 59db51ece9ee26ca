"""States of a delivery."""

from enum import StrEnum


class DeliveryStatus(StrEnum):
    """State of a delivery that is open, delivered or given up.

    `gone`: the receiver answered 410. `refused`: our own guard said no.

    All three wait for a person, who may send again; the event keeps its id.
    """

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    GONE = "gone"
    REFUSED = "refused"


GIVEN_UP = (DeliveryStatus.FAILED, DeliveryStatus.GONE, DeliveryStatus.REFUSED)

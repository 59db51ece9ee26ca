"""The outcome of one attempt to deliver something, of any kind."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryOutcome:
    """Outcome of a delivery.

    `status` is an HTTP status where there is one. `gone`: stop sending to this receiver. `refused`: our own guard said
    no, or it cannot be sent at all; trying again does not help. `retry_after_s` is what the receiver asked for, when it
    did. `timed_out`: no answer came within the time of this attempt. `receipt` is the receiver's own id of what it
    took, and `remote_code` its code of an error, where its protocol has such.
    """

    delivered: bool
    status: int | None = None
    error: str = ""
    retry_after_s: float | None = None
    gone: bool = False
    refused: bool = False
    timed_out: bool = False
    receipt: str = ""
    remote_code: int | None = None

"""The node's time: real time, or faster by a scale so that a minute of thinking takes a second."""

import time
from datetime import UTC, datetime, timedelta


class NodeClock:
    """`now()` and `sleep()` in the node's own seconds; one real second is `scale` of them."""

    def __init__(self, *, scale: float = 1.0) -> None:
        self.scale = scale
        self._began, self._start = time.monotonic(), datetime.now(UTC)

    def now(self) -> datetime:
        """The node's time, UTC."""
        return self._start + timedelta(seconds=(time.monotonic() - self._began) * self.scale)

    def sleep(self, seconds: float) -> None:
        """Wait for that many of the node's seconds."""
        if seconds > 0:
            time.sleep(seconds / self.scale)


def pega_time(moment: datetime, *, iso: bool) -> str:
    """A time as Pega writes it: 20260511T090000.000 GMT, or ISO."""
    if iso:
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
    return f"{moment:%Y%m%dT%H%M%S}.{moment.microsecond // 1000:03d} GMT"

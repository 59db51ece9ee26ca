"""Waits until every named worker takes tasks: `python -m ratiba_eval.workers_listen control worker-1`. Exit 0 then."""

import sys
from collections.abc import Sequence

from ratiba_eval.beat import app


def workers_listen(names: Sequence[str]) -> bool:
    """Tell whether all of these workers take tasks. Each is asked over the broker; half a second when one does not."""
    from ratiba_eval.broker_errors import BROKER_ERRORS  # noqa: PLC0415 - Celery has loaded what it needs by now

    wanted = {f"{name}@ratiba" for name in names}
    try:
        replies = app.control.ping(destination=sorted(wanted), timeout=0.5, limit=len(wanted))
    except BROKER_ERRORS:  # no broker yet, or another one than when it was asked last
        return False
    return wanted <= {name for reply in replies or [] for name in reply}


if __name__ == "__main__":
    while not workers_listen(sys.argv[1:]):
        pass

"""Waits until nobody uses the embedded services of a state folder, stops them, and ends. Started by the first user."""

import fcntl
import sys
from pathlib import Path

from ratiba_eval.stack.leases import Lease


def main(state: Path) -> None:
    """One janitor per state folder; a second one leaves at once. Costs a sleeping process, no time."""
    with open(state / ".janitor.lock", "a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        lease = Lease(state)
        while state.is_dir():
            lease.wait_until_unused()
            if lease.stop_if_unused(leave=handle.close):
                return


if __name__ == "__main__":
    main(Path(sys.argv[1]))

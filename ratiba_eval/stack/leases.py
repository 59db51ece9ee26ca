"""Count who uses the embedded services. The last one out turns off the light, even when it was killed.

Every process that needs them holds a shared lock on one file; the kernel gives it back however the process dies. The
one who leaves tries to take the lock for itself: when that works nobody is left, and the servers are stopped. For those
who cannot clean up after themselves (kill -9) a janitor waits for the same lock.
"""

import fcntl
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from ratiba_eval.stack.places import CHECKOUT, locked
from ratiba_eval.stack.postgres import Postgres
from ratiba_eval.stack.valkey import Valkey


class Lease:
    """This process's part in the use of one state folder's services. Not for several threads at once."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.users = state / ".users.lock"
        self.keep = state / ".keep-running"
        self._mine: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Tell whether this process holds it."""
        return self._mine is not None

    def take(self) -> None:
        """Say that this process uses the services. Safe to repeat. Call inside the `leases` lock."""
        if self._mine is None:
            handle = open(self.users, "a")  # noqa: SIM115 - held for as long as the process uses the services
            fcntl.flock(handle, fcntl.LOCK_SH)
            self._mine = handle

    def release(self) -> None:
        """Say that it does not any more, and stop the servers when nobody else does. Safe to repeat."""
        if self._mine is None:
            return
        self._mine.close()
        self._mine = None
        self.stop_if_unused()

    def stop_if_unused(self, *, leave: Callable[[], None] = lambda: None) -> bool:
        """Stop both servers when no process uses them and nobody asked to keep them; whether all is settled now.

        `leave` is called before anybody else may begin to use them: who watches them says there that it does no more.
        """
        with locked(self.state, "leases"), open(self.users, "a") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            if not self.keep.exists():
                Valkey(self.state).stop()
                Postgres(self.state).stop()
            leave()
            return True

    def wait_until_unused(self) -> None:
        """Block until no process holds the lease."""
        with open(self.users, "a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)

    def call_janitor(self) -> None:
        """Start the process that stops the servers when the last user is gone, unless one waits already.

        Call inside the `leases` lock: a janitor that is about to leave says so inside it.
        """
        with open(self.state / ".janitor.lock", "a") as handle, suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(handle, fcntl.LOCK_UN)
            subprocess.Popen(
                [sys.executable, "-m", "ratiba_eval.stack.janitor", str(self.state)],
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

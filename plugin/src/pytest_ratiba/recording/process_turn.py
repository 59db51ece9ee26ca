"""An agent's own process has one turn at a time, across the workers of xdist: whose it is says a file.

The worker that brings a turn locks the file and writes the address of its recorder's endpoint into it. The process was
started by the controller and asks the controller's endpoint, which passes the call on to that address.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

POLL_S = 0.02


class ProcessTurn:
    """The file of one session. A worker that dies lets go of its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @asynccontextmanager
    async def held(self, endpoint: str) -> AsyncIterator[None]:
        """Wait until no other worker has the turn; from then on the process's calls go to `endpoint`."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            while not _locked(descriptor):
                await asyncio.sleep(POLL_S)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, endpoint.encode(), 0)
            yield
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def endpoint(self) -> str:
        """Return the address that the process's calls go to now; "" between turns."""
        try:
            return self.path.read_text(encoding="utf-8")
        except OSError:
            return ""

    def remove(self) -> None:
        """The session is over."""
        self.path.unlink(missing_ok=True)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

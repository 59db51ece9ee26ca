"""Liveness by connecting: a pid in a file says nothing, an answer on the socket does."""

import os
import signal
import socket
import struct
import sys
import time
from pathlib import Path


def answers(path: Path, *, timeout_s: float = 1.0) -> bool:
    """Tell whether somebody accepts connections on this Unix socket."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(timeout_s)
            probe.connect(str(path))
    except OSError:
        return False
    return True


def owner_pid(path: Path) -> int | None:
    """The process that listens on this socket, told by the kernel; None when nobody does or the system cannot say."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1.0)
            probe.connect(str(path))
            raw = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    except OSError:
        return None
    pid, _uid, _gid = struct.unpack("3i", raw)
    return int(pid) or None


def alive(pid: int) -> bool:
    """Tell whether the process runs; one that is dead and only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state not in {"Z", "X"}


def end(pid: int, *, gently: int, patience_s: float, interval_s: float = 0.02) -> None:
    """Ask the process to end with the signal `gently`, and kill it when it has not after `patience_s`."""
    for number, wait_s in ((gently, patience_s), (int(signal.SIGKILL), 5.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + wait_s
        while time.monotonic() < deadline:
            if not alive(pid):
                return
            time.sleep(interval_s)

"""Ask the kernel about a process's parent."""

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform.startswith("linux") else None


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Let the kernel send this process a signal when the thread that started it ends. Linux only; elsewhere nothing."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)

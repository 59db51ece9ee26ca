"""Ctrl-C between two steps instead of inside one.

A KeyboardInterrupt is raised wherever the program happens to stand. In the middle of a statement it leaves a database
connection that cannot take another, and leases could not be given back.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Record of Ctrl-C: it tells whether somebody pressed it since the block began."""

    def __init__(self) -> None:
        self._pressed = False

    def press(self) -> None:
        self._pressed = True

    def check(self) -> None:
        """Raise KeyboardInterrupt here, at a place where nothing is half done."""
        if self._pressed:
            raise KeyboardInterrupt


@contextmanager
def deferred_interrupt() -> Iterator[Interrupt]:
    """Defer Ctrl-C in the block to the next `check()`; a second one is raised at once."""
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    before = signal.getsignal(signal.SIGINT)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        # Where Ctrl-C is ignored (a shell's background job) somebody sent it on purpose all the same.
        signal.signal(signal.SIGINT, before if callable(before) else signal.default_int_handler)
        interrupt.press()

    signal.signal(signal.SIGINT, on_signal)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
    interrupt.check()

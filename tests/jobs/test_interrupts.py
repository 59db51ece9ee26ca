"""Ctrl-C waits for a place where nothing is half done."""

import os
import signal
import threading
import time

import pytest

from apps.jobs.interrupts import deferred_interrupt


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)  # Python runs handlers between two of its steps


def test_a_step_under_way_is_finished_before_ctrl_c_is_raised():
    steps: list[int] = []

    def work() -> None:
        with deferred_interrupt() as interrupt:
            for step in range(10):
                interrupt.check()
                if step == 3:
                    press()
                steps.append(step)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == [0, 1, 2, 3]


def test_a_second_ctrl_c_is_raised_at_once():
    steps: list[str] = []

    def work() -> None:
        with deferred_interrupt():
            press()
            steps.append("first")
            press()
            steps.append("second")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["first"]


def test_ctrl_c_in_the_last_step_is_raised_behind_the_block():
    with pytest.raises(KeyboardInterrupt), deferred_interrupt():
        press()


def test_the_handler_of_before_is_back_after_the_block():
    before = signal.getsignal(signal.SIGINT)
    with deferred_interrupt():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_thread_beside_the_main_one_changes_no_handler():
    seen: list[object] = []

    def run() -> None:
        with deferred_interrupt():
            seen.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]

"""The agent as a process of its own: `start: {command, ready}`."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_ratiba.agents import StartCommand
from pytest_ratiba.errors import ProjectError

READY_S = 90.0
STOP_S = 10.0


@contextmanager
def started_agent(start: StartCommand | None, folder: Path, *, ready_s: float = READY_S) -> Iterator[None]:
    """Run the agent's command in `folder` until its address answers, and stop it afterwards; nothing without one.

    Raises `ProjectError` where it ends before, or does not answer in time.
    """
    if start is None:
        yield
        return
    try:
        process = subprocess.Popen(list(start.command), cwd=folder, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise ProjectError(f"the agent's command does not start: {error}") from error
    try:
        _wait_until_ready(process, start, ready_s)
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: "subprocess.Popen[bytes]", start: StartCommand, ready_s: float) -> None:
    import httpx

    deadline = time.monotonic() + ready_s
    while True:
        if process.poll() is not None:
            raise ProjectError(f"the agent ended with {process.returncode} before {start.ready} answered")
        try:
            if httpx.get(start.ready, timeout=5, trust_env=False).status_code < 500:
                return
        except httpx.HTTPError:
            pass
        if time.monotonic() > deadline:
            raise ProjectError(f"{start.ready} did not answer within {ready_s:g} s")
        time.sleep(0.2)

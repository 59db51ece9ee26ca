"""Real processes on a database and a broker of their own: no worker of this machine meets what is tested here."""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from ratiba_eval.stack.places import CHECKOUT, socket_dir
from ratiba_eval.stack.valkey import Valkey
from ratiba_eval.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Machine:
    """What the processes of one test share."""

    env: Mapping[str, str]
    supervisor: Supervisor

    def command(self, *arguments: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[str]:
        """`manage.py …`, as a user types it."""
        argv = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            argv, cwd=CHECKOUT, env=dict(self.env), capture_output=True, text=True, timeout=timeout_s, check=False
        )


def until(true: Callable[[], Any], *, timeout_s: float = 60.0, what: str = "it") -> None:
    """Wait for something that other processes do."""
    deadline = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {timeout_s:g} s")
        time.sleep(0.02)


def share_tenant_scripts(state: Path) -> None:
    """Let processes of this state folder use the checkout's script of a new tenant's schema: building it takes 9 s."""
    here = Path(settings.STATE_DIR) / "schema"
    here.mkdir(parents=True, exist_ok=True)
    state.mkdir(mode=0o700, exist_ok=True)
    (state / "schema").symlink_to(here)


@pytest.fixture
def machine(database_url: str) -> Iterator[Machine]:
    import os  # noqa: PLC0415 - only here

    folder = Path(tempfile.mkdtemp(prefix="rj-", dir="/tmp"))
    share_tenant_scripts(folder / "var")
    broker = Valkey(folder / "var")
    broker.start()
    env = {
        **os.environ,
        "DATABASE_URL": database_url,
        "REDIS_URL": broker.url,
        "SECRET_KEY": settings.SECRET_KEY,
        "RATIBA_FIELD_KEY": settings.FIELD_KEY,
        "RATIBA_STATE_DIR": str(folder / "var"),
        "RATIBA_LOG_DIR": str(folder / "log"),
        "RATIBA_PRIVATE_HOSTS": "loopback",
        "RATIBA_MODEL_BACKOFF_S": "0",
        "ALLOWED_HOSTS": ".localhost",
    }
    try:
        with Supervisor(folder / "out") as supervisor:
            yield Machine(env, supervisor)
    finally:
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)
        if socket_dir(folder / "var").parent != folder / "var":
            shutil.rmtree(socket_dir(folder / "var"), ignore_errors=True)


@pytest.fixture(scope="session")
def booking_agent() -> Iterator[str]:
    """The address of the example agent, served over A2A by a process of its own."""
    argv = [sys.executable, "-m", "examples.booking_agent", "--port", "0", "--today", "2026-03-02"]
    process = subprocess.Popen(argv, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.terminate()
        process.wait(10)

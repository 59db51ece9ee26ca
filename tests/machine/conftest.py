"""Embedded services in folders of their own, so that no test meets the ones the suite itself runs on."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ratiba_eval.stack.places import CHECKOUT, socket_dir
from ratiba_eval.stack.postgres import Postgres
from ratiba_eval.stack.valkey import Valkey


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose sockets' paths are short: pytest's own temporary folders are deep."""
    folder = Path(tempfile.mkdtemp(prefix="rs-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def state(short_folder: Path) -> Iterator[Path]:
    """An empty state folder; whatever runs in it is stopped at the end."""
    folder = short_folder / "var"
    yield folder
    stop_both(folder)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Path]:
    """A state folder with a cluster that was made and stopped: initdb takes most of a first start."""
    folder = Path(tempfile.mkdtemp(prefix="rs-", dir="/tmp")) / "var"
    made = Postgres(folder)
    made.start()
    made.stop()
    yield folder
    shutil.rmtree(folder.parent, ignore_errors=True)


@pytest.fixture
def used_state(state: Path, cluster: Path) -> Path:
    """A state folder whose services ran before."""
    subprocess.run(["cp", "-a", "--reflink=auto", str(cluster), str(state)], check=True)
    return state


def stop_both(folder: Path) -> None:
    if folder.is_dir():
        Valkey(folder).stop()
        Postgres(folder).stop(mode="immediate")
    if socket_dir(folder).parent != folder:
        shutil.rmtree(socket_dir(folder), ignore_errors=True)


def environment(state: Path, **more: str) -> dict[str, str]:
    """This process's environment with the embedded services of `state`."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return {**kept, "RATIBA_STATE_DIR": str(state), **more}


def local_stack(state: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command line, as a user runs it."""
    command = [sys.executable, "-m", "ratiba_eval.local_stack", *arguments]
    env = environment(state, **more)
    return subprocess.run(command, cwd=CHECKOUT, env=env, capture_output=True, text=True, timeout=90, check=False)


def until(true: Callable[[], object], *, timeout_s: float = 20.0, what: str = "it") -> None:
    """Wait for something that other processes do."""
    deadline = time.monotonic() + timeout_s
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {timeout_s:g} s")
        time.sleep(0.02)

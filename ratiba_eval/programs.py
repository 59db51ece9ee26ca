"""The processes of the product on one machine, as the supervisor runs them: web, workers, beat, the example agents."""

import fcntl
import http.client
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ratiba_eval.supervisor import Program

WORK_QUEUES = ("battles", "judging", "improvement")
ADDRESS = "127.0.0.1"
UP_LOCK = ".up.lock"  # in the state folder, held while `up` runs


class PortTaken(RuntimeError):
    """Somebody listens on a port we need; the message names it and the variable that changes it."""


class AlreadyUp(RuntimeError):
    """The product runs from this checkout already."""


def port_from(variable: str, default: int) -> int:
    """The port named by the environment. Raises ValueError naming the variable."""
    value = os.environ.get(variable, "").strip()
    if value and not (value.isascii() and value.isdigit() and 0 < int(value) < 65536):
        raise ValueError(f"{variable}={value!r} is not a port: a number from 1 to 65535")
    return int(value) if value else default


def web_port() -> int:
    """RATIBA_PORT, or 8000."""
    return port_from("RATIBA_PORT", 8000)


def agent_port() -> int:
    """RATIBA_DEMO_AGENT_PORT, or 8123."""
    return port_from("RATIBA_DEMO_AGENT_PORT", 8123)


def pega_port() -> int:
    """RATIBA_DEMO_PEGA_PORT, or 8124."""
    return port_from("RATIBA_DEMO_PEGA_PORT", 8124)


def model_port() -> int:
    """RATIBA_LOOP_MODEL_PORT, or 8125."""
    return port_from("RATIBA_LOOP_MODEL_PORT", 8125)


def check_free(port: int, *, variable: str, what: str) -> None:
    """Raise PortTaken unless we could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ADDRESS, port))
            probe.listen(1)
        except OSError as error:
            why = "is taken" if error.errno == 98 else f"cannot be used ({error.strerror})"
            raise PortTaken(
                f"port {port}, wanted for {what}, {why}: stop what uses it, or set {variable} to another port, "
                f"for instance {variable}={port + 1 if port < 65535 else port - 1}"
            ) from None


@contextmanager
def the_only_one(state: Path) -> Iterator[None]:
    """Hold this checkout's right to run the whole product: two would run two beats on one broker. Raises AlreadyUp."""
    state.mkdir(parents=True, exist_ok=True)
    with open(state / UP_LOCK, "a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyUp(
                "it is up already, started from this checkout, or is still stopping: after Ctrl-C wait until that "
                "terminal says `stopped`, up to half a minute"
            ) from None
        yield


@contextmanager
def taking_turns(state: Path) -> Iterator[None]:
    """Wait for whoever else prepares this state folder: two that make one schema at once trip over each other."""
    state.mkdir(parents=True, exist_ok=True)
    with open(state / ".prepare.lock", "a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def is_up(state: Path) -> bool:
    """Tell whether `up` runs from this checkout: its workers, beat and agent then serve whoever asks."""
    try:
        with the_only_one(state):
            return False
    except AlreadyUp:
        return True


def _settings() -> dict[str, str]:
    return {"DJANGO_SETTINGS_MODULE": "ratiba_eval.settings"}


def web(port: int) -> Program:
    """The web server: waitress with Django's WSGI application; static files come from WhiteNoise."""
    argv = (sys.executable, "-m", "ratiba_eval.web", "--host", ADDRESS, "--port", str(port))
    # Its threads are few and last, and so may their connections.
    lasting = {"RATIBA_DB_CONN_MAX_AGE": os.environ.get("RATIBA_DB_CONN_MAX_AGE") or "60"}
    return Program(name="web", argv=argv, env={**_settings(), **lasting})


def worker(name: str, *, queues: tuple[str, ...] = WORK_QUEUES, concurrency: int = 2) -> Program:
    """One Celery worker: a pool of processes, or none of its own where one is enough.

    A stop waits 10 s for what is in hand; rows still owe the rest.
    """
    pool = ("solo",) if concurrency == 0 else ("prefork", "--concurrency", str(concurrency))
    options = (
        "--pool",
        *pool,
        "--hostname",
        f"{name}@ratiba",
        "--loglevel",
        "INFO",
    )
    quiet = ("--without-gossip", "--without-mingle")  # workers have nothing to tell each other
    return Program(
        name=name,
        argv=(
            sys.executable,
            "-m",
            "celery",
            "-A",
            "ratiba_eval.celery",
            "worker",
            "-Q",
            ",".join(queues),
            *options,
            *quiet,
        ),
        # The checks load every page and view; `make lint` and the tests run them.
        env={**_settings(), "CELERY_SKIP_CHECKS": "1"},
    )


def workers(count: int, *, concurrency: int = 2) -> Iterator[Program]:
    """One small worker for `control`, which never waits behind work, and `count` for everything else.

    What `control` does is short, so it works in its own process (`concurrency` 0), without a pool's time limits.
    """
    yield worker("control", queues=("control",), concurrency=0)
    for number in range(1, count + 1):
        yield worker(f"worker-{number}", concurrency=concurrency)


def beat(state: Path) -> Program:
    """The clock that makes the ticks. One per broker: the supervisor of `up` holds a lock for that."""
    folder = state / "beat"
    folder.mkdir(parents=True, exist_ok=True)
    argv = (sys.executable, "-m", "celery", "-A", "ratiba_eval.beat", "beat", "--loglevel", "INFO", "--pidfile=")
    return Program(name="beat", argv=(*argv, "--schedule", str(folder / "schedule")), env=_settings())


def booking_agent(port: int, *, weaknesses: tuple[str, ...] = ()) -> Program:
    """The example agent, a real A2A server."""
    extra = tuple(part for name in weaknesses for part in ("--weakness", name))
    argv = (sys.executable, "-m", "examples.booking_agent", "--port", str(port), *extra)
    return Program(name="agent", argv=argv)


def campaign_agent(port: int, *, faults: tuple[str, ...] = ()) -> Program:
    """The example campaign agent, a loopback Pega."""
    extra = tuple(part for name in faults for part in ("--fault", name))
    return Program(name="pega", argv=(sys.executable, "-m", "examples.pega", "--port", str(port), *extra))


def obedient_model(port: int) -> Program:
    """The loopback model that obeys its prompt, for `make loop`."""
    return Program(name="model", argv=(sys.executable, "-m", "examples.obedient_model", "--port", str(port)))


def accepts(port: int) -> bool:
    """Tell whether somebody listens on this port of ours."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((ADDRESS, port)) == 0


def web_answers(port: int, *, path: str = "/healthz") -> bool:
    """Tell whether the web server answers 200."""
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()

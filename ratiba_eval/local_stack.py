"""The embedded Postgres and broker, for a machine that has neither.

    python -m ratiba_eval.local_stack start | stop | status | url | run COMMAND... | remove

`start` keeps them running until `stop`; `run` holds them for one command. Nothing here needs Django or its settings.
Both speak over Unix sockets only: no ports, no passwords, two checkouts never meet. DATABASE_URL and REDIS_URL, when
set, replace the one or the other, which is then not started.
"""

import argparse
import atexit
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ratiba_eval.stack.account import outside_dir
from ratiba_eval.stack.binaries import pg_binary
from ratiba_eval.stack.leases import Lease
from ratiba_eval.stack.places import StackError, locked, socket_dir, state_dir
from ratiba_eval.stack.postgres import Postgres
from ratiba_eval.stack.valkey import Valkey

__all__ = ["StackError", "StackUrls", "ensure", "pg_binary", "postgres", "release", "state_dir", "urls", "valkey"]


class StackUrls(NamedTuple):
    """Addresses as DATABASE_URL and REDIS_URL hold them."""

    database_url: str
    redis_url: str


def postgres() -> Postgres:
    """The embedded Postgres of this checkout, running or not."""
    return Postgres(state_dir())


def valkey() -> Valkey:
    """The embedded broker of this checkout, running or not."""
    return Valkey(state_dir())


def urls() -> StackUrls:
    """The addresses in use: the environment's, else the embedded ones. Microseconds; starts and makes nothing."""
    return StackUrls(
        database_url=os.environ.get("DATABASE_URL", "").strip() or postgres().url,
        redis_url=os.environ.get("REDIS_URL", "").strip() or valkey().url,
    )


@cache
def _lease(state: Path, _pid: int) -> Lease:
    """One per process: a forked child does not inherit its parent's part."""
    return Lease(state)


def _replaced(name: str) -> bool:
    """Tell whether the environment names a real server.

    Its address may also stand in the file that NAME_FILE points to.
    """
    return bool(os.environ.get(name, "").strip() or os.environ.get(f"{name}_FILE", "").strip())


def _start(state: Path) -> None:
    if not _replaced("DATABASE_URL"):
        Postgres(state).start()
    if not _replaced("REDIS_URL"):
        Valkey(state).start()


def ensure() -> StackUrls:
    """Start what is embedded and not running, and use it until this process ends.

    The last process that used them stops the servers; whoever is killed before it can is noticed by a janitor. Safe to
    repeat, and from many processes at once. About 1 s the first time, 0.2 s after a stop, 1 ms when they run. Raises
    StackError.
    """
    stack_urls = urls()
    if _replaced("DATABASE_URL") and _replaced("REDIS_URL"):
        return stack_urls
    state = state_dir()
    lease = _lease(state, os.getpid())
    with locked(state, "leases"):
        first = not lease.held
        lease.take()
        _start(state)
        if first:
            atexit.register(lease.release)
        lease.call_janitor()
    return stack_urls


def release() -> None:
    """Stop using them before this process ends. Safe to repeat."""
    _lease(state_dir(), os.getpid()).release()


def start() -> StackUrls:
    """Start them, to run until `stop` whoever uses them or not."""
    state = state_dir()
    with locked(state, "leases"):
        Lease(state).keep.touch()
        _start(state)
    return urls()


def stop() -> None:
    """Stop both, whoever uses them. Safe to repeat."""
    state = state_dir()
    if not state.is_dir():
        return
    with locked(state, "leases"):
        Lease(state).keep.unlink(missing_ok=True)
        Valkey(state).stop()
        Postgres(state).stop()


def remove() -> None:
    """Stop both and remove everything they ever wrote, outside the checkout too. Their data are gone.

    Raises StackError while `up` runs from here: its web server, workers and beat would go on without a database.
    """
    from ratiba_eval.programs import UP_LOCK, is_up  # noqa: PLC0415 - nothing else here needs them

    state = state_dir()
    if (state / UP_LOCK).exists() and is_up(state):
        raise StackError("it is up, started from this checkout: stop it first (Ctrl-C in its terminal)")
    stop()
    for folder in (outside_dir(state), state):
        shutil.rmtree(folder, ignore_errors=True)
    if socket_dir(state).parent != state:
        shutil.rmtree(socket_dir(state), ignore_errors=True)


def _run(command: list[str]) -> int:
    ensure()
    try:
        return subprocess.run(command, check=False).returncode
    except KeyboardInterrupt:
        return 130


def _status() -> int:
    server, broker = postgres(), valkey()
    for name, service in (("postgres", server), ("broker", broker)):
        print(f"{name}: {f'running, pid {service.pid()}' if service.running() else 'stopped'}, {service.socket}")
    return 0 if server.running() and broker.running() else 1


def main(arguments: list[str]) -> int:
    """The command line; exit 0 done, 1 not running (status), 2 wrong use or a service that does not start."""
    parser = argparse.ArgumentParser(prog="python -m ratiba_eval.local_stack", description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["start", "stop", "status", "url", "run", "remove"])
    parser.add_argument("command", nargs=argparse.REMAINDER, help="for run: the command and its arguments")
    options = parser.parse_args(arguments)
    try:
        match options.action:
            case "run":
                return _run([part for part in options.command if part != "--"])
            case "status":
                return _status()
            case "stop":
                stop()
            case "remove":
                remove()
            case _:
                stack = start() if options.action == "start" else urls()
                print(f"DATABASE_URL={stack.database_url}\nREDIS_URL={stack.redis_url}")
    except StackError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Runs processes on one machine: starts them, keeps them, stops them. `up`, `demo`, benchmarks and tests use it.

Nothing it starts outlives it: it stops its children when it is closed, and the kernel kills them when it dies in a way
that leaves no time (kill -9). Their output goes straight into files, so a slow terminal never holds a worker up.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Self, TypeVar

from apps.core.processes import die_with_parent

_Answer = TypeVar("_Answer")
CHECKOUT = Path(__file__).resolve().parent.parent
BACKOFF_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
SETTLED_S = 30.0  # who ran this long has not crashed at the start: the delays begin anew
POLL_S = 0.05
LOG_LIMIT = 10 * 1024 * 1024
START_S, TOLD_EVERY_S = 900.0, 15.0  # a crowded machine takes minutes; who ends by itself is told at once
START_VARIABLE = "RATIBA_START_TIMEOUT_S"


def start_timeout_s() -> float:
    """Return how long a program may take to start: the variable's seconds, where it holds a number."""
    try:
        return max(1.0, float(os.environ.get("RATIBA_START_TIMEOUT_S") or START_S))
    except ValueError:
        return START_S


class ChildFailed(RuntimeError):
    """A process ended, or said nothing, while somebody waited for it; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Program:
    """One process to run. `grace_s` is how long it may take to end after SIGTERM before it is killed."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    grace_s: float = 10.0


@dataclass(slots=True)
class _Child:
    program: Program
    process: subprocess.Popen[bytes]
    log_start: int
    started: float
    crashes: int = 0
    due: float | None = None  # when it died: the time of its next start
    restart: bool = True


class Supervisor:
    """Keeps programs running. Every method may be called from any thread; all but `close` while it is open.

    One thread of its own starts and watches the children: the kernel ties them to the thread that started them.
    `notify(name, text)` is told of crashes and restarts.
    """

    def __init__(self, log_dir: Path, *, notify: Callable[[str, str], None] | None = None) -> None:
        self.log_dir = log_dir
        self._notify = notify or (lambda _name, _text: None)
        self._children: dict[str, _Child] = {}
        self._orders: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._closed = threading.Event()
        log_dir.mkdir(parents=True, exist_ok=True)
        self._keeper = threading.Thread(target=self._keep, name="supervisor", daemon=True)
        self._keeper.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- verbs --------------------------------------------------------------------------------------------------------

    def start(self, program: Program, *, restart: bool = True) -> int:
        """Start it, and again whenever it ends by itself (after 0.5 s, then 1, 2, 5, 10, 30); its pid.

        Raises ValueError when a program of that name runs or is waiting to, OSError when it cannot be executed.
        """
        return self._do(lambda: self._start(program, restart))

    def stop(self, *names: str) -> None:
        """SIGTERM to all of them, SIGKILL to what is left after its grace, its own children too. Safe to repeat."""
        self._do(lambda: self._stop(names))

    def restart(self, name: str) -> int:
        """Stop it and start it again; its new pid. Raises KeyError for an unknown name."""
        program = self._children[name].program
        keep = self._children[name].restart
        self.stop(name)
        return self.start(program, restart=keep)

    def kill(self, name: str, number: int = signal.SIGKILL) -> int:
        """Send a signal to the main process alone, as an accident would; its pid. It is restarted as after a crash."""
        pid = self._children[name].process.pid
        os.kill(pid, number)
        return pid

    def close(self) -> None:
        """Stop everything. Safe to repeat."""
        if not self._closed.is_set():
            self.stop(*self.names())
            self._closed.set()
            self._keeper.join(timeout=5)

    # -- questions ----------------------------------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Every program that is started and not stopped."""
        return list(self._children)

    def pid(self, name: str) -> int | None:
        """Return the program's process, None while it is down. Raises KeyError for an unknown name."""
        child = self._children[name]
        return child.process.pid if child.process.poll() is None else None

    def crashes(self, name: str) -> int:
        """Return how often in a row a program ended by itself."""
        return self._children[name].crashes

    def log(self, name: str) -> Path:
        """The file of its output."""
        return self.log_dir / f"{name}.log"

    def output(self, name: str) -> str:
        """Return what a program has written since it was last started."""
        with open(self.log(name), "rb") as handle:
            handle.seek(self._children[name].log_start)
            return handle.read().decode(errors="replace")

    def wait_for(self, name: str, ready: Callable[[], bool], *, timeout_s: float | None = None) -> None:
        """Wait until `ready()`, and tell `notify` now and then what for; raises ChildFailed when the program ends
        first, or the time is over (RATIBA_START_TIMEOUT_S, else START_S)."""
        limit = start_timeout_s() if timeout_s is None else timeout_s
        began, notices, crashes = time.monotonic(), 0, self.crashes(name)
        while not ready():
            waited = time.monotonic() - began
            if self.crashes(name) > crashes or waited > limit:
                what = "ended" if self.crashes(name) > crashes else f"is not ready after {limit:g} s ({START_VARIABLE})"
                raise ChildFailed(f"{name} {what}; the end of {self.log(name)}:\n{tail(self.log(name))}")
            if waited > (notices + 1) * TOLD_EVERY_S:
                notices += 1
                self._notify(name, f"is starting since {waited:.0f} s; given up after {limit:g} s ({START_VARIABLE})")
            time.sleep(POLL_S)

    def wait_for_text(self, name: str, text: str, *, timeout_s: float | None = None) -> None:
        """Wait until the program has written `text`. Raises ChildFailed."""
        self.wait_for(name, lambda: text in self.output(name), timeout_s=timeout_s)

    # -- the keeper's thread ------------------------------------------------------------------------------------------

    def _do(self, order: Callable[[], _Answer]) -> _Answer:
        if threading.current_thread() is self._keeper:
            return order()
        if self._closed.is_set():
            raise RuntimeError("this supervisor is closed")
        answer: Future[_Answer] = Future()

        def run() -> None:
            try:
                answer.set_result(order())
            except BaseException as error:  # handed to whoever asked
                answer.set_exception(error)

        self._orders.put(run)
        return answer.result()

    def _keep(self) -> None:
        while not self._closed.is_set():
            with suppress(Empty):
                self._orders.get(timeout=POLL_S)()
            now = time.monotonic()
            for child in list(self._children.values()):
                self._look_after(child, now)

    def _look_after(self, child: _Child, now: float) -> None:
        if child.due is not None:
            if now >= child.due and child.restart:
                child.due = None
                child.log_start = self._mark(child.program, "started again")
                try:
                    child.process = self._spawn(child.program)
                    child.started = now
                except OSError as error:  # for instance out of processes: as a crash
                    self._crashed(child, now, str(error))
            return
        code = child.process.poll()
        if code is not None:
            self._crashed(child, now, f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}")

    def _crashed(self, child: _Child, now: float, why: str) -> None:
        kill_group(child.process.pid)  # whatever it left behind
        child.crashes = 1 if now - child.started > SETTLED_S else child.crashes + 1
        delay = BACKOFF_S[min(child.crashes, len(BACKOFF_S)) - 1]
        child.due = now + delay
        text = f"{why}; starting it again in {delay:g} s" if child.restart else why
        self._mark(child.program, text)
        self._notify(child.program.name, text)

    def _start(self, program: Program, restart: bool) -> int:
        if program.name in self._children:
            raise ValueError(f"{program.name} is started already")
        log = self.log(program.name)
        if log.exists() and log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))
        start = self._mark(program, "started")
        process = self._spawn(program)
        self._children[program.name] = _Child(program, process, start, time.monotonic(), restart=restart)
        return process.pid

    def _spawn(self, program: Program) -> subprocess.Popen[bytes]:
        with open(self.log(program.name), "ab") as output:
            return subprocess.Popen(
                program.argv,
                cwd=CHECKOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **program.env},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us: we stop them in order
                preexec_fn=die_with_parent,  # one system call, nothing that could wait for a lock
            )

    def _stop(self, names: Iterable[str]) -> None:
        children = [self._children.pop(name) for name in names if name in self._children]
        for child in children:
            if child.process.poll() is None:
                child.process.terminate()
        since = time.monotonic()
        for child in children:
            left = since + child.program.grace_s - time.monotonic()
            with suppress(subprocess.TimeoutExpired):
                child.process.wait(timeout=max(left, 0.0))
            kill_group(child.process.pid)
            child.process.wait()
            self._mark(child.program, "stopped")

    def _mark(self, program: Program, text: str) -> int:
        """Write a line of our own into its log; the place after it."""
        with open(self.log(program.name), "ab") as handle:
            handle.write(f"--- {time.strftime('%Y-%m-%d %H:%M:%S')} {text}\n".encode())
            return handle.tell()


def kill_group(pid: int) -> None:
    """Kill what is left of the session that this process led."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def tail(path: Path, *, size: int = 3000) -> str:
    """The end of a log, from the beginning of a line."""
    with open(path, "rb") as handle:
        start = max(path.stat().st_size - size, 0)
        handle.seek(start)
        if start:
            handle.readline()
        return handle.read().decode(errors="replace")

"""A server as a process of this machine: started, waited for, and stopped with everything it started.

One mechanism for the local Ratiba (`server.py`) and for agents that ratiba.yaml says how to start (`agent_process.py`).
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_ratiba.errors import ProjectError

TAIL_LINES = 15
# Of this run of CI, and not the agent's: keys and tokens, and the files by which a step steers those behind it.
_OURS = (
    "RATIBA_API_KEY",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_ENV",
    "GITHUB_PATH",
    "GITHUB_OUTPUT",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
    "CI_REPOSITORY_URL",
    "CI_REGISTRY_PASSWORD",
    "CI_DEPENDENCY_PROXY_PASSWORD",
    "CI_DEPLOY_PASSWORD",
    "SYSTEM_ACCESSTOKEN",
)
_OURS_BEGIN = ("ACTIONS_", "CI_JOB_TOKEN", "CI_JOB_JWT")
_DUMPABLE, _SUBREAPER = 4, 36  # PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER of prctl(2)
GONE_S = 5.0
POLL_S = 0.2


def environment_of_the_agent() -> dict[str, str]:
    """This process's variables without secrets of ours and of the runner; the agent's own keys stay."""
    return {name: value for name, value in os.environ.items() if name not in _OURS and not name.startswith(_OURS_BEGIN)}


def forget_our_secrets() -> None:
    """Take what `environment_of_the_agent` leaves out from this process's own variables, before code of a repository is
    imported here."""
    for name in set(os.environ) - set(environment_of_the_agent()):
        del os.environ[name]


def hide_from_neighbours() -> None:
    """On Linux: other processes of the same user can neither read this one's variables in /proc nor attach to it. Its
    children begin visible again; nothing where there is no prctl."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)


def adopt_orphans() -> None:
    """On Linux: what the processes of this one leave behind become its own, so that `end_descendants` finds them."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def end_descendants() -> None:
    """Kill every process that this one has begun or adopted, theirs too, until none is left that it may kill. Nothing
    where there is no /proc."""
    deadline = time.monotonic() + GONE_S
    while (left := _descendants(os.getpid())) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(POLL_S / 10)


def _descendants(pid: int) -> list[int]:
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(place.parent.name)] = int(place.read_text(errors="replace").rpartition(")")[2].split()[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


@dataclass(kw_only=True)
class ServerProcess:
    """A command in a process group of its own; what it prints goes to `log`.

    SIGTERM goes to the whole group at the end, so that `npm start` leaves no node behind; with `stops_its_children` to
    the command alone, which ends its own in its own order. What is left after `stop_s` is killed.
    """

    name: str  # as the subject of a sentence: "the local server"
    words: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    log: Path
    stop_s: float = 10.0
    stops_its_children: bool = False
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)
    _sigterm: contextlib.ExitStack = field(default_factory=contextlib.ExitStack, repr=False)

    def start(self, ready: Callable[[], bool], *, within_s: float) -> None:
        """Run the command and wait until `ready()`. Raises `ProjectError` with its last lines where it ends before, or
        is not ready in time; nothing is left running then."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._sigterm.enter_context(sigterm_interrupts())
        try:
            with self.log.open("wb") as output:
                self._process = subprocess.Popen(
                    self.words,
                    cwd=self.folder,
                    env=dict(self.environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
        except OSError as error:
            self._sigterm.close()
            raise ProjectError(f"{self.name} does not start ({' '.join(self.words)}): {error}") from error
        try:
            self._wait(ready, within_s)
        except BaseException:
            self.stop()
            raise

    def ended(self) -> str:
        """ "" while it runs; else that it ended by itself, how, and its last lines."""
        code = self._process.poll() if self._process is not None else None
        return "" if code is None else f"{self.name} {_how(code)}; {self._tail()}"

    def output(self) -> str:
        """Its last lines."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines() if self.log.exists() else []
        return "\n".join(lines[-TAIL_LINES:])

    def stop(self) -> None:
        """End it and what it started; nothing where it was not started or was stopped before."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if self.stops_its_children:
                process.send_signal(signal.SIGTERM)
            else:
                os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=self.stop_s)
        except subprocess.TimeoutExpired:
            _kill_group(process)
        if not self.stops_its_children:  # the command may have ended before those it started
            _kill_group(process)
        self._sigterm.close()

    def _wait(self, ready: Callable[[], bool], within_s: float) -> None:
        deadline = time.monotonic() + within_s
        while True:
            if problem := self.ended():
                raise ProjectError(problem)
            if ready():
                return
            if time.monotonic() > deadline:
                raise ProjectError(f"{self.name} was not ready within {within_s:g} s; {self._tail()}")
            time.sleep(POLL_S)

    def _tail(self) -> str:
        output = self.output()
        return f"the end of {self.log}:\n{output}" if output.strip() else f"it printed nothing ({self.log})"


def state_folder(folder: Path) -> Path:
    """Return the folder in which processes of this project keep logs and state.
    This is RATIBA_STATE_DIR, else `var/` beside ratiba.yaml."""
    given = os.environ.get("RATIBA_STATE_DIR", "").strip()
    return Path(given).absolute() if given else folder.absolute() / "var"


def _how(code: int) -> str:
    if code >= 0:
        return f"ended with {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=10)


@contextlib.contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """While the block runs, SIGTERM, by which CI cancels a job, ends this process like Ctrl-C, so that it stops what it
    started. Nothing where somebody handles it already, or outside of the main thread."""
    free = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not free or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

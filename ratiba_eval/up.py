"""`make up`: web, workers, beat and the example agents on this machine, until Ctrl-C.

    python -m ratiba_eval.up [--workers 1] [--concurrency 3] [--quiet-logs]

This process stays for as long as the product runs, so it loads neither Django nor Celery: what needs them (schemas, the
demo tenant, asking workers whether they listen) is done by processes that end.
"""

import argparse
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from apps.core.processes import die_with_parent
from ratiba_eval import local_stack, programs
from ratiba_eval.log_follower import LogFollower
from ratiba_eval.supervisor import CHECKOUT, ChildFailed, Supervisor

MAX_WORKERS = 64


def main(argv: Sequence[str] | None = None) -> int:
    """Run the product until a signal. Exit 0 when stopped, 1 when something did not start, 2 for wrong use."""
    options = _options(argv)
    _stop_on_signals()
    try:
        return _Up(options).run()
    except KeyboardInterrupt:
        _write("stopped")
        return 0
    except (programs.PortTaken, ValueError, local_stack.StackError) as error:
        print(f"ratiba: {error}", file=sys.stderr)
        return 2
    except (ChildFailed, programs.AlreadyUp) as error:
        print(f"ratiba: {error}", file=sys.stderr)
        return 1


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ratiba_eval.up", description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=1, help="Celery workers beside the one for control; default 1")
    parser.add_argument("--concurrency", type=int, default=3, help="processes of each worker; default 3")
    parser.add_argument("--quiet-logs", action="store_true", help="write the log folder's *.log only, not the terminal")
    options = parser.parse_args(argv)
    if not 1 <= options.workers <= MAX_WORKERS or not 1 <= options.concurrency <= MAX_WORKERS:
        parser.error(f"--workers and --concurrency are 1 to {MAX_WORKERS}")
    return options


class _Up:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.state = local_stack.state_dir()

    def run(self) -> int:
        with ExitStack() as at_end:
            at_end.enter_context(programs.the_only_one(self.state))
            web, agent, pega = programs.web_port(), programs.agent_port(), programs.pega_port()
            programs.check_free(web, variable="RATIBA_PORT", what="the web server")
            programs.check_free(agent, variable="RATIBA_DEMO_AGENT_PORT", what="the example booking agent")
            programs.check_free(pega, variable="RATIBA_DEMO_PEGA_PORT", what="the example campaign agent")
            local_stack.ensure()
            at_end.callback(local_stack.release)
            prepared = self._prepare(web, agent, pega)
            if prepared.returncode:
                return prepared.returncode  # it has said why
            supervisor = at_end.enter_context(Supervisor(self.state / "log", notify=_say))
            self._start_all(supervisor, web=web, agent=agent, pega=pega)
            if not self.options.quiet_logs:
                at_end.callback(self._follow(supervisor).stop)
            _write(prepared.stdout)
            threading.Event().wait()
        return 0

    def _prepare(self, web: int, agent: int, pega: int) -> subprocess.CompletedProcess[str]:
        """Schemas, the demo tenant and its catalog; what the user is told once everything runs."""
        ports = ("--web", str(web), "--agent", str(agent), "--pega", str(pega))
        argv = [sys.executable, "-m", "ratiba_eval.preparation", *ports]
        return subprocess.run(argv, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=False)

    def _start_all(self, supervisor: Supervisor, *, web: int, agent: int, pega: int) -> None:
        every = [
            programs.web(web),
            *programs.workers(self.options.workers, concurrency=self.options.concurrency),
            programs.beat(self.state),
            programs.booking_agent(agent),
            programs.campaign_agent(pega),
        ]
        for program in every:
            supervisor.start(program)
        supervisor.wait_for("web", lambda: programs.web_answers(web))
        supervisor.wait_for("agent", lambda: programs.accepts(agent))
        supervisor.wait_for("pega", lambda: programs.accepts(pega))
        listening = [program.name for program in every if program.name in ("control",) or "worker" in program.name]
        with subprocess.Popen([sys.executable, "-m", "ratiba_eval.workers_listen", *listening], cwd=CHECKOUT) as asking:
            try:
                supervisor.wait_for("control", lambda: asking.poll() == 0)
            finally:
                asking.kill()

    def _follow(self, supervisor: Supervisor) -> LogFollower:
        from ratiba_eval import logs, settings  # noqa: PLC0415 - after ensure(), which tells the settings its addresses

        files = {name: supervisor.log(name) for name in supervisor.names()}
        return LogFollower(files | {"log": Path(settings.LOG_DIR) / logs.FILE_NAME}, write=_write)


def _stop_on_signals() -> None:
    """The first Ctrl-C, SIGTERM or hang-up ends it in order from wherever it is; further ones change nothing."""
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def end(*_: object) -> None:
        for number in ends:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in ends:
        signal.signal(number, end)
    if os.environ.get("MAKELEVEL"):
        die_with_parent(signal.SIGTERM)  # `make` was killed: nobody is left who could stop us


def _say(name: str, text: str) -> None:
    _write(f"{name}: {text}")


def _write(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())

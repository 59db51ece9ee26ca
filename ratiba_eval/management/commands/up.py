"""`up`: web, workers, beat and the example agent on this machine, until Ctrl-C."""

import os
import signal
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.utils import timezone

from apps.core.processes import die_with_parent
from apps.tenants.context import in_tenant
from ratiba_eval import demonstration, local_stack, logs, preparation, programs
from ratiba_eval.log_follower import LogFollower
from ratiba_eval.supervisor import ChildFailed, Supervisor

MAX_WORKERS = 64


class Command(BaseCommand):
    help = "Run web, workers, beat and the example booking agent until Ctrl-C."
    requires_system_checks: list[str] = []  # `make lint` and the tests run them; here they cost a second

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--workers", type=int, default=2, help="Celery workers beside the one for control; default 2"
        )
        parser.add_argument("--concurrency", type=int, default=2, help="processes of each worker; default 2")
        parser.add_argument("--quiet-logs", action="store_true", help="write var/log/*.log only, not the terminal")

    def handle(self, *, workers: int, concurrency: int, quiet_logs: bool, **_: Any) -> None:
        if not 1 <= workers <= MAX_WORKERS or not 1 <= concurrency <= MAX_WORKERS:
            raise CommandError(f"--workers and --concurrency are 1 to {MAX_WORKERS}", returncode=2)
        self._on_signals()
        try:
            self._run(workers=workers, concurrency=concurrency, quiet_logs=quiet_logs)
        except KeyboardInterrupt:
            self._write("stopped")

    def _run(self, *, workers: int, concurrency: int, quiet_logs: bool) -> None:
        state = local_stack.state_dir()
        with ExitStack() as at_end:
            try:
                at_end.enter_context(programs.the_only_one(state))
                web, agent = programs.web_port(), programs.agent_port()
                programs.check_free(web, variable="RATIBA_PORT", what="the web server")
                programs.check_free(agent, variable="RATIBA_DEMO_AGENT_PORT", what="the example booking agent")
                local_stack.ensure()
                at_end.callback(local_stack.release)
                password = self._prepare(state, agent=agent)
                supervisor = at_end.enter_context(Supervisor(state / "log", notify=self._say))
                self._start_all(supervisor, state, web=web, agent=agent, workers=workers, concurrency=concurrency)
            except (programs.PortTaken, ValueError, local_stack.StackError) as error:
                raise CommandError(str(error), returncode=2) from error
            except (ChildFailed, programs.AlreadyUp) as error:
                raise CommandError(str(error), returncode=1) from error
            if not quiet_logs:
                files = {name: supervisor.log(name) for name in supervisor.names()}
                files["log"] = Path(settings.LOG_DIR) / logs.FILE_NAME
                at_end.callback(LogFollower(files, write=self._write).stop)
            self._greet(web, agent, password)
            threading.Event().wait()

    def _on_signals(self) -> None:
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

    def _prepare(self, state: Path, *, agent: int) -> str | None:
        with programs.taking_turns(state):
            preparation.migrate()
            preparation.demo_tenant()
            password = preparation.admin_password(state)
            with in_tenant(preparation.DEMO):
                if demonstration.first_catalog(port=agent, now=timezone.now()):
                    self._write("the tenant demo has its catalog")
                elif address := demonstration.agent_moved(port=agent, answers=programs.accepts):
                    self._write(f"the agent booking is now at {address}")
        connections.close_all()
        return password

    def _start_all(
        self, supervisor: Supervisor, state: Path, *, web: int, agent: int, workers: int, concurrency: int
    ) -> None:
        every = [
            programs.web(web),
            *programs.workers(workers, concurrency=concurrency),
            programs.beat(state),
            programs.booking_agent(agent),
        ]
        for program in every:
            supervisor.start(program)
        supervisor.wait_for("web", lambda: programs.web_answers(web))
        supervisor.wait_for("agent", lambda: programs.accepts(agent))
        taking = [program.name for program in every if program.name == "control" or program.name.startswith("worker-")]
        supervisor.wait_for("control", lambda: programs.workers_answer(taking))

    def _greet(self, web: int, agent: int, password: str | None) -> None:
        self._write(f"\n  http://{preparation.DEMO}.localhost:{web}/admin/   (also http://127.0.0.1:{web}/admin/)")
        self._write(f"  {preparation.ADMIN} / {password or 'the password you chose'}")
        self._write(f"  example booking agent at http://{programs.ADDRESS}:{agent}, logs in var/log, Ctrl-C stops\n")

    def _say(self, name: str, text: str) -> None:
        self._write(f"{name}: {text}")

    def _write(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

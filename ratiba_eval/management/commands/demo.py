"""`demo`: the main job on this machine, from nothing to a table of scores, and quick the second time."""

import json
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from django.utils import timezone

from apps.core.errors import RatibaError
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.progress.services.wait import Progress, wait_until_done
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import in_tenant
from apps.tenants.errors import OtherDatabase
from ratiba_eval import demo_campaign, demonstration, local_stack, preparation, programs
from ratiba_eval.demonstration import DemoRun
from ratiba_eval.stack.places import installed
from ratiba_eval.supervisor import ChildFailed, Supervisor

PATIENCE_S = 300.0


class Command(BaseCommand):
    help = "Import, replay and battle with the example agent, judge it all with real workers, and print what was found."
    requires_system_checks: list[str] = []  # quick the second time; `make lint` and the tests run them
    _interrupted = False

    def handle(self, **_: Any) -> None:
        signal.signal(signal.SIGTERM, self._interrupt)
        signal.signal(signal.SIGINT, self._interrupt)
        started = time.monotonic()
        try:
            with ExitStack() as at_end:
                self._demonstrate(at_end, started)
        except (programs.PortTaken, ValueError, local_stack.StackError, OtherDatabase) as error:
            raise CommandError(str(error), returncode=2) from error
        except (RatibaError, ChildFailed) as error:
            raise CommandError(str(error), returncode=3) from error
        except KeyboardInterrupt:
            raise CommandError("interrupted", returncode=130) from None

    def _demonstrate(self, at_end: ExitStack, started: float) -> None:
        state = local_stack.state_dir()
        port, web = programs.agent_port(), programs.web_port()
        local_stack.ensure()
        at_end.callback(local_stack.release)
        self._say("services are up; preparing the tenant demo and its catalog")
        with programs.taking_turns(state):
            preparation.migrate()
            preparation.demo_tenant()
            password = preparation.admin_password(state)
            with in_tenant(preparation.DEMO):
                now = timezone.now()
                demonstration.set_up_catalog(port=port, now=now)
                demo_campaign.first_campaign(port=programs.pega_port())
                measured = demonstration.demo_work(now=now)
                done = demonstration.is_done(measured)
        up = programs.is_up(state)
        if done:
            self._say("everything has been judged already; nothing to do")
        else:
            if not up:
                self._start(at_end, state, port)
            self._follow(measured)
        self._report(state, measured, web, password, time.monotonic() - started, up=up)

    def _start(self, at_end: ExitStack, state: Path, port: int) -> None:
        """Start the agent, the workers and the beat; `make up` has them already."""
        connections.close_all()
        programs.check_free(port, variable="RATIBA_DEMO_AGENT_PORT", what="the example booking agent")
        supervisor = at_end.enter_context(Supervisor(state / "log", notify=self._notice))
        agent = programs.booking_agent(port)
        for program in (agent, *programs.workers(2, concurrency=1), programs.beat(state)):
            supervisor.start(program)
        self._say(f"playing and judging with 2 workers; the agent answers at http://127.0.0.1:{port}")
        supervisor.wait_for(agent.name, lambda: programs.accepts(port))

    def _follow(self, measured: list[DemoRun]) -> None:
        with in_tenant(preparation.DEMO), ProgressBar("conversations and judgements") as bar:
            wake_workers_on_commit(preparation.DEMO)
            wait_until_done(
                run_ids=[run.run_id for run in measured],
                evaluation_ids=[run.evaluation_id for run in measured],
                on_progress=lambda progress: self._update(bar, progress),
                timeout_s=PATIENCE_S,
            )

    def _update(self, bar: ProgressBar, progress: Progress) -> None:
        if self._interrupted:
            raise KeyboardInterrupt
        bar.update(progress)

    def _report(
        self, state: Path, measured: list[DemoRun], web: int, password: str | None, seconds: float, *, up: bool
    ) -> None:
        home = f"http://{preparation.DEMO}.localhost:{web}"
        page = f"{home}/evaluations/{measured[-1].evaluation_id}/"
        urls = {"home": f"{home}/admin/", "evaluation": page, "api": f"{home}/api/v1/docs/"}
        with in_tenant(preparation.DEMO):
            summary_document = demonstration.summary(
                tenant=preparation.DEMO, measured=measured, urls=urls, seconds=seconds
            )
            lines = demonstration.table(measured=measured, found=summary_document)
        path = state / "demo" / "summary.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(summary_document, indent=2, ensure_ascii=False) + "\n")
        self.stdout.write("\n" + "\n".join(lines))
        first = "" if up else f"{'ratiba' if installed() else 'make'} up, then "
        self.stdout.write(f"\n{summary_document['seconds']} s. To look around: {first}{urls['evaluation']}")
        self.stdout.write(f"  {preparation.ADMIN} / {password or 'the password you chose'}; the API: {urls['api']}")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _notice(self, name: str, text: str) -> None:
        self._say(f"{name}: {text}")

    def _interrupt(self, *_: object) -> None:
        """Remembered too: raised within a finalizer it is printed and lost."""
        self._interrupted = True
        raise KeyboardInterrupt

"""`loop`: from a customer's thumbs-down to a better prompt, over HTTP, in a tenant of its own and without a key."""

import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.utils import timezone

from apps.core.errors import RatibaError
from apps.tenants.errors import OtherDatabase
from ratiba_eval import local_stack, loop_tenant, preparation, programs
from ratiba_eval.supervisor import ChildFailed, Supervisor


class Command(BaseCommand):
    help = (
        "Walk the loop with a model that obeys its prompt: thumbs-down, candidate, draft, trial, release and "
        "gate, each with its seconds. A tenant walks once; --slug names another one."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slug", default=loop_tenant.LOOP, help="the tenant to walk in; it is made where missing")
        parser.add_argument("--set-up", action="store_true", help="make the tenant and its catalog, and walk nowhere")

    def handle(self, *, slug: str, set_up: bool, **_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with ExitStack() as at_end:
                self._walk(at_end, slug, set_up)
        except (programs.PortTaken, ValueError, local_stack.StackError, OtherDatabase) as error:
            raise CommandError(str(error), returncode=2) from error
        except (RatibaError, ChildFailed) as error:
            raise CommandError(str(error), returncode=3) from error
        except KeyboardInterrupt:
            raise CommandError("interrupted", returncode=130) from None

    def _walk(self, at_end: ExitStack, slug: str, set_up: bool) -> None:
        state, port, web = local_stack.state_dir(), programs.model_port(), programs.web_port()
        local_stack.ensure()
        at_end.callback(local_stack.release)
        with programs.taking_turns(state):
            preparation.migrate()
            preparation.demo_tenant()
            password = preparation.admin_password(state)
            loop_tenant.set_up_loop(slug=slug, port=port, password=password, now=timezone.now())
        pages = f"http://{slug}.localhost:{web}/admin/"
        if set_up:
            self.stdout.write(f"the tenant {slug} is there: {pages}   {preparation.ADMIN} / {password}")
            return
        if loop_tenant.has_walked(slug=slug):
            message = f"the tenant {slug} has walked already, and a tenant walks once: make loop TENANT=another"
            raise CommandError(message, returncode=2)
        secrets = (loop_tenant.loop_key(slug=slug), loop_tenant.loop_person(slug=slug))
        self._start(at_end, state, web=web, port=port)
        self._run(slug, secrets, web, state)
        self.stdout.write(
            f"\nTo look around: make up, in a second terminal .venv/bin/python -m "
            f"examples.obedient_model, then {pages}   {preparation.ADMIN} / {password or 'the password you chose'}"
        )

    def _start(self, at_end: ExitStack, state: Path, *, web: int, port: int) -> None:
        """The model, and what `make up` has not started already."""
        connections.close_all()
        supervisor = at_end.enter_context(Supervisor(state / "log", notify=self._notice))
        if not programs.accepts(port):
            supervisor.start(programs.obedient_model(port))
            supervisor.wait_for("model", lambda: programs.accepts(port))
        if programs.is_up(state):
            return
        programs.check_free(web, variable="RATIBA_PORT", what="the web server")
        for program in (programs.web(web), *programs.workers(2, concurrency=1), programs.beat(state)):
            supervisor.start(program)
        supervisor.wait_for("web", lambda: programs.web_answers(web))

    def _run(self, slug: str, secrets: tuple[str, str], web: int, state: Path) -> None:
        """The walk in a process of its own: it knows the address, a key and a person, nothing else."""
        where = (f"http://{programs.ADDRESS}:{web}", "--host", f"{slug}.localhost", "--person", loop_tenant.PERSON)
        argv = [sys.executable, "-m", "examples.loop.walk", *where, "--out", str(state / slug / "summary.json")]
        code = subprocess.run(argv, input="\n".join((*secrets, "")), text=True, check=False).returncode
        if code:
            raise CommandError("the walk stopped here", returncode=code)

    def _notice(self, name: str, text: str) -> None:
        self.stdout.write(f"{name}: {text}")
        self.stdout.flush()

"""`try ADDRESS`: from an agent's address to a first verdict, without a file and without a key."""

import os
import signal
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.utils import timezone

from apps.connectors.discovery.search import AgentWay
from apps.core.errors import RatibaError
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.progress.services.wait import wait_until_done
from apps.evaluations.requests.domain.businesses import BUSINESSES
from apps.evaluations.requests.services.first_run import FirstRun, agent_name, start_first_run
from apps.jobs.wakeups import wake_workers_on_commit
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.runs.agents.services.finding_agent import FoundAgent, find_agent, save_found_agent
from apps.tenants.context import in_tenant
from apps.tenants.errors import OtherDatabase
from ratiba_eval import first_verdict, local_stack, preparation, programs
from ratiba_eval.stack.places import installed
from ratiba_eval.supervisor import ChildFailed, Program, Supervisor

MARK = "try"
PATIENCE_S = 900.0
LANGUAGES = ("en", "sw", "it")


class Command(BaseCommand):
    help = (
        "Find out how the agent at ADDRESS speaks (A2A, OpenAI's chat format, JSON over HTTP, or a Python function "
        "MODULE:FUNCTION), play up to eight customers of a business like yours against it, judge them, and print the "
        "verdict. Needs no file and no key: without a model's key written rules judge, and the result says so. Exit "
        "code 0 when the agent passes, 1 when not, 2 for an address that is no agent's, 3 when nothing was measured."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", metavar="ADDRESS", help="http://host:port/path, or MODULE:FUNCTION")
        parser.add_argument(
            "--business", "--pack", choices=list(BUSINESSES), help="what it does; asked where not given"
        )
        parser.add_argument("--language", choices=LANGUAGES, help="what its customers write; asked where not given")
        parser.add_argument("--tenant", default="mine", metavar="SLUG", help="made where missing; default: mine")
        parser.add_argument("--token-variable", metavar="NAME", help="the environment variable with its bearer token")

    def handle(self, **options: Any) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with ExitStack() as at_end:
                code = self._try(at_end, **options)
        except (programs.PortTaken, ValueError, local_stack.StackError, OtherDatabase) as error:
            raise CommandError(str(error), returncode=2) from error
        except RatibaError as error:
            raise CommandError(error.message, returncode=2) from error
        except ChildFailed as error:
            raise CommandError(str(error), returncode=3) from error
        except KeyboardInterrupt:
            raise CommandError("interrupted", returncode=130) from None
        if code:
            sys.exit(code)

    def _try(
        self, at_end: ExitStack, *, address: str, business: str | None, language: str | None, tenant: str,
        token_variable: str | None, **_: Any,
    ) -> int:  # fmt: skip
        started = time.monotonic()
        ask = input if sys.stdin.isatty() else None
        words = "; ".join(f"{name}: {one.words}" for name, one in BUSINESSES.items())
        business = business or first_verdict.asked(f"What does it do? {words}", list(BUSINESSES), "salon", ask=ask)
        language = language or first_verdict.asked("What do its customers write?", LANGUAGES, "en", ask=ask)
        token = _token(token_variable)
        state = local_stack.state_dir()
        local_stack.ensure()
        at_end.callback(local_stack.release)
        with programs.taking_turns(state):
            preparation.migrate()
            preparation.demo_tenant()
            password = preparation.admin_password(state)
            first_verdict.set_up_tenant(slug=tenant, password=password)
        supervisor = at_end.enter_context(Supervisor(state / "log", notify=self._notice))
        name = agent_name(address)
        with in_tenant(tenant):
            discovered = self._find(supervisor, name, address, language, token)
            self._say(
                f"It speaks {discovered.way.words}, and answered in {discovered.check.latency_ms} ms: "
                f"{discovered.check.reply[:200]}"
            )
            for remark in discovered.check.remarks:
                self._say(f"! {remark}")
            first = start_first_run(
                agent=name, business=BUSINESSES[business], language=language, by=MARK, now=timezone.now()
            )
        self._say_who(first, BUSINESSES[business].words)
        up = programs.is_up(state)
        if not up:
            self._start(supervisor, state)
        self._follow(tenant, first)
        again = f"try {address} --tenant {tenant} --business {business} --language {language}"
        in_ci = f"ratiba-ci init --agent {name} {first_verdict.how_reached(discovered.way, address)}"
        return self._report(state, tenant, (again, in_ci), first, password, seconds=time.monotonic() - started, up=up)

    def _say_who(self, first: FirstRun, business: str) -> None:
        often = f", {first.repeats} times each" if first.repeats > 1 else ""
        self._say(f"{first.customers} customers of {business} talk to it{often} ({', '.join(first.languages)})")

    def _find(self, supervisor: Supervisor, name: str, address: str, language: str, token: str) -> FoundAgent:
        if not first_verdict.is_function(address):
            return find_agent(
                name=name,
                address=address,
                language=language,
                token=token,
                on_try=lambda line: self._say(f"  not answered: {line}"),
            )
        port = _free_port()
        argv = (sys.executable, "-m", "ratiba_eval.function_server", address, str(port))
        supervisor.start(Program(name="function", argv=argv, env={"PYTHONPATH": os.getcwd()}))
        supervisor.wait_for("function", lambda: programs.accepts(port))
        options = {
            "body": {"messages": "{{ messages }}", "session_id": "{{ session }}"},
            "reply": "$.content",
            "tool_calls": "$.tool_calls",
        }
        way = AgentWay(
            words=f"as the function {address}",
            kind="http",
            address=f"http://{programs.ADDRESS}:{port}",
            options=options,
        )
        return save_found_agent(name=name, way=way, language=language)

    def _start(self, supervisor: Supervisor, state: Path) -> None:
        connections.close_all()
        for program in (*programs.workers(2, concurrency=1), programs.beat(state)):
            supervisor.start(program)

    def _follow(self, tenant: str, first: FirstRun) -> None:
        with in_tenant(tenant), ProgressBar("conversations and judgements") as bar:
            wake_workers_on_commit(tenant)
            wait_until_done(
                run_ids=[first.run_id],
                evaluation_ids=[first.evaluation_id],
                on_progress=bar.update,
                timeout_s=PATIENCE_S,
            )

    def _report(
        self,
        state: Path,
        tenant: str,
        following: tuple[str, str],
        first: FirstRun,
        password: str | None,
        *,
        seconds: float,
        up: bool,
    ) -> int:
        with in_tenant(tenant):
            summary = evaluation_summary(first.evaluation_id)
            worst = first_verdict.worst_reply(first.evaluation_id, summary["criteria"])
        home = f"http://{tenant}.localhost:{programs.web_port()}"
        program = "ratiba" if installed() else "python manage.py"
        start = "" if up else f"{'ratiba' if installed() else 'make'} up, then "
        self.stdout.write("\n" + "\n".join(first_verdict.verdict_lines(summary, worst)))
        self.stdout.write(
            f"\n{seconds:.0f} s. To read it all: {start}{home}/evaluations/{first.evaluation_id}/"
            f"  ({preparation.ADMIN} / {password or 'the password you chose'})\n\nnext:\n"
            f"  your own criterion   {home}/admin/catalog/criterion/add/\n"
            f"  the same again       {program} {following[0]}\n"
            f"  in pytest and CI     pip install {'CHECKOUT/plugin' if installed() else './plugin'}; {following[1]}\n"
            f"  for which server     {start}export RATIBA_URL={home} "
            f"RATIBA_API_KEY=$({program} add_api_key --tenant {tenant} | tail -1)"
        )
        return {"pass": 0, "unmeasurable": 3}.get(summary["decision"]["outcome"], 1)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _notice(self, name: str, text: str) -> None:
        self._say(f"{name}: {text}")


def _token(variable: str | None) -> str:
    if variable is None:
        return ""
    if not (value := os.environ.get(variable, "").strip()):
        raise CommandError(f"--token-variable: the environment has no {variable}.", returncode=2)
    return value


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((programs.ADDRESS, 0))
        return int(probe.getsockname()[1])

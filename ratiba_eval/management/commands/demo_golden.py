"""`demo_golden`: capture the finished session of the example Pega as a golden session, and replay it."""

import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections

from apps.core.errors import RatibaError
from apps.tenants.context import in_tenant
from apps.tenants.errors import OtherDatabase
from ratiba_eval import demo_campaign, local_stack, preparation, programs
from ratiba_eval.supervisor import ChildFailed, Supervisor

EXAMPLE = demo_campaign.PROJECT_CONFIG.parent
SESSION, CONVERSATION = "campaign-session", "PXCONV-4081"
FILE_TURNS = {2: "Zelle.pdf", 11: "Marketing_Approval_Document.docx"}


class Command(BaseCommand):
    help = (
        "Capture PXCONV-4081 of the example Pega, approve it as the golden session campaign-session, replay it and "
        "write report.html, report.json and junit.xml to var/demo/golden. Exit code as of replay."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--transport", default="", help="agentx, a2a, http or auto; by default agentx")
        parser.add_argument("--fault", action="append", default=[], help="a fault of the agent; see examples.pega")

    def handle(self, *, transport: str, fault: list[str], **_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with ExitStack() as at_end:
                self._demonstrate(at_end, transport, tuple(fault))
        except (programs.PortTaken, ValueError, local_stack.StackError, OtherDatabase) as error:
            raise CommandError(str(error), returncode=2) from error
        except (RatibaError, ChildFailed) as error:
            raise CommandError(str(error), returncode=3) from error
        except KeyboardInterrupt:
            raise CommandError("interrupted", returncode=130) from None

    def _demonstrate(self, at_end: ExitStack, transport: str, faults: tuple[str, ...]) -> None:
        state, port = local_stack.state_dir(), programs.pega_port()
        local_stack.ensure()
        at_end.callback(local_stack.release)
        with programs.taking_turns(state):
            preparation.migrate()
            preparation.demo_tenant()
            with in_tenant(preparation.DEMO):
                if not demo_campaign.first_campaign(port=port):
                    demo_campaign.campaign_moved(port=port, answers=programs.accepts)
        if not programs.is_up(state):
            self._start(at_end, state, port, faults)
        elif faults:
            raise CommandError("`make up` runs the agent without a fault: stop it first", returncode=2)
        self._capture()
        options = {"transport": transport} if transport else {}
        call_command(
            "replay",
            tenant=preparation.DEMO,
            sessions=[SESSION],
            agent=demo_campaign.CAMPAIGN,
            wait=True,
            report=state / "demo" / "golden",
            stdout=self.stdout,
            **options,
        )

    def _capture(self) -> None:
        call_command(
            "capture_session",
            "--tenant",
            preparation.DEMO,
            "--agent",
            demo_campaign.CAMPAIGN,
            "--conversation-id",
            CONVERSATION,
            "--name",
            SESSION,
            "--project-config",
            str(demo_campaign.PROJECT_CONFIG),
            "--file-turn",
            *(f"{turn}:{EXAMPLE / 'attachments' / name}" for turn, name in FILE_TURNS.items()),
            "--approve",
            stdout=self.stdout,
        )

    def _start(self, at_end: ExitStack, state: Path, port: int, faults: tuple[str, ...]) -> None:
        connections.close_all()
        programs.check_free(port, variable="RATIBA_DEMO_PEGA_PORT", what="the example campaign agent")
        supervisor = at_end.enter_context(Supervisor(state / "log", notify=self._notice))
        agent = programs.campaign_agent(port, faults=faults)
        for program in (agent, *programs.workers(1, concurrency=1), programs.beat(state)):
            supervisor.start(program)
        supervisor.wait_for(agent.name, lambda: programs.accepts(port))

    def _notice(self, name: str, text: str) -> None:
        self.stdout.write(f"{name}: {text}")
        self.stdout.flush()

"""Command `check_agent NAME`."""

import uuid
from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.connections.queries.agents import agent_id
from apps.runs.agents.services.checking_agent import HELLO, Outcome, check_agent
from apps.tenants.commands import Exit, TenantCommand

CODES = {
    Outcome.ANSWERED: Exit.DONE,
    Outcome.FAILED: Exit.NO,
    Outcome.MISCONFIGURED: Exit.WRONG_USE,
    Outcome.DOWN: Exit.UNMEASURABLE,
}


class Command(TenantCommand):
    help = (
        "Send one hello to an agent through its own connection, and say what came back. Exit code 0 when it answered, "
        "1 when it took the turn and failed over it or answered in a form its settings do not read, 2 when address, "
        "credentials or settings are wrong, 3 when it cannot be reached now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the agent's name")
        parser.add_argument("--text", default=HELLO, help=f"what to say; default: {HELLO}")

    def answer(self, *, name: str, text: str, **_: Any) -> Any:
        reply = check_agent(agent_id=agent_id(name), conversation=uuid.uuid4(), text=text)
        return {"agent": name, **reply.as_json()}, CODES[reply.outcome]

    def show(self, answer: Any) -> None:
        if answer["error"]:
            self.stdout.write(f"{answer['agent']} {answer['outcome']}: {answer['error']['message']}")
            return
        self.stdout.write(f"{answer['agent']} answered in {answer['latency_ms']} ms: {answer['reply']}")
        if answer["tool_calls"]:
            self.stdout.write(f"  it called {', '.join(answer['tool_calls'])}")
        for remark in answer["remarks"]:
            self.stdout.write(f"  ! {remark}")

"""The part that `replay` and `resimulate` share: golden sessions of the caller's choice, one run of them, judged if
wanted."""

import uuid
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from apps.catalog.goldens.queries.versions import agents_of_goldens
from apps.core.errors import BadInput
from apps.reports.management.measuring import MeasuringCommand, judged_with


class GoldenRunCommand(MeasuringCommand):
    """A command that starts one run of golden sessions against an agent, and can wait for it."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--session", action="append", dest="sessions", required=True, help="a golden session; may be repeated"
        )
        parser.add_argument("--agent", default="", help="the agent's name; by default the one that the golden names")
        parser.add_argument("--repeats", type=int, default=1, help="how often each is played; default 1")
        parser.add_argument("--config", default="", help="judge the run with this evaluator config")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")

    @abstractmethod
    def start(self, options: Mapping[str, Any], **common: Any) -> uuid.UUID:
        """Start the run: one service. `common` is what every such service takes: agent, golden_sessions, repeats,
        triggered_by, pull_request, now."""

    def answer(self, *, tenant: str, config: str, wait: bool, timeout: float, **options: Any) -> Any:
        now: datetime = timezone.now()
        with transaction.atomic():  # a config that cannot judge starts no run
            run_id = self.start(
                options,
                agent=options["agent"] or _agent_of(options["sessions"]),
                golden_sessions=options["sessions"],
                repeats=options["repeats"],
                triggered_by="command",
                pull_request=options["pull_request"],
                now=now,
            )
            evaluation_id = judged_with(config, run_id=run_id, now=now)
        return self.measured(
            tenant=tenant,
            run_id=run_id,
            evaluation_id=evaluation_id,
            wait=wait,
            timeout=timeout,
            report=options["report"],
        )


def _agent_of(sessions: Sequence[str]) -> str:
    """The agent that these golden sessions were captured from. Raises BadInput where they name none, or several."""
    by_session = agents_of_goldens(sessions)
    agents = sorted({name for name in by_session.values() if name})
    if len(agents) == 1:
        return agents[0]
    if not by_session:
        raise BadInput(f"there is no golden session named {', '.join(map(repr, sessions))}", pointer="/session")
    problem = f"they name several: {', '.join(agents)}" if agents else "none of them says whose it is"
    raise BadInput(f"name the agent with --agent: {problem}", pointer="/agent")

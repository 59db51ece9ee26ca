"""The agent of a run, as its plan will hold it: the catalog's, or one that came with the run."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.connections.queries.agents import agent_snapshot, production_addresses, staging_connections
from apps.catalog.connections.services.outbound_policies import check_agent
from apps.catalog.models import Agent
from apps.catalog.prompts.queries.versions import live_prompts_of
from apps.connectors.agents.base import AgentSpec
from apps.core.errors import BadInput
from apps.runs.agents.domain.run_connection import RunConnection
from apps.runs.agents.domain.staging import no_staging, over_staging


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgent:
    """Agent of a run.

    `snapshot` is what the plan keeps. `row_id` is None where the connection came with the run: the agent's other runs,
    its limits and its pace do not concern it. `transport` is the connection that its starter named, `prompt` the
    version that an agent which is a prompt plays in this run.
    """

    snapshot: Mapping[str, Any]
    row_id: uuid.UUID | None = None
    transport: str = ""
    prompt: str = ""

    @property
    def name(self) -> str:
        return str(self.snapshot["name"])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the agent's connections, its own first."""
        return (self.snapshot["kind"], *(way["kind"] for way in self.snapshot["connections"]))


def agent_of_run(name: str, connection: RunConnection | None = None, *, prompt: str = "") -> RunAgent:
    """The agent of this name as the catalog has it; where `connection` is none of its own, the run's own agent of that
    name. Where a `prompt` is named, it is reached over staging, if it can be. No row is written or changed.

    Raises BadInput: `unknown_agent` with the names there are, `invalid` for an address that cannot be one,
    `no_staging_connection` for a prompt that is not live and has no place to be tried. At most three queries, seven
    for a prompt.
    """
    row_id = Agent.objects.filter(name=name).values_list("pk", flat=True).first()
    known = agent_snapshot(row_id) if row_id else {}
    if prompt and row_id:
        staged = _over_staging(row_id, known, connection, prompt)
        if staged is not None:
            return staged
    elif prompt and connection is not None:
        raise no_staging(name, prompt, live=())
    if connection is None:
        if not known:
            raise _unknown(name)
        return RunAgent(snapshot=known, row_id=row_id, prompt=prompt)
    kind = connection.of_agent(known) if known else ""
    if kind:
        return RunAgent(snapshot=known, row_id=row_id, transport=kind, prompt=prompt)
    snapshot = connection.as_agent(name, known)
    spec = AgentSpec(kind=snapshot["kind"], address=snapshot["address"], options=snapshot["options"])
    try:
        check_agent(spec)
    except BadInput as error:
        pointer = f"/connection{error.pointer or ''}"
        raise BadInput(error.message, code=error.code, pointer=pointer, **error.extra) from error
    return RunAgent(snapshot=snapshot, transport=snapshot["kind"], prompt=prompt)


def _over_staging(
    row_id: uuid.UUID, known: Mapping[str, Any], connection: RunConnection | None, prompt: str
) -> RunAgent | None:
    """The agent as it plays a prompt that is named; None where that is its live one, and its own address will do. A
    connection that came with the run must be one of those that may play any prompt."""
    staged = over_staging(known, staging_connections(row_id), production_addresses(row_id))
    kind = connection.of_agent(staged) if connection is not None and staged is not None else ""
    if staged is not None and (connection is None or kind):
        return RunAgent(snapshot=staged, row_id=row_id, transport=kind, prompt=prompt)
    live = live_prompts_of(row_id, known["name"])
    if prompt not in live or (connection is not None and not connection.of_agent(known)):
        raise no_staging(known["name"], prompt, live=live)
    return None


def _unknown(name: str) -> BadInput:
    known = ", ".join(Agent.objects.order_by("name").values_list("name", flat=True)[:20]) or "none yet"
    return BadInput(f"There is no agent {name!r}; there is: {known}.", code="unknown_agent", pointer="/agent")

"""The participants of a run: connectors made from its frozen plan, with the secrets of the moment."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from apps.catalog.connections.domain.fields import refuse_production_address
from apps.catalog.connections.domain.secret_destinations import new_destinations
from apps.catalog.connections.queries.agents import connection_specs, production_addresses
from apps.catalog.domain.states import AgentKind, ConnectionPurpose
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.agents.registry import agent_for
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.llms.options import MAX_TIMEOUT_S
from apps.core.errors import Conflict
from apps.runs.agents.domain.transports import AUTO, AUTO_NEEDS
from apps.runs.conversations.models import TestRun
from apps.runs.domain.run_plan import PlannedAgent, PlannedConnection, RunPlan
from apps.runs.playing.services.players import player_of
from apps.runs.services.conversation_player import Participants
from apps.runs.services.model_roles import models_of, retry_policy

AGENT_TIMEOUT_S = 60.0  # where a plan of before names none


def participants_for(run: TestRun, cool_downs: CoolDowns | None = None) -> Participants:
    """Connect a run's agent, simulator and the judge of its gates. Secrets are read now: they are never part of a plan.
    Four queries, at most two more for an agent that is a prompt, and two for a judge."""
    plan = run.frozen_plan
    spec = agent_of_plan(plan)
    simulator = plan.simulator if player_of(plan.kind or run.kind).simulated else None
    primary, fallback = models_of(simulator) if simulator else (None, None)
    agent = agent_for(spec)
    speaks = models_of(agent.model_role) if isinstance(agent, SpeaksThroughModel) else (None, None)
    gate = models_of(plan.gate_judge) if plan.gate_judge else (None, None)
    return Participants(
        agent=agent,
        agent_model=speaks[0],
        agent_fallback=speaks[1],
        gate_judge=gate[0],
        gate_fallback=gate[1],
        simulator=primary,
        simulator_fallback=fallback,
        policy=retry_policy(cool_downs),
        simulator_timeout_s=settings.MODEL_TIMEOUT_S,
    )


def agent_of_plan(plan: RunPlan) -> AgentSpec:
    """Return how the plan reaches its agent, with the secrets of the moment.

    It is the agent's own connection, or the transport of a replay. At most six queries. Raises Conflict (`no_agent`,
    `agent_moved`), BadInput (`production_address`).
    """
    agent = plan.agent
    if agent is None:
        raise Conflict("this run has no agent: its conversations happened elsewhere", code="no_agent")
    live = _live_connections(agent)
    ways = {}
    for way in agent.ways:
        ways[way.kind] = AgentSpec(
            kind=way.kind,
            address=way.address,
            options=_options(way, plan),
            secrets=_secrets_for(way, live.get((way.purpose, way.kind))),
            prompt=way.delivery(version=plan.prompt_version, text=plan.prompt_text),
            timeout_s=min(MAX_TIMEOUT_S, way.timeout_s or agent.own.timeout_s or AGENT_TIMEOUT_S),
        )
    if plan.reached_by != AUTO:
        return ways[plan.reached_by]
    parts = {kind: ways[kind] for kind in AUTO_NEEDS}
    # Nothing is sent by these secrets; they are there to be blotted out of messages.
    secrets = {f"{kind}.{name}": value for kind, part in parts.items() for name, value in part.secrets.items()}
    return AgentSpec(kind=AUTO, address="", connections=parts, secrets=secrets)


def _live_connections(agent: PlannedAgent) -> dict[tuple[ConnectionPurpose, str], AgentSpec]:
    """The agent's connections as they are now, of the purposes that its plan has; the scripted agent of a probe has no
    row. Two queries a purpose, two more for staging. Raises BadInput (`production_address`) where staging has become
    production since."""
    if not agent.id:
        return {}
    purposes = {way.purpose for way in agent.ways}
    production = production_addresses(agent.id) if ConnectionPurpose.STAGING in purposes else {}
    for way in agent.ways:
        if way.purpose == ConnectionPurpose.STAGING:
            refuse_production_address(way.address, way.options, production)
    return {
        (purpose, kind): spec
        for purpose in purposes
        for kind, spec in connection_specs(agent.id, purpose=purpose).items()
    }


def _secrets_for(way: PlannedConnection, live: AgentSpec | None) -> Mapping[str, str]:
    """The secrets of the moment, where they are meant for the server that the plan names."""
    if live is None or not live.secrets:
        return {}
    servers = new_destinations((live.address, live.options), (way.address, way.options))
    if servers:
        raise Conflict(
            f"the agent has another address since this run was planned: its secrets are not meant for "
            f"{', '.join(servers)}. Start a new run.",
            code="agent_moved",
        )
    return live.secrets


def _options(way: PlannedConnection, plan: RunPlan) -> Mapping[str, Any]:
    """The connection's own; an agent that is a prompt plays the text that the plan froze."""
    if way.kind == AgentKind.PROMPTED and plan.prompt_text:
        return {**way.options, "prompt_text": plan.prompt_text}
    return way.options

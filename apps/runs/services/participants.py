"""Who plays a run: connectors made from its frozen plan, with the secrets of the moment."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from apps.catalog.domain.secret_destinations import new_destinations
from apps.catalog.domain.states import AgentKind
from apps.catalog.queries.agents import connection_specs
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.agents.registry import agent_for
from apps.connectors.cool_downs import CoolDowns
from apps.core.errors import Conflict
from apps.runs.domain.transports import AUTO, AUTO_NEEDS
from apps.runs.models import TestRun
from apps.runs.services.conversation_player import Participants
from apps.runs.services.model_roles import models_of, retry_policy
from apps.runs.services.players import player_of

AGENT_TIMEOUT_S = 60.0  # where a plan of before names none


def participants_for(run: TestRun, cool_downs: CoolDowns | None = None) -> Participants:
    """Connect a run's agent, simulator and the judge of its gates. Secrets are read now: they are never part of a plan.
    Four queries, at most two more for an agent that is a prompt, and two for a judge."""
    plan = run.plan
    spec = _agent_of(plan)
    simulator = plan.get("simulator") if player_of(run.kind).simulated else None
    primary, fallback = models_of(simulator) if simulator else (None, None)
    agent = agent_for(spec)
    speaks = models_of(agent.model_role) if isinstance(agent, SpeaksThroughModel) else (None, None)
    gate = models_of(plan["gate_judge"]) if plan.get("gate_judge") else (None, None)
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


def _agent_of(plan: Mapping[str, Any]) -> AgentSpec:
    """How the plan reaches its agent: by its own connection, or by the transport of a replay."""
    frozen: Mapping[str, Any] = plan["agent"]
    live = connection_specs(frozen["id"]) if frozen.get("id") else {}  # the scripted agent of a probe has no row
    transport = plan.get("transport") or frozen["kind"]
    ways = {}
    for way in (frozen, *frozen.get("connections", ())):
        ways[way["kind"]] = AgentSpec(
            kind=way["kind"],
            address=way["address"],
            options=_options(way, plan),
            secrets=_secrets_for(way, live.get(way["kind"])),
            timeout_s=float(way.get("timeout_s") or frozen.get("timeout_s") or AGENT_TIMEOUT_S),
        )
    if transport != AUTO:
        return ways[transport]
    parts = {kind: ways[kind] for kind in AUTO_NEEDS}
    # Nothing is sent by these secrets; they are there to be blotted out of messages.
    secrets = {f"{kind}.{name}": value for kind, part in parts.items() for name, value in part.secrets.items()}
    return AgentSpec(kind=AUTO, address="", connections=parts, secrets=secrets)


def _secrets_for(way: Mapping[str, Any], live: AgentSpec | None) -> Mapping[str, str]:
    """The secrets of the moment, where they are meant for the server that the plan names."""
    if live is None or not live.secrets:
        return {}
    servers = new_destinations((live.address, live.options), (way["address"], way.get("options") or {}))
    if servers:
        raise Conflict(
            f"the agent has another address since this run was planned: its secrets are not meant for "
            f"{', '.join(servers)}. Start a new run.",
            code="agent_moved",
        )
    return live.secrets


def _options(way: Mapping[str, Any], plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """The connection's own; an agent that is a prompt plays the text that the plan froze."""
    options: Mapping[str, Any] = way.get("options", {})
    frozen = plan.get("prompt_text") if way["kind"] == AgentKind.PROMPTED else None
    return {**options, "prompt_text": frozen} if frozen else options

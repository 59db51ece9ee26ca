"""Who plays a run: connectors made from its frozen plan, with the secrets of the moment."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from apps.catalog.queries import agent_spec
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import agent_for
from apps.connectors.cool_downs import CoolDowns
from apps.runs.models import TestRun
from apps.runs.services.conversation_player import Participants
from apps.runs.services.model_roles import models_of, retry_policy
from apps.runs.services.players import player_of

SILENCE_S = 60.0  # seeds 003: a battle unresponsive for more than 60 s is given up


def participants_for(
    run: TestRun, cool_downs: CoolDowns | None = None, *, heartbeat_timeout_s: float = SILENCE_S
) -> Participants:
    """Connect a run's agent and simulator. Secrets are read now: they are never part of a plan. Three queries."""
    plan = run.plan
    frozen: Mapping[str, Any] = plan["agent"]
    live = agent_spec(frozen["id"])
    spec: AgentSpec = replace(
        live,
        kind=frozen["kind"],
        address=frozen["address"],
        options=frozen.get("options", {}),
        timeout_s=_longest_silence(float(frozen.get("timeout_s", live.timeout_s)), heartbeat_timeout_s),
    )
    simulator = plan.get("simulator") if player_of(run.kind).simulated else None
    primary, fallback = models_of(simulator) if simulator else (None, None)
    return Participants(
        agent=agent_for(spec),
        simulator=primary,
        simulator_fallback=fallback,
        policy=retry_policy(cool_downs),
        simulator_timeout_s=settings.MODEL_TIMEOUT_S,
    )


def _longest_silence(own: float, heartbeat_timeout_s: float) -> float:
    """Seconds an agent may leave a turn unanswered: the tenant's setting, or the agent's own where that was made longer
    than the default."""
    return own if own > SILENCE_S else min(own, heartbeat_timeout_s)

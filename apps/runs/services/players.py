"""Who plays a run: connectors made from its frozen plan, with the secrets of the moment."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from apps.catalog.queries import agent_spec, model_spec
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import agent_for
from apps.connectors.llms.base import LLM
from apps.connectors.llms.registry import llm_for
from apps.connectors.retry import RetryPolicy
from apps.runs.domain.states import Kind
from apps.runs.models import TestRun
from apps.runs.services.battle import Players


def players_for(run: TestRun) -> Players:
    """Connect a run's agent and simulator. Secrets are read now: they are never part of a plan. Three queries."""
    plan = run.plan
    frozen: Mapping[str, Any] = plan["agent"]
    live = agent_spec(run.agent_id)
    spec: AgentSpec = replace(
        live,
        kind=frozen["kind"],
        address=frozen["address"],
        options=frozen.get("options", {}),
        timeout_s=float(frozen.get("timeout_s", live.timeout_s)),
    )
    simulator = plan.get("simulator") if run.kind == Kind.BATTLE else None
    primary, fallback = models_of(simulator) if simulator else (None, None)
    return Players(
        agent=agent_for(spec),
        simulator=primary,
        simulator_fallback=fallback,
        policy=retry_policy(),
        simulator_timeout_s=settings.MODEL_TIMEOUT_S,
    )


def models_of(role: Mapping[str, Any]) -> tuple[LLM, LLM | None]:
    """The model of a role and the one behind it. At most two queries (providers that have a row of their own)."""
    primary = llm_for(model_spec(role["provider"], role["model"], role.get("options") or {}))
    behind = role.get("fallback")
    if not behind:
        return primary, None
    return primary, llm_for(model_spec(behind["provider"], behind["model"], behind.get("options") or {}))


def retry_policy() -> RetryPolicy:
    """The one retry policy, with the deployment's pause between attempts (seeds 003: 5 s)."""
    return RetryPolicy(backoff_s=settings.MODEL_BACKOFF_S)

"""Models by the role they play, made from a frozen plan or snapshot."""

from collections.abc import Mapping
from typing import Any

from apps.budgets.services.metered_run import retry_policy as retry_policy
from apps.catalog.connections.queries.providers import model_spec
from apps.connectors.llms.base import LLM
from apps.connectors.llms.registry import llm_for


def models_of(role: Mapping[str, Any]) -> tuple[LLM, LLM | None]:
    """The model of a role and the one behind it. At most two queries (providers that have a row of their own)."""
    primary = llm_for(model_spec(role["provider"], role["model"], role.get("options") or {}))
    behind = role.get("fallback")
    if not behind:
        return primary, None
    return primary, llm_for(model_spec(behind["provider"], behind["model"], behind.get("options") or {}))

"""Models by the role they play, made from a frozen plan or snapshot."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from apps.catalog.queries import model_spec
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.llms.base import LLM
from apps.connectors.llms.registry import llm_for
from apps.connectors.retry import RetryPolicy
from apps.jobs.services.cool_downs import known_cool_downs


def models_of(role: Mapping[str, Any]) -> tuple[LLM, LLM | None]:
    """The model of a role and the one behind it. At most two queries (providers that have a row of their own)."""
    primary = llm_for(model_spec(role["provider"], role["model"], role.get("options") or {}))
    behind = role.get("fallback")
    if not behind:
        return primary, None
    return primary, llm_for(model_spec(behind["provider"], behind["model"], behind.get("options") or {}))


def retry_policy(cool_downs: CoolDowns | None = None) -> RetryPolicy:
    """The one retry policy, with the deployment's pause between attempts (seeds 003: 5 s).

    A lane gives the cool-downs it shares with other workers as it goes; without, one query reads them as they are now.
    """
    return RetryPolicy(
        backoff_s=settings.MODEL_BACKOFF_S,
        longest_wait_s=settings.MODEL_LONGEST_WAIT_S,
        cool_downs=known_cool_downs() if cool_downs is None else cool_downs,
    )

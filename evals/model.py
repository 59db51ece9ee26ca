"""The model that both agents ask: EVALS_MODEL is "provider:model", its key and address come from the environment."""

import os

from apps.connectors.llms.base import LLM, ModelSpec
from apps.connectors.llms.registry import key_variable, llm_for

OFFLINE = "offline:offline-rules"


def model_of_environment(default: str = OFFLINE) -> LLM:
    """EVALS_MODEL, else `default`. The offline rules read no prompt; with them only what is rendered is tested."""
    provider, _, model = (os.environ.get("EVALS_MODEL", "").strip() or default).partition(":")
    variable = key_variable(provider)
    spec = ModelSpec(
        provider=provider,
        model=model,
        base_url=os.environ.get("EVALS_BASE_URL", "").strip() or None,
        api_key=os.environ.get(variable, "").strip() or None if variable else None,
    )
    return llm_for(spec)

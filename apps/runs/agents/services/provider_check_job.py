"""One question to a model provider, asked for by a button and sent by a worker: what came back, or what is wrong.

The key goes to the provider and nowhere else: neither the row nor the page holds it, also where an answer repeats it.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from apps.catalog.connections.queries.providers import model_spec
from apps.catalog.models import ModelProvider
from apps.core.errors import BadInput, NotFound
from apps.core.redaction import redact
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.tenants.domain.workflow_config import CROSS_CHECK_OPTIONS, JUDGE_OPTIONS

if TYPE_CHECKING:
    from apps.connectors.errors import ConnectorError
    from apps.connectors.llms.base import LLMResponse, ModelSpec

KIND = "provider_check"
QUESTION = "Answer with the word “ready” and nothing else."
MAX_TOKENS = 1_024  # of an answer: a model that thinks first needs some hundreds
TIMEOUT_S = 15.0  # three times that, with the pauses between, is a minute
MAX_REPLY = 500
MAX_BODY_CHARS = 400


def request_provider_check(*, provider_id: uuid.UUID, model: str, requested_by: str, now: datetime) -> uuid.UUID:
    """Request a check of this model of the provider. Four queries.
    Raises NotFound, BadInput (no model, or nothing to ask), and Conflict while one is running."""
    row = ModelProvider.objects.filter(pk=provider_id).only("kind").first()
    if row is None:
        raise NotFound(f"There is no model provider {provider_id}.")
    if row.kind == "offline":
        raise BadInput("The offline rules are part of this program: there is nothing to test.")
    if not model.strip():
        raise BadInput("Name the model that shall be asked.", pointer="/model")
    return request_interactive_job(
        kind=KIND, subject_id=provider_id, requested_by=requested_by, now=now, arguments={"model": model.strip()[:200]}
    )


def run(request: InteractiveRequest) -> InteractiveStep:
    """One question, at most a minute. Raises NotFound, BadInput (settings of no use), Conflict (`budget_spent`)."""
    from apps.connectors.errors import ConnectorError  # noqa: PLC0415 - a page that only asks loads no HTTP client
    from apps.runs.agents.services.provider_question import ask_provider, provider_models  # noqa: PLC0415 - as above

    row = ModelProvider.objects.filter(pk=request.subject_id).only("name").first()
    if row is None:
        raise NotFound("The provider was removed.")
    spec = model_spec(row.name, request.arguments["model"])
    try:
        response = ask_provider(spec, QUESTION, max_output_tokens=MAX_TOKENS, timeout_s=TIMEOUT_S, now=request.now)
    except ConnectorError as error:
        answer = {"outcome": _outcome(error), "error": _words(error, spec)}
    else:
        answer = _answered(response, spec)
    return InteractiveStep(answer=answer | _listed(provider_models(spec, timeout_s=TIMEOUT_S), spec))


def _listed(names: Sequence[str], spec: "ModelSpec") -> dict[str, Any]:
    """Report on the models that the provider lists: their number, similar names, defaults that are gone.

    It says too whether the model in question is among them.
    """
    if not names:
        return {}
    known = set(names)
    defaults = {one.model for one in (*JUDGE_OPTIONS, *CROSS_CHECK_OPTIONS) if one.provider == spec.provider}
    official = not spec.base_url
    return {
        "listed": len(names),
        "is_listed": spec.model in known,
        "alike": [] if spec.model in known else get_close_matches(spec.model, names, n=3, cutoff=0.4),
        "missing_defaults": sorted(defaults - known) if official else [],
    }


def _answered(response: "LLMResponse", spec: "ModelSpec") -> dict[str, Any]:
    return {
        "outcome": "answered" if response.is_answer and response.text.strip() else "nothing",
        "reply": _without_key(redact(response.text), spec)[:MAX_REPLY],
        "model": response.model,
        "latency_ms": response.latency_ms,
        "tokens_in": response.usage.input_tokens,
        "tokens_out": response.usage.output_tokens,
        "left_out": list(response.left_out),
        "cost_usd": None if response.cost_usd is None else float(response.cost_usd),
    }


def _outcome(error: "ConnectorError") -> str:
    cause = str(error.extra.get("cause") or error.code)
    return "misconfigured" if cause in ("remote_refusal", "address_refused") else "down"


def _words(error: "ConnectorError", spec: "ModelSpec") -> str:
    """The error's words, with the server's answer where there is one: its body says what to mend."""
    body = " ".join(error.raw.split()) if error.status else ""
    words = f"{error.message} {body[:MAX_BODY_CHARS]}" if body and body not in error.message else error.message
    return _without_key(words, spec)


def _without_key(text: str, spec: "ModelSpec") -> str:
    return text.replace(spec.api_key, "***") if spec.api_key else text

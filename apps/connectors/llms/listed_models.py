"""List the models that a provider says it has: `GET …/models`. Costs nothing."""

import httpx

from apps.connectors.errors import ConnectorError
from apps.connectors.llms.anthropic import OFFICIAL_BASE_URL as ANTHROPIC
from apps.connectors.llms.endpoint import OPENAI_URL as OPENAI
from apps.connectors.llms.endpoint import endpoint, is_azure
from apps.connectors.llms.gemini import OFFICIAL_BASE_URL as GEMINI
from apps.connectors.llms.spec import ModelSpec

_MOST = 5_000
_ENDS = ("/chat/completions", "/v1/messages")


async def listed_models(spec: ModelSpec, *, client: httpx.AsyncClient, timeout_s: float) -> list[str]:
    """The names; empty where the provider lists none, or not in a form that is known. Never raises for what a server
    or a network does."""
    address = _address(spec)
    if address is None:
        return []
    url, headers = address
    try:
        response = await client.get(url, headers=headers, timeout=timeout_s)
        body = response.json() if response.is_success else {}
    except (httpx.HTTPError, ConnectorError, ValueError):
        return []
    listed = (body.get("data") or body.get("models")) if isinstance(body, dict) else body
    names = [one.get("id") or one.get("name") for one in listed or () if isinstance(one, dict)]
    return [name.removeprefix("models/") for name in names[:_MOST] if isinstance(name, str)]


def _address(spec: ModelSpec) -> tuple[str, dict[str, str]] | None:
    base, key = spec.base_url or "", spec.api_key or ""
    if spec.provider == "openai" and not is_azure(base):
        header = str(spec.options.get("auth_header") or "Authorization")
        value = f"Bearer {key}" if header.lower() == "authorization" else key
        return endpoint((base or OPENAI).partition(_ENDS[0])[0], "/models"), {header: value} if key else {}
    if spec.provider == "anthropic":
        headers = {"x-api-key": key, "anthropic-version": str(spec.options.get("api_version", "2023-06-01"))}
        return endpoint((base or ANTHROPIC).partition(_ENDS[1])[0], "/v1/models") + "?limit=1000", headers
    if spec.provider == "google":
        return endpoint(base or GEMINI, "/models") + "?pageSize=1000", {"x-goog-api-key": key}
    return None

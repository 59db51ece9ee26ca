"""Finding an A2A agent: its card, in the layouts of 0.2, 0.3 and 1.0, and from it where and how to call it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from apps.connectors.agents.a2a.dialects import Dialect
from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch, refuse_bad_status
from apps.connectors.agents.oauth import Credentials
from apps.connectors.errors import BadReply, ConnectorError, RemoteRefusal

WELL_KNOWN = ("/.well-known/agent-card.json", "/.well-known/agent.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEndpoint:
    """Endpoint of an agent. `token_url` and `scope` are its card's words on client credentials."""

    url: str
    dialect: Dialect
    streaming: bool = False
    token_url: str = ""
    scope: str = ""


def card_urls(address: str) -> tuple[str, ...]:
    """Return where to look for the card, in order.

    It is looked for below the address, under both names, then at the address itself (sheet §4.2). An address that is a
    document is looked at first.
    """
    base = address.rstrip("/")
    below = tuple(base + path for path in WELL_KNOWN)
    if urlsplit(address).path.endswith(".json"):
        root = urljoin(address, "/").rstrip("/")
        return (address, *(root + path for path in WELL_KNOWN))
    return (*below, address)


async def discover(
    address: str, *, client: httpx.AsyncClient, credentials: Credentials, who: str, timeout_s: float
) -> AgentEndpoint:
    """Read the agent's card: at most three requests. Cards are read, never written, so a failed one costs nothing.

    Raises the first failure that says more than "not here": Unreachable, RemoteFailure, RateLimited; BadReply where
    there is a card that cannot be used; RemoteRefusal where there is none.
    """
    refusal: ConnectorError = RemoteRefusal(f"{who} shows no card")
    for url in card_urls(address):
        try:
            card = await _card(url, client=client, credentials=credentials, who=who, timeout_s=timeout_s)
        except (RemoteRefusal, BadReply) as error:
            refusal = refusal if refusal.status in (401, 403) else error
            continue
        return read_card(card, url=url, who=who)
    raise refusal


async def _card(
    url: str, *, client: httpx.AsyncClient, credentials: Credentials, who: str, timeout_s: float
) -> Mapping[str, Any]:
    async def ask() -> httpx.Response:
        headers = {"accept": "application/json", **await credentials.headers(client)}
        return await fetch(client, HttpAsk(who=who, method="GET", url=url, headers=headers, timeout_s=timeout_s))

    response = await delivered_once(ask)
    if response.status_code == 401 and credentials.forget():
        response = await delivered_once(ask)
    refuse_bad_status(response, who)
    try:
        card = json.loads(response.content)
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, Mapping) or not (card.get("supportedInterfaces") or card.get("url")):
        raise BadReply(f"{who}: {url} is not an agent card", status=response.status_code, raw=response.text)
    return card


def read_card(card: Mapping[str, Any], *, url: str, who: str) -> AgentEndpoint:
    """The first JSON-RPC interface we speak, 1.0 preferred where the card leaves the choice. Raises BadReply."""
    offers = [(wire, dialect, place) for wire, dialect, place in _interfaces(card) if wire in ("JSONRPC", "")]
    if not offers:
        raise BadReply(f"{who}: its card offers no JSON-RPC interface", raw=json.dumps(card))
    newest = next((offer for offer in offers if offer[1] is Dialect.V1), offers[0])
    address = urljoin(url, newest[2])
    if urlsplit(address).hostname in ("0.0.0.0", "::"):  # noqa: S104 - in the samples of the SDK
        problem = f"{who}: its card says that it is at {address}, where nobody can call it"
        raise BadReply(f"{problem}: set options.endpoint, or mend the card's url", raw=json.dumps(card))
    capabilities = card.get("capabilities")
    token_url, scope = _client_credentials(card)
    return AgentEndpoint(
        url=address,
        dialect=newest[1],
        streaming=isinstance(capabilities, Mapping) and capabilities.get("streaming") is True,
        token_url=token_url,
        scope=scope,
    )


def _interfaces(card: Mapping[str, Any]) -> Iterator[tuple[str, Dialect, str]]:
    for offer in _mappings(card.get("supportedInterfaces")):
        version = str(offer.get("protocolVersion", "1.0"))
        yield str(offer.get("protocolBinding", "")).upper(), _dialect(version), str(offer.get("url", ""))
    version = str(card.get("protocolVersion", "0.3"))
    if card.get("url"):
        yield str(card.get("preferredTransport", "JSONRPC")).upper(), _dialect(version), str(card["url"])
    for offer in _mappings(card.get("additionalInterfaces")):
        yield str(offer.get("transport", "")).upper(), _dialect(version), str(offer.get("url", ""))


def _dialect(version: str) -> Dialect:
    return Dialect.V03 if version.startswith("0.") else Dialect.V1


def _client_credentials(card: Mapping[str, Any]) -> tuple[str, str]:
    schemes = card.get("securitySchemes")
    for scheme in schemes.values() if isinstance(schemes, Mapping) else ():
        inner = scheme.get("oauth2SecurityScheme", scheme) if isinstance(scheme, Mapping) else {}
        flows = inner.get("flows") if isinstance(inner, Mapping) else None
        flow = flows.get("clientCredentials") if isinstance(flows, Mapping) else None
        if isinstance(flow, Mapping) and flow.get("tokenUrl"):
            scopes = flow.get("scopes")
            return str(flow["tokenUrl"]), " ".join(scopes) if isinstance(scopes, Mapping) else ""
    return "", ""


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []

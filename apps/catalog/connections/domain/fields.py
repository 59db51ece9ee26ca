"""A further connection of an agent, read from plain data."""

from collections.abc import Mapping
from posixpath import normpath
from typing import Any
from urllib.parse import unquote, urlsplit

from apps.catalog.connections.domain.secret_names import refuse_secrets
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import AgentKind, ConnectionPurpose
from apps.connectors.agents.prompt_delivery import PromptDelivery, PromptPayload, check_delivery
from apps.connectors.llms.options import MAX_TIMEOUT_S
from apps.core.errors import BadInput

PROMPT_FIELDS = ("prompt_field", "prompt_header", "prompt_form")
FIELDS = ("kind", "purpose", "address", "options", "timeout_s", *PROMPT_FIELDS)
_OWN_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_TAKE_PROMPTS = (AgentKind.A2A, AgentKind.AGENTX, AgentKind.HTTP)


def parse_connection(raw: Mapping[str, Any], agent_kind: str, pointer: str = "") -> dict[str, Any]:
    """Read a connection's fields, each of its type. Raises BadInput at the field below `pointer`.

    They are kind, purpose, address, options, timeout_s, prompt_field, prompt_header and prompt_form. A timeout_s of
    None is the agent's own; a connection that nobody calls staging is a production one.

    Refused are secrets (they are entered in the admin), the kind of the agent's own row for production (that one is
    changed there), and a staging connection that could not take a prompt.
    """
    if "secrets" in raw:
        at = checks.step(pointer, "secrets")
        raise BadInput(f"{at} do not belong into a file: enter them in the admin", pointer=at)
    checks.only(raw, FIELDS, pointer)
    at = checks.step(pointer, "kind")
    kind = checks.one_of(raw.get("kind"), list(AgentKind), at)
    purpose = checks.one_of(
        raw.get("purpose") or ConnectionPurpose.PRODUCTION, list(ConnectionPurpose), checks.step(pointer, "purpose")
    )
    if kind == agent_kind and purpose == ConnectionPurpose.PRODUCTION:
        raise BadInput(f"{at}: {kind} is the agent's own kind: change the agent itself", pointer=at)
    options = checks.json_mapping(raw.get("options"), checks.step(pointer, "options"))
    refuse_secrets(options, checks.step(pointer, "options"))
    timeout, timeout_at = raw.get("timeout_s"), checks.step(pointer, "timeout_s")
    return {
        "kind": kind,
        "purpose": purpose,
        "address": checks.text(raw.get("address"), checks.step(pointer, "address"), limit=2000),
        "options": options,
        "timeout_s": None if timeout is None else checks.number(timeout, timeout_at, low=0.1, high=MAX_TIMEOUT_S),
        **_prompt_fields(raw, kind, purpose, pointer),
    }


def _prompt_fields(raw: Mapping[str, Any], kind: str, purpose: str, pointer: str) -> dict[str, str]:
    """Return the fields that say where the connection's requests hold the prompt. Raises BadInput."""
    places = {name: checks.text(raw.get(name), checks.step(pointer, name)) for name in PROMPT_FIELDS[:2]}
    form_at = checks.step(pointer, "prompt_form")
    fields = places | {
        "prompt_form": checks.one_of(raw.get("prompt_form") or PromptPayload.TEXT, PromptPayload, form_at)
    }
    named = next((name for name, value in places.items() if value), "")
    if named and (purpose != ConnectionPurpose.STAGING or kind not in _TAKE_PROMPTS):
        at = checks.step(pointer, named)
        takers = ", ".join(_TAKE_PROMPTS)
        raise BadInput(f"{at}: only a staging connection of kind {takers} is sent a prompt", pointer=at)
    try:
        check_delivery(places["prompt_field"], places["prompt_header"])
    except BadInput as error:
        at = f"{pointer}{error.pointer or ''}"
        raise BadInput(f"{at}: {error.message}", pointer=at) from error
    if purpose == ConnectionPurpose.STAGING and kind in _TAKE_PROMPTS and not named:
        at = checks.step(pointer, "prompt_field")
        raise BadInput(
            f"{at}: a staging connection says where its requests hold the prompt: name a field, or a prompt_header",
            pointer=at,
        )
    if purpose == ConnectionPurpose.STAGING and kind not in (*_TAKE_PROMPTS, AgentKind.PROMPTED):
        at = checks.step(pointer, "kind")
        raise BadInput(f"{at}: a {kind} connection cannot take a prompt, so it cannot be staging", pointer=at)
    return fields


def delivery_of(fields: Mapping[str, Any], *, version: str = "", text: str = "") -> PromptDelivery | None:
    """Return how a connection is sent this prompt; None where its requests hold none."""
    field, header = str(fields.get("prompt_field") or ""), str(fields.get("prompt_header") or "")
    if not field and not header:
        return None
    form = PromptPayload(fields.get("prompt_form") or PromptPayload.TEXT)
    return PromptDelivery(field=field, header=header, form=form, version=version, text=text)


def parse_connections(raw: Any, agent_kind: str, pointer: str = "/connections") -> tuple[Mapping[str, Any], ...]:
    """A list of them, by kind and purpose. Raises BadInput also where one stands twice."""
    by_kind: dict[tuple[str, str], Mapping[str, Any]] = {}
    for index, item in enumerate(checks.listing(raw, pointer)):
        at = checks.step(pointer, index)
        one = parse_connection(checks.mapping(item, at), agent_kind, at)
        key = (one["kind"], one["purpose"])
        if key in by_kind:
            what = f"{one['kind']!r} stands twice for {one['purpose']}"
            raise BadInput(f"{at}: the kind {what}", pointer=checks.step(at, "kind"))
        by_kind[key] = one
    return tuple(by_kind[key] for key in sorted(by_kind))


def refuse_production_address(address: str, options: Mapping[str, Any], production: Mapping[str, str]) -> None:
    """Refuse a staging address that is one of the agent's production ones ({address: whose it is}).

    A trial there would be tried on customers. Raises BadInput (`production_address`, `/address`).
    """
    for place, at in ((address, "/address"), (str(options.get("endpoint") or ""), "/options/endpoint")):
        if place and (whose := production.get(address_key(place))):
            raise BadInput(
                f"{place} is {whose}, which is production: a staging connection needs an address of its own",
                code="production_address",
                pointer=at,
            )


def address_key(address: str) -> str:
    """The address in a form that is the same for equal addresses. It ignores letter case, a last slash or dot of the
    host, the scheme's own port, the user who signs in, a fragment, dots and doubled slashes in the path, and letters
    written as %63. A query may choose another bot at the same place, so it tells addresses apart."""
    plain = address.strip().rstrip("/").lower()
    try:
        parts = urlsplit(plain)
        port = parts.port
    except ValueError:
        return plain
    if not parts.hostname:
        return plain
    at = "" if port in (None, _OWN_PORTS.get(parts.scheme)) else f":{port}"
    path = normpath(f"/{unquote(parts.path).lstrip('/')}").rstrip("/")
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.hostname.rstrip('.')}{at}{path}{query}"

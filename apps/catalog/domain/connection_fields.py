"""A further connection of an agent, read from plain data."""

from collections.abc import Mapping
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.secret_names import refuse_secrets
from apps.catalog.domain.states import AgentKind
from apps.core.errors import BadInput

FIELDS = ("kind", "address", "options", "timeout_s")


def parse_connection(raw: Mapping[str, Any], agent_kind: str, pointer: str = "") -> dict[str, Any]:
    """{kind, address, options, timeout_s}, each of its type; timeout_s None is the agent's own.

    Raises BadInput at the field below `pointer`: secrets (they are entered in the admin), the kind of the agent's own
    row (that one is changed there).
    """
    if "secrets" in raw:
        at = checks.step(pointer, "secrets")
        raise BadInput(f"{at} do not belong into a file: enter them in the admin", pointer=at)
    checks.only(raw, FIELDS, pointer)
    at = checks.step(pointer, "kind")
    kind = checks.one_of(raw.get("kind"), list(AgentKind), at)
    if kind == agent_kind:
        raise BadInput(f"{at}: {kind} is the agent's own kind: change the agent itself", pointer=at)
    options = checks.json_mapping(raw.get("options"), checks.step(pointer, "options"))
    refuse_secrets(options, checks.step(pointer, "options"))
    timeout, timeout_at = raw.get("timeout_s"), checks.step(pointer, "timeout_s")
    return {
        "kind": kind,
        "address": checks.text(raw.get("address"), checks.step(pointer, "address"), limit=2000),
        "options": options,
        "timeout_s": None if timeout is None else checks.number(timeout, timeout_at, low=0.1, high=3600),
    }


def parse_connections(raw: Any, agent_kind: str, pointer: str = "/connections") -> tuple[Mapping[str, Any], ...]:
    """A list of them, by kind. Raises BadInput also where a kind stands twice."""
    found: dict[str, Mapping[str, Any]] = {}
    for index, item in enumerate(checks.listing(raw, pointer)):
        at = checks.step(pointer, index)
        one = parse_connection(checks.mapping(item, at), agent_kind, at)
        if one["kind"] in found:
            raise BadInput(f"{at}: the kind {one['kind']!r} stands twice", pointer=checks.step(at, "kind"))
        found[one["kind"]] = one
    return tuple(found[kind] for kind in sorted(found))

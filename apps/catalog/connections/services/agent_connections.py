"""Further ways to reach an agent."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from apps.catalog.connections.domain.fields import FIELDS, delivery_of, parse_connection, refuse_production_address
from apps.catalog.connections.models import Agent, AgentConnection
from apps.catalog.connections.queries.agents import production_addresses
from apps.catalog.connections.services.moved_secrets import refuse_other_servers, without_moved_secrets
from apps.catalog.connections.services.outbound_policies import check_agent
from apps.catalog.domain.states import ConnectionPurpose
from apps.catalog.fields import Secrets
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.prompt_delivery import PromptPayload
from apps.core.errors import BadInput, NotFound


def connect_agent(
    *,
    agent: str,
    kind: str,
    address: str,
    options: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    purpose: str = ConnectionPurpose.PRODUCTION,
    prompt_field: str = "",
    prompt_header: str = "",
    prompt_form: str = PromptPayload.TEXT,
) -> UUID:
    """Create or update an agent's connection of this kind and purpose; without `secrets` keep the stored.

    Safe to repeat. Raises NotFound for the agent; BadInput with the field for settings that the kind cannot use,
    secrets among the options, the kind of the agent's own row (edit it there), kept secrets that would go to another
    server, and `production_address` for a staging connection at a production address. Five queries.
    """
    row = Agent.objects.defer("secrets").filter(name=agent).first()
    if row is None:
        raise NotFound(f"there is no agent named {agent!r}", pointer="/agent")
    connection = {"kind": kind, "address": address, "options": options, "timeout_s": timeout_s, "purpose": purpose}
    prompt = {"prompt_field": prompt_field, "prompt_header": prompt_header, "prompt_form": prompt_form}
    fields = parse_connection(connection | prompt, row.kind)
    check_connection(fields)
    refuse_production(fields, agent_id=row.pk)
    key = {"kind": fields.pop("kind"), "purpose": fields.pop("purpose")}
    if secrets is not None:
        fields["secrets"] = Secrets(secrets)
    else:
        stored = AgentConnection.objects.filter(agent=row, **key).first()
        refuse_other_servers(stored, address=fields["address"], options=fields["options"])
    made, _ = AgentConnection.objects.update_or_create(agent=row, **key, defaults=fields)
    return UUID(str(made.pk))


def check_connection(fields: Mapping[str, Any]) -> None:
    """Refuse settings that this kind of connector cannot use. Raises BadInput with the pointer."""
    kind, address, options = fields["kind"], fields["address"], fields["options"]
    check_agent(AgentSpec(kind=kind, address=address, options=options, prompt=delivery_of(fields)))


def refuse_production(fields: Mapping[str, Any], *, agent_id: UUID) -> None:
    """Refuse a staging connection at one of the agent's production addresses. Raises BadInput (`production_address`).
    Two queries for staging."""
    if fields["purpose"] == ConnectionPurpose.STAGING:
        refuse_production_address(fields["address"], fields["options"], production_addresses(agent_id))


def set_connections(*, agent_id: UUID, wanted: Sequence[Mapping[str, Any]]) -> tuple[bool, tuple[str, ...]]:
    """Bring the agent's further connections to this list, as `parse_connections` reads it.

    Return whether anything changed, and what a person should know.

    Secrets of those that stay, stay, unless they would go to another server. Raises BadInput with the pointer for
    settings that are new and cannot work. Safe to repeat. One query, two more for each that differs.
    """
    rows = AgentConnection.objects.filter(agent_id=agent_id).defer("secrets")
    there = {(row.kind, row.purpose): row for row in rows}
    changed, notes = False, list[str]()
    for index, fields in enumerate(wanted):
        row = there.pop((fields["kind"], fields["purpose"]), None)
        if row is not None and all(getattr(row, name) == fields[name] for name in FIELDS):
            continue
        try:
            check_connection(fields)
            refuse_production(fields, agent_id=agent_id)
        except BadInput as error:
            pointer = f"/connections/{index}{error.pointer or ''}"
            raise BadInput(f"{pointer}: {error.message}", code=error.code, pointer=pointer) from error
        written: dict[str, Any] = dict(fields)
        if row is not None:
            written, note = without_moved_secrets(row, fields, f"the connection {_called(row)}")
            notes += [note] if note else []
        key = {"kind": fields["kind"], "purpose": fields["purpose"]}
        AgentConnection.objects.update_or_create(agent_id=agent_id, **key, defaults=written)
        changed = True
    if there:
        AgentConnection.objects.filter(pk__in=[row.pk for row in there.values()]).delete()
    return changed or bool(there), tuple(notes)


def _called(row: AgentConnection) -> str:
    return f"{row.kind} (staging)" if row.purpose == ConnectionPurpose.STAGING else str(row.kind)

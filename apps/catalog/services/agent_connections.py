"""Further ways to reach an agent."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from apps.catalog.domain.connection_fields import FIELDS, parse_connection
from apps.catalog.fields import Secrets
from apps.catalog.models import Agent, AgentConnection
from apps.catalog.services.moved_secrets import refuse_other_servers, without_moved_secrets
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import check_settings
from apps.core.errors import BadInput, NotFound


def connect_agent(
    *,
    agent: str,
    kind: str,
    address: str,
    options: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> UUID:
    """Make the agent's connection of this kind, or bring it to this state; secrets stay as they are when None.

    Safe to repeat. Raises NotFound for the agent, BadInput with the field: settings its kind cannot use, a secret among
    the options, the kind of the agent's own row (that one is edited there), None where the stored secrets would go to
    another server. Four queries.
    """
    row = Agent.objects.defer("secrets").filter(name=agent).first()
    if row is None:
        raise NotFound(f"there is no agent named {agent!r}", pointer="/agent")
    connection = {"kind": kind, "address": address, "options": options, "timeout_s": timeout_s}
    fields = parse_connection(connection, row.kind)
    check_connection(fields)
    if secrets is not None:
        fields["secrets"] = Secrets(secrets)
    else:
        stored = AgentConnection.objects.filter(agent=row, kind=fields["kind"]).first()
        refuse_other_servers(stored, address=fields["address"], options=fields["options"])
    made, _ = AgentConnection.objects.update_or_create(agent=row, kind=fields.pop("kind"), defaults=fields)
    return UUID(str(made.pk))


def disconnect_agent(*, agent: str, kind: str) -> bool:
    """Remove the agent's connection of this kind; False where there is none. Runs keep theirs in the plan, but its
    secrets are gone. Safe to repeat."""
    return bool(AgentConnection.objects.filter(agent__name=agent, kind=kind).delete()[0])


def check_connection(fields: Mapping[str, Any]) -> None:
    """Refuse settings that this kind of connector cannot use. Raises BadInput with the pointer."""
    check_settings(AgentSpec(kind=fields["kind"], address=fields["address"], options=fields["options"]))


def set_connections(*, agent_id: UUID, wanted: Sequence[Mapping[str, Any]]) -> tuple[bool, tuple[str, ...]]:
    """Bring the agent's further connections to this list, as `parse_connections` reads it; whether anything changed,
    and what a person should know.

    Secrets of those that stay, stay, unless they would go to another server. Raises BadInput with the pointer for
    settings that are new and cannot work. Safe to repeat. One query, two more for each that differs.
    """
    there = {row.kind: row for row in AgentConnection.objects.filter(agent_id=agent_id).defer("secrets")}
    changed, notes = False, list[str]()
    for index, fields in enumerate(wanted):
        row = there.pop(fields["kind"], None)
        if row is not None and all(getattr(row, name) == fields[name] for name in FIELDS):
            continue
        try:
            check_connection(fields)
        except BadInput as error:
            pointer = f"/connections/{index}{error.pointer or ''}"
            raise BadInput(f"{pointer}: {error.message}", code=error.code, pointer=pointer) from error
        written: dict[str, Any] = dict(fields)
        if row is not None:
            written, note = without_moved_secrets(row, fields, f"the connection {row.kind}")
            notes += [note] if note else []
        AgentConnection.objects.update_or_create(agent_id=agent_id, kind=fields["kind"], defaults=written)
        changed = True
    if there:
        AgentConnection.objects.filter(pk__in=[row.pk for row in there.values()]).delete()
    return changed or bool(there), tuple(notes)

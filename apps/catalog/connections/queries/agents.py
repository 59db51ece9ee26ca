"""Questions about agents and the ways to reach them."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError

from apps.catalog.connections.domain.fields import FIELDS, address_key
from apps.catalog.connections.models import Agent, AgentConnection
from apps.catalog.domain.states import ConnectionPurpose
from apps.connectors.agents.base import AgentSpec
from apps.core.errors import NotFound


def agent_spec(agent_id: UUID | str) -> AgentSpec:
    """Return how to reach an agent, secrets included: for the connector, never for a plan or a page. One query."""
    row = _agent(agent_id)
    return AgentSpec(
        kind=row.kind, address=row.address, options=row.options, secrets=dict(row.secrets), timeout_s=row.timeout_s
    )


def connection_specs(
    agent_id: UUID | str, *, purpose: ConnectionPurpose = ConnectionPurpose.PRODUCTION
) -> dict[str, AgentSpec]:
    """Return {kind: how to reach the agent}, secrets included: for connectors, never for a plan or a page.

    They are its own connection (which is production) and the further ones of this purpose. Two queries. Raises
    NotFound.
    """
    own = agent_spec(agent_id)
    rows = AgentConnection.objects.filter(agent_id=agent_id, purpose=purpose).order_by("kind")
    further = {
        row.kind: AgentSpec(
            kind=row.kind,
            address=row.address,
            options=row.options,
            secrets=dict(row.secrets),
            timeout_s=row.timeout_s or own.timeout_s,
        )
        for row in rows
    }
    return {own.kind: own, **further} if purpose == ConnectionPurpose.PRODUCTION else further


def connection_kinds(agent_id: UUID | str) -> tuple[str, ...]:
    """The kinds of an agent's production connections, its own first. Two queries. Raises NotFound."""
    own = _agent(agent_id, without_secrets=True)
    rows = AgentConnection.objects.filter(agent_id=own.pk, purpose=ConnectionPurpose.PRODUCTION).order_by("kind")
    return (own.kind, *rows.values_list("kind", flat=True))


def agent_snapshot(agent_id: UUID | str) -> dict[str, Any]:
    """An agent as a run's plan keeps it, with its further production connections: everything but the secrets. Two
    queries."""
    row = _agent(agent_id, without_secrets=True)
    stagger = None if row.stagger_min_s is None else [row.stagger_min_s, row.stagger_max_s]
    return {
        "id": str(row.pk),
        "name": row.name,
        "kind": row.kind,
        "address": row.address,
        "options": row.options,
        "timeout_s": row.timeout_s,
        "stagger_s": stagger,
        "profile": row.profile,
        "connections": _connections(row.pk),
    }


def _connections(agent_id: UUID) -> list[dict[str, Any]]:
    rows = AgentConnection.objects.filter(agent_id=agent_id, purpose=ConnectionPurpose.PRODUCTION).order_by("kind")
    return [dict(row) for row in rows.values("kind", "address", "options", "timeout_s")]


def staging_connections(agent_id: UUID | str) -> list[dict[str, Any]]:
    """The agent's staging connections as a plan keeps them, without their secrets, by kind. One query."""
    rows = AgentConnection.objects.filter(agent_id=agent_id, purpose=ConnectionPurpose.STAGING).order_by("kind")
    return [dict(row) for row in rows.values(*FIELDS)]


def production_addresses(agent_id: UUID | str) -> dict[str, str]:
    """{address: whose it is} of everything at which the agent serves real customers. Two queries."""
    row = _agent(agent_id, without_secrets=True)
    ways = [{"kind": row.kind, "address": row.address, "options": row.options}, *_connections(row.pk)]
    addresses = {}
    for way in ways:
        for address in (way["address"], str(way["options"].get("endpoint") or "")):
            if address:
                addresses[address_key(address)] = f"the address of {row.name!r} by {way['kind']}"
    return addresses


def agent_id(name: str) -> UUID:
    """The id behind an agent's name. One query. Raises NotFound."""
    pk = Agent.objects.filter(name=name).values_list("pk", flat=True).first()
    if pk is None:
        raise NotFound(f"there is no agent named {name!r}", pointer="/agent")
    return UUID(str(pk))


def _agent(agent_id: UUID | str, *, without_secrets: bool = False) -> Agent:
    rows = Agent.objects.defer("secrets") if without_secrets else Agent.objects.all()
    try:
        row = rows.filter(pk=agent_id).first()
    except (ValueError, ValidationError):
        row = None
    if row is None:
        raise NotFound(f"there is no agent with the id {agent_id}", pointer="/agent")
    return row

"""Stored secrets stay with the servers that they were entered for."""

from collections.abc import Mapping
from typing import Any

from apps.catalog.connections.domain.secret_destinations import dropped, enter_again, new_destinations
from apps.catalog.connections.models import Agent, AgentConnection, ModelProvider, OutsideConnection
from apps.catalog.fields import Secret, Secrets
from apps.core.encryption import EncryptionError
from apps.core.errors import BadInput

Holder = Agent | AgentConnection | ModelProvider | OutsideConnection


def other_servers(row: Holder | None, *, address: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The servers to which the row's stored secrets would go by this change and did not go before; empty where it has
    no secrets. One query where the row's secrets were deferred."""
    if row is None:
        return ()
    here = row.base_url if isinstance(row, ModelProvider) else row.address
    destinations = new_destinations((here, row.options), (address, options))
    return destinations if destinations and _has_secrets(row) else ()


def refuse_other_servers(row: Holder | None, *, address: str, options: Mapping[str, Any]) -> None:
    """Raise BadInput (`/secrets`, `other_server`) where there are any."""
    if servers := other_servers(row, address=address, options=options):
        raise BadInput(enter_again(servers), code="other_server", pointer="/secrets")


def without_moved_secrets(row: Holder, fields: Mapping[str, Any], name: str) -> tuple[dict[str, Any], str]:
    """(the fields to write, emptying the secrets where they would go to other servers; what to say of it, or "")."""
    servers = other_servers(
        row, address=fields["base_url" if isinstance(row, ModelProvider) else "address"], options=fields["options"]
    )
    if not servers:
        return dict(fields), ""
    empty = {"api_key": Secret("")} if isinstance(row, ModelProvider) else {"secrets": Secrets()}
    return {**fields, **empty}, dropped(name, servers)


def _has_secrets(row: Holder) -> bool:
    try:
        return bool(row.api_key if isinstance(row, ModelProvider) else row.secrets)
    except EncryptionError:  # under a key that is lost: whoever has it may read them still
        return True

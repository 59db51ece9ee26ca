"""Check what was entered about an outside service, and try the service, as its kind says."""

import asyncio
from collections.abc import Mapping
from typing import Any

from apps.catalog.connections.domain.secret_destinations import enter_again
from apps.catalog.connections.models import OutsideConnection
from apps.catalog.connections.services.moved_secrets import other_servers
from apps.catalog.connections.services.outside_kinds import outside_kinds
from apps.catalog.fields import Secret, UnreadableSecret
from apps.connectors.addresses import check_base_address
from apps.connectors.errors import AddressRefused, ConnectorError
from apps.core.encryption import EncryptionError
from apps.core.errors import BadInput


def fill_connection(
    row: OutsideConnection, *, address: str, options: Mapping[str, str], secrets: Mapping[str, str]
) -> None:
    """Put into `row` what was entered, without saving it; a secret that is left empty stays as it is stored.

    Raises BadInput that names the field (`/address`, `/options/…`, `/secrets/…`). The reasons are: the guard refuses
    the address; other addresses cannot be made from it; something is missing; a stored secret would go to a server that
    it was not entered for.
    """
    kind = outside_kinds[row.kind]
    address = address.strip().rstrip("/")
    try:
        check_base_address(address, kind.policy())
    except AddressRefused as error:
        raise BadInput(str(error), code="address_refused", pointer="/address") from error
    entered = {name: options.get(name, "").strip() for name in kind.options}
    for name, called in kind.options.items():
        if not entered[name] and name not in kind.optional:
            raise BadInput(f"Enter {called}.", code="required", pointer=f"/options/{name}")
    known = {**row.secrets, **{name: Secret(secret) for name, secret in secrets.items() if secret}}
    servers = other_servers(row, address=address, options=entered) if row.address else ()
    for name, called in kind.secrets.items():
        if not known.get(name):
            if name in kind.optional:
                continue
            raise BadInput(f"Enter {called}.", code="required", pointer=f"/secrets/{name}")
        if servers and not secrets.get(name):
            raise BadInput(enter_again(servers), code="other_server", pointer=f"/secrets/{name}")
    row.address, row.options, row.secrets = address, entered, known


def try_connection(row: OutsideConnection) -> dict[str, Any]:
    """Ask the service once, and return its outcome.

    It is {"outcome": "answers", …} with what it says of itself, or "wrong" with an `error` in which no secret stands.
    Safe to repeat. Outside any transaction.
    """
    try:
        answer = asyncio.run(outside_kinds[row.kind].test(row))
    except (ConnectorError, EncryptionError) as error:
        words = error.message
        for secret in row.secrets.values():
            if secret and not isinstance(secret, UnreadableSecret):
                words = words.replace(secret.reveal(), "***")
        return {"outcome": "wrong", "error": words[:300]}
    return {"outcome": "answers", **answer}

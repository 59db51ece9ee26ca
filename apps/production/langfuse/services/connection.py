"""A Langfuse as a kind of outside service."""

from typing import Any

from apps.catalog.connections.services.outside_kinds import OutsideKind
from apps.catalog.models import OutsideConnection
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.production.langfuse.models import LangfuseSource
from apps.production.services.outbound_policies import langfuse_policy


def address_of(source: LangfuseSource) -> LangfuseAddress:
    """Return the source's address with its keys. Raises EncryptionError for a key that cannot be read."""
    return _address(source.connection)


async def _test(connection: OutsideConnection) -> dict[str, Any]:
    """Return the server's version and its project's name; twenty seconds at most."""
    from apps.connectors.outbound import outbound_client  # noqa: PLC0415 - a page that only asks loads no HTTP client
    from apps.connectors.tracing.langfuse.server import project_name, server_version  # noqa: PLC0415 - as above

    address = _address(connection)
    async with outbound_client(langfuse_policy()) as client:
        version = await server_version(client, address)
        return {"version": version, "project": await project_name(client, address)}


def _address(connection: OutsideConnection) -> LangfuseAddress:
    return LangfuseAddress(
        base_url=connection.address,
        public_key=connection.options["public_key"],
        secret_key=connection.secrets["secret_key"].reveal(),
    )


LANGFUSE = OutsideKind(
    name="langfuse",
    policy=langfuse_policy,
    test=_test,
    options={"public_key": "the project's public key"},
    secrets={"secret_key": "the project's secret key"},
)

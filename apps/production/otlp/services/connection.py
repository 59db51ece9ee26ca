"""A receiver of OTLP as a kind of outside service."""

from typing import Any

from apps.catalog.connections.services.outside_kinds import OutsideKind
from apps.catalog.models import OutsideConnection
from apps.connectors.errors import RemoteRefusal
from apps.connectors.tracing.otlp.address import OtlpAddress, otlp_address
from apps.production.exports.domain.exported_spans import OWN_ENVIRONMENT
from apps.production.services.outbound_policies import otlp_policy

# Phoenix files spans by the first; the second is of the conventions.
RESOURCE = {"openinference.project.name": OWN_ENVIRONMENT, "deployment.environment.name": OWN_ENVIRONMENT}


def address_of_receiver(connection: OutsideConnection) -> OtlpAddress:
    """Return the receiver's address with its headers. Raises EncryptionError for headers that cannot be read."""
    headers = connection.secrets.get("headers")
    return otlp_address(connection.address, headers.reveal() if headers else "")


async def _test(connection: OutsideConnection) -> dict[str, Any]:
    """An export of no spans; twenty seconds at most."""
    from apps.connectors.outbound import outbound_client  # noqa: PLC0415 - a page that only asks loads no HTTP client
    from apps.connectors.tracing.otlp.sending import post_spans  # noqa: PLC0415 - as above

    address = address_of_receiver(connection)
    async with outbound_client(otlp_policy()) as client:
        outcome = await post_spans(client, address, (), within_s=20.0, resource=RESOURCE)
    if not outcome.delivered:
        raise RemoteRefusal(f"{address.url}: {outcome.error}", status=outcome.status, who=address.url)
    return {"url": address.url}


OTLP = OutsideKind(
    name="otlp",
    policy=otlp_policy,
    test=_test,
    options={},
    secrets={"headers": "its headers"},
    optional=frozenset({"headers"}),
)

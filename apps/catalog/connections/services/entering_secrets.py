"""One secret of an agent or a model provider, entered by a command: pipelines set up tenants, too."""

import re

from django.db import transaction

from apps.catalog.connections.models import Agent, AgentConnection, ModelProvider
from apps.catalog.domain.states import ConnectionPurpose
from apps.catalog.fields import Secret, Secrets
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.named_secrets import missing_secrets, missing_words
from apps.core.errors import BadInput, NotFound

LONGEST = 20_000  # a service account's JSON has some 2,500 characters
_NAME = re.compile(r"[A-Za-z_][\w-]{0,99}", re.ASCII)


def set_agent_secret(
    *, agent: str, name: str, value: str, connection: str = "", purpose: str = ConnectionPurpose.PRODUCTION
) -> tuple[str, ...]:
    """Store one secret of the agent, or of its further connection of that kind and purpose.

    It is stored beside those it has; the names of all are returned. Safe to repeat.

    Raises NotFound for the agent or connection, BadInput for a name or value that none can be, and EncryptionError
    where those stored before cannot be read: they would be lost.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r} is no name of a secret: letters, digits, _ and -", pointer="/name")
    plain = _value(value)
    with transaction.atomic():
        row = _holder(agent, connection, purpose)
        row.secrets = Secrets({**row.secrets, name: plain})
        row.save(update_fields=["secrets", "updated_at"])
    return tuple(sorted(row.secrets))


def _holder(agent: str, connection: str, purpose: str) -> Agent | AgentConnection:
    """The agent's own row, or that of its further connection, locked. Raises NotFound."""
    owner = Agent.objects.filter(name=agent).defer("secrets").first()
    if owner is None:
        raise NotFound(f"there is no agent named {agent!r}", pointer="/agent")
    if not connection:
        return Agent.objects.select_for_update().get(pk=owner.pk)
    row = AgentConnection.objects.select_for_update().filter(agent=owner, kind=connection, purpose=purpose).first()
    if row is None:
        staging = "staging " if purpose == ConnectionPurpose.STAGING else ""
        raise NotFound(f"agent {agent!r} has no {staging}connection of the kind {connection!r}", pointer="/connection")
    return row


def set_provider_key(*, provider: str, value: str) -> None:
    """Replace the API key of a model provider, also one that cannot be decrypted.
    Safe to repeat. Raises NotFound, and BadInput for a value that cannot be a key."""
    with transaction.atomic():
        row = ModelProvider.objects.select_for_update().filter(name=provider).first()
        if row is None:
            raise NotFound(
                f"there is no model provider named {provider!r}: import_catalog makes one, or the page Model providers",
                pointer="/provider",
            )
        row.api_key = Secret(_value(value))
        row.save(update_fields=["api_key", "updated_at"])


def missing_secret_notes(names: list[str]) -> list[str]:
    """Say of each of these agents which named secrets nobody has entered. One query."""
    notes = []
    for row in Agent.objects.filter(name__in=names).order_by("name"):
        spec = AgentSpec(kind=row.kind, address=row.address, options=row.options, secrets=dict(row.secrets))
        if words := missing_words(missing_secrets(spec), row.name):
            notes.append(f"agent {row.name}: {words}")
    return notes


def _value(raw: str) -> str:
    """Return the secret without the newline that `echo` and files end with.

    Raises BadInput for an empty or a long one.
    """
    value = raw.removesuffix("\n").removesuffix("\r")
    if not value.strip():
        raise BadInput("the secret is empty: nothing was stored", pointer="/value")
    if len(value) > LONGEST or "\x00" in value:
        raise BadInput(f"a secret has up to {LONGEST:,} characters and no NUL", pointer="/value")
    return value

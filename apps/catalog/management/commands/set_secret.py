"""Command `set_secret --tenant T --agent A NAME` or `--provider P`: store a secret. It reads standard input."""

import os
import sys
from getpass import getpass
from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.connections.services.entering_secrets import LONGEST, set_agent_secret, set_provider_key
from apps.catalog.domain.states import ConnectionPurpose
from apps.core.errors import BadInput
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Store a secret of an agent, or the key of a model provider, encrypted. The value is read from standard input "
        "(asked for, unseen, on a terminal) or from the variable of --env; never from the command line, never printed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--agent", help="the agent's name; NAME says which secret")
        whose.add_argument("--provider", help="the model provider's name: its key")
        parser.add_argument("name", nargs="?", default="", metavar="NAME", help="for example bearer_token")
        parser.add_argument("--connection", default="", metavar="KIND", help="of the agent's connection of this kind")
        parser.add_argument("--staging", action="store_true", help="of its staging connection of that kind")
        parser.add_argument("--env", metavar="VARIABLE", help="read the value from this variable of the environment")

    def answer(
        self,
        *,
        tenant: str,
        agent: str | None,
        provider: str | None,
        name: str,
        connection: str,
        staging: bool,
        env: str | None,
        **_: Any,
    ) -> dict[str, Any]:
        if provider is not None:
            if name or connection or staging:
                raise BadInput("a model provider has one key: give no NAME and no --connection", pointer="/name")
            set_provider_key(provider=provider, value=_read(env))
            return {"tenant": tenant, "provider": provider, "stored": True}
        if staging and not connection:
            raise BadInput("which staging connection? add --connection KIND", pointer="/connection")
        if not name:
            raise BadInput("which secret? set_secret --agent A NAME, for example bearer_token", pointer="/name")
        purpose = ConnectionPurpose.STAGING if staging else ConnectionPurpose.PRODUCTION
        stored = set_agent_secret(agent=str(agent), name=name, value=_read(env), connection=connection, purpose=purpose)
        return {"tenant": tenant, "agent": agent, "secret": name, "stored": True, "secrets": list(stored)}

    def show(self, answer: Any) -> None:
        of = f"agent {answer['agent']}" if "agent" in answer else f"model provider {answer['provider']}"
        what = f"the secret {answer['secret']} of {of}" if "secret" in answer else f"the key of {of}"
        self.stdout.write(f"stored: {what}")


def _read(env: str | None) -> str:
    if env is not None:
        if env not in os.environ:
            raise BadInput(f"the variable {env} is not set", pointer="/env")
        return os.environ[env]
    if sys.stdin.isatty():
        return getpass("value (not shown): ")
    return sys.stdin.read(LONGEST + 2)

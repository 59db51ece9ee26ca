"""Agents and model providers, with their secrets."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.catalog.connections.domain.declared_prices import declared_prices
from apps.catalog.connections.domain.load_limits import max_concurrent_of
from apps.catalog.connections.domain.profile import parse_profile
from apps.catalog.connections.domain.secret_names import refuse_secrets
from apps.catalog.connections.models import Agent, ModelProvider
from apps.catalog.connections.services.moved_secrets import refuse_other_servers
from apps.catalog.connections.services.outbound_policies import check_agent, check_base_url
from apps.catalog.connections.services.profiles import record_agent_profile
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import AgentKind
from apps.catalog.fields import Secret, Secrets
from apps.connectors.agents.base import AgentSpec
from apps.connectors.llms.options import MAX_TIMEOUT_S, check_options
from apps.connectors.llms.registry import provider_names


def save_agent(
    *,
    name: str,
    kind: str,
    address: str,
    options: Mapping[str, Any] | None = None,
    secrets: Mapping[str, str] | None = None,
    timeout_s: float = 60.0,
    stagger_s: tuple[float, float] | None = None,
    max_concurrent: int | None = None,
    profile: Mapping[str, Any] | None = None,
) -> UUID:
    """Make the agent of that name, or bring it to this state; secrets stay as they are when None. Safe to repeat.

    Raises BadInput with the field, also for a secret among the options, for options its kind cannot use, and for None
    where the stored secrets would go to another server. Six queries.
    """
    plain = checks.json_mapping(options, "/options")
    refuse_secrets(plain, "/options")
    fields: dict[str, Any] = {
        "kind": checks.one_of(kind, list(AgentKind), "/kind"),
        "address": checks.text(address, "/address", limit=2000),
        "options": plain,
        "timeout_s": checks.number(timeout_s, "/timeout_s", low=0.1, high=MAX_TIMEOUT_S),
        "stagger_min_s": stagger_s[0] if stagger_s else None,
        "stagger_max_s": stagger_s[1] if stagger_s else None,
        "max_concurrent": max_concurrent_of({"max_concurrent": max_concurrent}),
        "profile": parse_profile(profile),
    }
    check_agent(AgentSpec(kind=fields["kind"], address=fields["address"], options=plain))
    if secrets is not None:
        fields["secrets"] = Secrets(secrets)
    else:
        refuse_other_servers(Agent.objects.filter(name=name).first(), address=fields["address"], options=plain)
    with transaction.atomic():
        row, _ = Agent.objects.update_or_create(name=checks.name(name, "/name"), defaults=fields)
        record_agent_profile(agent_id=row.pk, source="save_agent")
    return UUID(str(row.pk))


def save_model_provider(
    *,
    name: str,
    kind: str,
    base_url: str = "",
    api_key: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> UUID:
    """Make the model provider of that name, or bring it to this state; the key stays as it is when None.

    Raises BadInput with the field, also for a secret among the options, for an option that there is not or that has
    another type, for a price that is none, and for None where the stored key would go to another server.
    """
    plain = checks.json_mapping(options, "/options")
    refuse_secrets(plain, "/options")
    declared_prices(plain)
    known_kind = checks.one_of(kind, provider_names(), "/kind")
    check_options(known_kind, plain)
    fields: dict[str, Any] = {
        "kind": known_kind,
        "base_url": checks.text(base_url, "/base_url", limit=2000),
        "options": plain,
    }
    check_base_url(fields["base_url"])
    if api_key is not None:
        fields["api_key"] = Secret(api_key)
    else:
        row = ModelProvider.objects.filter(name=name).first()
        refuse_other_servers(row, address=fields["base_url"], options=plain)
    made, _ = ModelProvider.objects.update_or_create(name=checks.name(name, "/name"), defaults=fields)
    return UUID(str(made.pk))

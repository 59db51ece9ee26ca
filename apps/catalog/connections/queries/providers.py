"""Find the server of a model, and the key for it."""

from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings
from django.db import connection

from apps.catalog.connections.domain.declared_prices import price_for, without_prices
from apps.catalog.connections.domain.providers import PlatformKeys, Provider, endpoint
from apps.catalog.connections.models import ModelProvider
from apps.catalog.fields import Secret
from apps.connectors.llms.base import ModelSpec
from apps.core.errors import BadInput


def model_spec(provider: str, model: str, options: Mapping[str, Any] | None = None) -> ModelSpec:
    """Return the model's server and key.

    One query; reads a secret. Raises BadInput: `unknown_provider`, `model_key_missing`. The offline provider answers
    only to its own name.
    """
    row = ModelProvider.objects.filter(name=provider).first()
    where = endpoint(provider, _own(row) if row else None, platform_keys(), options or {})
    return ModelSpec(
        provider=where.kind,
        name=provider,
        model=model,
        base_url=where.base_url,
        api_key=where.api_key,
        options=without_prices(where.options),
        price=price_for(where.options, model),
        known_by=row.known_by if row else {},
        max_concurrent=row.max_concurrent if row else None,
    )


def server_identity(provider: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the server's identity, as `model_spec(provider, …).identity()`, without opening a secret.

    A key that no present field key opens still belongs to a known server. One query. Raises BadInput as `model_spec`.
    """
    row = ModelProvider.objects.filter(name=provider).first()
    where = endpoint(provider, _own(row, reveal=False) if row else None, platform_keys(), options or {})
    spec = ModelSpec(
        provider=where.kind,
        name=provider,
        model="",
        base_url=where.base_url,
        options=without_prices(where.options),
        known_by=row.known_by if row else {},
    )
    return spec.identity()


def providers_that_answer(names: Collection[str]) -> frozenset[str]:
    """Return those of these providers that could be asked: they have a key, or an address that wants none.

    One query, two where the tenant has providers of these names.
    """
    with connection.cursor() as cursor:  # asked with every evaluation, and most tenants have none
        cursor.execute("SELECT EXISTS (SELECT 1 FROM catalog_modelprovider WHERE name = ANY(%s))", [list(names)])
        any_own = cursor.fetchone()[0]
    rows = (
        {row.name: _own(row, reveal=False) for row in ModelProvider.objects.filter(name__in=names)} if any_own else {}
    )
    keys, answering = platform_keys(), set()
    for name in names:
        try:
            endpoint(name, rows.get(name), keys, {})
        except BadInput:
            continue
        answering.add(name)
    return frozenset(answering)


def _own(row: ModelProvider, *, reveal: bool = True) -> Provider:
    """Return the tenant's own provider. `reveal` False: dots in place of the key, which is then not opened."""
    stored = row.api_key if isinstance(row.api_key, Secret) else Secret("")
    return Provider(
        name=row.name,
        kind=row.kind,
        base_url=row.base_url,
        api_key=stored.reveal() if reveal else str(stored),
        options=row.options,
    )


def platform_keys() -> PlatformKeys:
    """The environment's keys, as settings read them."""
    return PlatformKeys(keys=settings.MODEL_KEYS, openai_base_url=settings.OPENAI_BASE_URL)

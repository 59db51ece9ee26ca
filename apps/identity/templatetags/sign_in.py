"""The tenant's provider, as the sign-in page shows it."""

from django import template

from apps.identity.domain.names import issuer_key
from apps.identity.queries.provider import provider_in_use
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC

register = template.Library()


@register.simple_tag
def sign_in_provider() -> dict[str, str] | None:
    """Name and key of the provider, or None; the platform's own host has none. One query."""
    row = provider_in_use() if current_schema() != PUBLIC else None
    return {"name": row.name, "key": issuer_key(row.issuer)} if row else None

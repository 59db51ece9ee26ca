"""The only way into a tenant's schema: `with in_tenant("acme"): …`.

Rules that the database cannot hold for you: `in_tenant` outside and `atomic` inside, never the reverse (on_commit
callbacks run in the schema that is current at the commit); take ids, not instances; leave no lazy queryset behind; no
ORM in threads.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django_tenants.utils import schema_context

from apps.core.events import bound
from apps.tenants.connection import connection
from apps.tenants.domain.naming import PUBLIC, schema_for, slug_for
from apps.tenants.errors import TenantRequired
from apps.tenants.queries import find_tenant


def current_schema() -> str:
    """The schema this thread's connection works in; `public` outside every block."""
    return str(connection.schema_name)


def current_slug() -> str:
    """The tenant of this thread. Raises TenantRequired in `public`."""
    schema = current_schema()
    if schema == PUBLIC:
        raise TenantRequired("this needs a tenant, and none is entered here")
    return slug_for(schema)


@contextmanager
def in_tenant(slug_or_schema: str) -> Iterator[str]:
    """Work in this tenant's schema inside the block, and in the one from before after it; yields the slug.

    Raises UnknownTenant where there is none (BadInput for what is no name, `public` included). Costs one query, none
    where the tenant is entered already. Whether the tenant is ready is its caller's question (queries.usable_tenant):
    migrations and repairs enter tenants that are not. Never use it as a decorator: state would be shared between
    threads.
    """
    schema = schema_for(slug_or_schema)
    slug = slug_for(schema)
    if current_schema() != schema:
        find_tenant(schema)
    with schema_context(schema), bound(tenant=slug):
        yield slug


@contextmanager
def in_public() -> Iterator[None]:
    """Work in the public schema inside the block: for the list of tenants itself, never for a tenant's data."""
    with schema_context(PUBLIC):
        yield

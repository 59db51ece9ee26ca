"""Slugs, schemas and host names of tenants. One slug is one schema, in both directions.

A slug is lower-case words joined by single hyphens (`acme`, `nairobi-spa`): no underscores, so that it is a host name
label and `-` ↔ `_` can be turned back. An ephemeral tenant's slug starts with `test-tenant-`.
"""

import re

from apps.core.errors import BadInput

PUBLIC = "public"
EPHEMERAL_SLUG = "test-tenant-"
EPHEMERAL_SCHEMA = "test_tenant_"
TENANT_SCHEMA = "t_"
SCHEMA = re.compile(r"(?:t_[a-z][a-z0-9_]{1,40}|test_tenant_[a-z0-9_]{1,40})")
SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
VERTICAL = re.compile(r"[a-z][a-z0-9_-]{0,62}")
DOMAIN = re.compile(r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*")
MAX_SLUG = 41


def check_slug(slug: str) -> str:
    """Return the slug; raise BadInput (`bad_slug`) if it is not a valid tenant name."""
    if not isinstance(slug, str) or not SLUG.fullmatch(slug) or not SCHEMA.fullmatch(_schema(slug)) or slug == PUBLIC:
        raise BadInput(
            f"{slug!r} is not a tenant name: use 2 to {MAX_SLUG} lower-case letters and digits, a letter first, "
            "words joined by single hyphens (nairobi-spa)",
            code="bad_slug",
            pointer="/slug",
        )
    return slug


def _schema(slug: str) -> str:
    flat = slug.replace("-", "_")
    return flat if slug.startswith(EPHEMERAL_SLUG) else f"{TENANT_SCHEMA}{flat}"


def schema_for(slug_or_schema: str) -> str:
    """The schema of a slug; a schema name passes through. Raises BadInput for anything else, `public` included."""
    if isinstance(slug_or_schema, str) and SCHEMA.fullmatch(slug_or_schema) and "_" in slug_or_schema:
        return slug_or_schema
    return _schema(check_slug(slug_or_schema))


def slug_for(schema: str) -> str:
    """The slug of a schema. Raises BadInput (code `bad_schema`) where it is not a tenant's."""
    if not SCHEMA.fullmatch(schema):
        raise BadInput(f"{schema!r} is not a tenant's schema", code="bad_schema")
    return schema.removeprefix(TENANT_SCHEMA).replace("_", "-")


def is_ephemeral(schema: str) -> bool:
    """Tell whether a schema is a test's own schema, which a sweep may drop."""
    return schema.startswith(EPHEMERAL_SCHEMA)


def check_domain(domain: str) -> str:
    """The host name itself, without a port. Raises BadInput (code `bad_domain`) where it is not one."""
    if not isinstance(domain, str) or not DOMAIN.fullmatch(domain):
        raise BadInput(
            f"{domain!r} is not a host name: lower-case letters, digits, dots and hyphens, no port and no https://",
            code="bad_domain",
            pointer="/domains",
        )
    return domain


def default_domains(slug: str, base_domain: str) -> tuple[str, ...]:
    """Host names of a new tenant: `<slug>.<base>`; `demo` also answers to the machine itself."""
    own = f"{slug}.{base_domain}"
    return (own, "localhost", "127.0.0.1") if slug == "demo" else (own,)

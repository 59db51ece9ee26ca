"""Questions about tenants. Each costs one query on the public schema, from wherever it is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from apps.tenants.connection import connection
from apps.tenants.domain.naming import PUBLIC, schema_for
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.errors import TenantUnavailable, UnknownTenant
from apps.tenants.models import Tenant, Tick
from apps.tenants.schema_template import migration_key


def known_slugs() -> list[str]:
    """Every tenant's slug, in order; `public` is not one."""
    return list(Tenant.objects.exclude(schema_name=PUBLIC).order_by("slug").values_list("slug", flat=True))


def each_ready_tenant() -> list[str]:
    """Slugs of the tenants work may be done for. The only fan-out: every tick loops over this, work inside."""
    ready = Tenant.objects.exclude(schema_name=PUBLIC).filter(ready=True, suspended=False)
    return list(ready.order_by("slug").values_list("slug", flat=True))


def find_tenant(slug_or_schema: str) -> Tenant:
    """The row. Raises BadInput for what is not a name, UnknownTenant where there is none."""
    tenant: Tenant | None = Tenant.objects.filter(schema_name=schema_for(slug_or_schema)).first()
    if tenant is None:
        raise UnknownTenant(f"there is no tenant {slug_or_schema!r}")
    return tenant


def usable_tenant(slug_or_schema: str) -> Tenant:
    """Return the tenant as find_tenant does.

    Raises TenantUnavailable where it is suspended or its schema is not ready.
    """
    tenant = find_tenant(slug_or_schema)
    if tenant.suspended:
        raise TenantUnavailable(f"tenant {tenant.slug!r} is suspended")
    if not tenant.ready:
        raise TenantUnavailable(
            f"tenant {tenant.slug!r} is not ready: its schema is being migrated, or a migration failed"
        )
    return tenant


def current_tenant_usable() -> bool:
    """Tell whether work may go on in the schema this thread is in: neither suspended nor being migrated. One query."""
    return bool(Tenant.objects.filter(schema_name=connection.schema_name, ready=True, suspended=False).exists())


def workflow_config(slug: str) -> WorkflowConfig:
    """The tenant's settings, defaults filled in. Raises as find_tenant, BadInput where those stored are not valid."""
    return WorkflowConfig.from_json(find_tenant(slug).settings)


def tenant_models(slug: str) -> frozenset[str]:
    """Roles for which the tenant itself chose a model (the rest are defaults).

    No query within a web request, whose tenant is known already (TENANT_LOOKUP_S old at most).
    """
    entered = connection.tenant
    tenant = entered if isinstance(entered, Tenant) and entered.slug == slug else find_tenant(slug)
    return frozenset(tenant.settings.get("models", {}))


def tenants_behind() -> int:
    """Count the tenants whose schemas were not made by the migrations of this code. One query."""
    return int(Tenant.objects.exclude(schema_name=PUBLIC).exclude(schema_key=migration_key()).count())


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantSchemas:
    """Tenants whose schemas do not fit, by slug.

    `other`: made by other migrations than this code's, and open; `closed`: an upgrade is at them, or could not migrate
    them.
    """

    other: Sequence[str]
    closed: Sequence[str]


def tenant_schemas() -> TenantSchemas:
    """The schemas of every tenant, suspended ones too. One query."""
    rows = Tenant.objects.exclude(schema_name=PUBLIC).filter(~Q(schema_key=migration_key()) | Q(ready=False))
    rows_read = list(rows.order_by("slug").values_list("slug", "ready"))
    return TenantSchemas(
        other=[slug for slug, ready in rows_read if ready], closed=[slug for slug, ready in rows_read if not ready]
    )


def last_ticks() -> dict[str, datetime]:
    """Return when each tick last ended well, by its name in the schedule; a tick that never did is absent."""
    return dict(Tick.objects.values_list("name", "succeeded_at"))


def tenants_by_state() -> dict[str, int]:
    """Count the tenants that are `ready`, `not_ready` and `suspended`; a suspended one is nothing else."""
    states = {"ready": 0, "not_ready": 0, "suspended": 0}
    for ready, suspended in Tenant.objects.exclude(schema_name=PUBLIC).values_list("ready", "suspended"):
        states["suspended" if suspended else "ready" if ready else "not_ready"] += 1
    return states


def schemas_behind() -> list[tuple[str, str]]:
    """(slug, schema) of every tenant whose recorded digest is not this code's, in order. One query."""
    behind = Tenant.objects.exclude(schema_name=PUBLIC).exclude(schema_key=migration_key())
    return list(behind.order_by("slug").values_list("slug", "schema_name"))

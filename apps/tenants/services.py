"""Verbs on tenants: add, change settings, delete, sweep. The only code that makes or drops a schema."""

import logging
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected

from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import (
    EPHEMERAL_SCHEMA,
    EPHEMERAL_SLUG,
    PUBLIC,
    VERTICAL,
    check_domain,
    check_slug,
    default_domains,
    is_ephemeral,
    schema_for,
)
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.models import Domain, Tenant, Tick
from apps.tenants.queries import find_tenant
from apps.tenants.schema_template import migration_key, replay, template_sql

MAX_NAME = 120
DELETE_TRIES = 5


def _refuse_inside_a_tenant(what: str) -> None:
    if current_schema() != PUBLIC:
        raise Conflict(f"{what} is done outside any tenant, not inside {current_schema()!r}", code="inside_a_tenant")


def add_tenant(*, slug: str, name: str = "", vertical: str, domains: Sequence[str] | None = None) -> Tenant:
    """Make a tenant: its row, its schema and its host names, all or nothing, ready for work when this returns.

    `domains` defaults to `<slug>.<base domain>` (`demo` also gets localhost and 127.0.0.1). Raises BadInput for a
    name, Conflict (`tenant_exists`, `domain_taken`) where it is taken, Conflict inside a tenant block. Costs some 10 ms
    where a spare schema is ready, 60 where not; a few seconds when migrations have changed since the last one. Not
    repeatable: the second call is a Conflict.
    """
    _refuse_inside_a_tenant("add_tenant")
    schema = schema_for(check_slug(slug))
    if not VERTICAL.fullmatch(vertical or ""):
        raise BadInput(f"{vertical!r} is not a vertical: lower-case letters, digits, - and _", pointer="/vertical")
    if len(name) > MAX_NAME:
        raise BadInput(f"a name has at most {MAX_NAME} characters", pointer="/name")
    wanted = domains if domains is not None else default_domains(slug, settings.BASE_DOMAIN)
    names = [check_domain(domain) for domain in dict.fromkeys(wanted)]
    template_sql()  # a missing template is built before the transaction, which it would close
    try:
        with transaction.atomic():
            tenant = Tenant(
                slug=slug,
                schema_name=schema,
                name=name or slug,
                vertical=vertical,
                schema_key=migration_key(),
                ready=True,
            )
            tenant.save_base(force_insert=True)
            Domain.objects.bulk_create(
                Domain(domain=domain, tenant=tenant, is_primary=place == 0) for place, domain in enumerate(names)
            )
            replay(schema)
    except IntegrityError as error:
        if Tenant.objects.filter(schema_name=schema).exists():
            raise Conflict(f"there is already a tenant {slug!r}", code="tenant_exists") from error
        raise Conflict(f"one of {', '.join(names)} already leads to another tenant", code="domain_taken") from error
    log_event(EventType.TENANT_ADDED, tenant=slug, vertical=vertical)
    return tenant


def add_ephemeral_tenant(*, label: str = "x", vertical: str = "test") -> Tenant:
    """A tenant for one scenario: `test-tenant-<label>-<8 hex>`, dropped by whoever made it or by sweep_ephemeral."""
    words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in label.lower())
    flat = "-".join(word for word in words.split("-") if word)[:28].rstrip("-") or "x"
    slug = f"{EPHEMERAL_SLUG}{flat}-{uuid.uuid4().hex[:8]}"
    return add_tenant(slug=slug, name=label[:MAX_NAME], vertical=vertical)


def delete_tenant(*, slug: str) -> None:
    """Drop the tenant's schema and row: everything it ever held, for good. One transaction, so it happens whole or
    not at all; begun again where it and a worker of this tenant wait for each other.

    Raises UnknownTenant, and Conflict for `public` or inside a tenant block.
    """
    _refuse_inside_a_tenant("delete_tenant")
    if slug == PUBLIC:
        raise Conflict("the public schema holds every tenant's address and cannot be deleted", code="public_schema")
    tenant = find_tenant(slug)
    for tries_left in reversed(range(DELETE_TRIES)):
        try:
            with transaction.atomic():
                Tenant.objects.filter(pk=tenant.pk).delete()
                _drop(str(tenant.schema_name))
            break
        except OperationalError as error:
            if not (tries_left and isinstance(error.__cause__, DeadlockDetected)):
                raise
    level = logging.INFO if is_ephemeral(str(tenant.schema_name)) else logging.WARNING
    log_event(EventType.TENANT_DELETED, level=level, tenant=tenant.slug)


def sweep_ephemeral(*, keep: Sequence[str] = ()) -> list[str]:
    """Drop every `test_tenant_*` schema of this database that is not in `keep`, with or without a row; → their names.

    One transaction each: dropping many at once runs out of locks. Safe to repeat.
    """
    _refuse_inside_a_tenant("sweep_ephemeral")
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, %s) ORDER BY 1", [EPHEMERAL_SCHEMA])
        schemas = [row[0] for row in cursor.fetchall() if is_ephemeral(row[0]) and row[0] not in keep]
    for schema in schemas:
        with transaction.atomic():
            Tenant.objects.filter(schema_name=schema).delete()
            _drop(schema)
    return schemas


def update_workflow_config(*, slug: str, changes: Mapping[str, Any]) -> WorkflowConfig:
    """Change some of a tenant's settings; None of the others move; → all of them as they are now.

    Raises UnknownTenant, and BadInput whose pointer names the setting at fault: then nothing is changed. Safe to
    repeat.
    """
    with transaction.atomic():
        tenant_row = find_tenant(slug)
        tenant = Tenant.objects.select_for_update().get(pk=tenant_row.pk)
        wanted = {**tenant.settings, **changes}
        config = WorkflowConfig.from_json(wanted)
        stored = config.changed()
        if "models" in wanted:  # a role nobody named stays unnamed: naming it would forbid the defaults after it
            stored["models"] = {role: config.as_json()["models"][role] for role in wanted["models"]}
        Tenant.objects.filter(pk=tenant.pk).update(settings=stored)
    log_event(EventType.SETTINGS_CHANGED, tenant=tenant_row.slug, settings=sorted(changes))
    return config


def suspend_tenant(*, slug: str, suspended: bool = True) -> None:
    """Close a tenant to pages and tasks, or open it again; its data stay. Safe to repeat. Raises UnknownTenant."""
    Tenant.objects.filter(pk=find_tenant(slug).pk).update(suspended=suspended)


def note_tick(*, name: str, now: datetime) -> None:
    """Say that this tick ended well. One statement on the public schema, from wherever it is said; safe to repeat."""
    Tick.objects.bulk_create(
        [Tick(name=name, succeeded_at=now)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["succeeded_at"],
    )


def _drop(schema: str) -> None:
    schema_for(schema)  # a tenant's, never `public`: the last line before a DROP
    with connection.cursor() as cursor:
        cursor.execute(f'DROP SCHEMA IF EXISTS "{schema_for(schema)}" CASCADE')

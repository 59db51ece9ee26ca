"""A schema that is behind the code is not ready: nothing may run in it while it is migrated, or after that failed."""

from typing import Any

from django.dispatch import receiver
from django_tenants.signals import schema_migrated, schema_pre_migration

from apps.core.events import EventType, log_event
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.models import Tenant
from apps.tenants.schema_template import migration_key


@receiver(schema_pre_migration)
def close_behind(sender: Any, schema_name: str, **_: Any) -> None:
    """A tenant whose migrations differ from the code's is closed until `open_again`; any other stays open."""
    if schema_name == PUBLIC:
        return
    Tenant.objects.filter(schema_name=schema_name).exclude(schema_key=migration_key()).update(ready=False)


@receiver(schema_migrated)
def open_again(sender: Any, schema_name: str, **_: Any) -> None:
    """Reached only where the migration ended well."""
    if schema_name == PUBLIC:
        return
    behind = Tenant.objects.filter(schema_name=schema_name).exclude(schema_key=migration_key(), ready=True)
    if behind.update(schema_key=migration_key(), ready=True):
        log_event(EventType.TENANT_MIGRATED, schema=schema_name)

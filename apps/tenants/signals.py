"""A schema that is behind the code is not ready: nothing may run in it while it is migrated, or after that failed.

And each tenant has its roles: they are made with its schema, and grow with the tables of an upgrade.
"""

from typing import Any

from django.apps import AppConfig, apps
from django.contrib.auth.management import create_permissions
from django.db.models.signals import post_migrate
from django.dispatch import receiver
from django_tenants.signals import schema_migrated, schema_pre_migration

from apps.core.events import EventType, log_event
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.domain.roles import Role, roles_with
from apps.tenants.models import Tenant
from apps.tenants.schema_template import migration_key


@receiver(schema_pre_migration)
def close_behind(sender: Any, schema_name: str, **_: Any) -> None:
    """Close a tenant whose migrations differ from the code's, until `open_again`."""
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


@receiver(post_migrate)
def make_roles(sender: AppConfig, **_: Any) -> None:
    """Give the roles their permissions, in a tenant's schema; the public one has no roles. Safe to repeat.

    Once, after the last app: asking app by app was half of an upgrade's time. What somebody took from a role comes back
    with the next upgrade: a group of one's own is left alone.
    """
    last = [config for config in apps.get_app_configs() if config.models_module is not None][-1]
    if current_schema() == PUBLIC or sender is not last:
        return
    create_permissions(sender, verbosity=0)  # Django's own receiver may come after this one
    from django.contrib.auth.models import Group, Permission  # noqa: PLC0415 - apps must be loaded first

    wanted_permissions = Permission.objects.select_related("content_type").order_by(
        "content_type__app_label", "content_type__model", "codename"
    )
    given: dict[Role, list[Permission]] = {role: [] for role in Role}
    for permission in wanted_permissions:
        verb, _underscore, model = permission.codename.partition("_")
        for role in roles_with(app=permission.content_type.app_label, verb=verb, model=model):
            given[role].append(permission)
    for role, permissions in given.items():
        if permissions:
            group, _made = Group.objects.get_or_create(name=role.value)
            group.permissions.add(*permissions)

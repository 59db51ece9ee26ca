"""The room's place in Django: every connection says who writes."""

from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


def _watch(connection: Any, **_: Any) -> None:
    from apps.audit.actor_context import with_actor  # noqa: PLC0415 - apps must be loaded first

    if with_actor not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, with_actor)  # first: `with execute_wrapper` takes its own off the end


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"

    def ready(self) -> None:
        from apps.audit.eraser import install_after_migrations, install_eraser  # noqa: PLC0415 - settings come first
        from apps.tenants.public_steps import register_public_step  # noqa: PLC0415 - same

        connection_created.connect(_watch, dispatch_uid="ratiba-audit")
        post_migrate.connect(install_after_migrations, dispatch_uid="ratiba-eraser")
        register_public_step("eraser", install_eraser)

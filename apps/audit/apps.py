"""The room's place in Django: every connection says who writes."""

from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created


def _watch(connection: Any, **_: Any) -> None:
    from apps.audit.actor_context import with_actor  # noqa: PLC0415 - apps must be loaded first

    if with_actor not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, with_actor)  # first: `with execute_wrapper` takes its own off the end


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"

    def ready(self) -> None:
        connection_created.connect(_watch, dispatch_uid="ratiba-audit")

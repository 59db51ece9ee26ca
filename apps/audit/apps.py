"""The room's place in Django: every connection says who writes."""

from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created


def _watch(connection: Any, **_: Any) -> None:
    from apps.audit.saying import say_who  # noqa: PLC0415 - apps must be loaded first

    if say_who not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, say_who)  # first: `with execute_wrapper` takes its own off the end


class AuditConfig(AppConfig):
    name = "apps.audit"
    label = "audit"

    def ready(self) -> None:
        connection_created.connect(_watch, dispatch_uid="ratiba-audit")

"""System checks of the tenancy: what would mix tenants is refused before anything starts."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

OLDEST_POSTGRES = 150000  # as libpq writes 15.0; nothing here needs more, and 15 and 18 were tried


@register()
def calls_are_not_saved(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse TENANT_LIMIT_SET_CALLS: it has skipped a needed `SET search_path`, to save 0.2 ms."""
    if getattr(settings, "TENANT_LIMIT_SET_CALLS", False):
        return [Error("TENANT_LIMIT_SET_CALLS must stay off.", id="tenants.E002")]
    return []


@register(Tags.database)
def postgres_is_new_enough(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Check the server's version, for `migrate`, `upgrade` and `check --database default`."""
    return [
        problem
        for alias in databases or ()
        for problem in check_version(getattr(connections[alias], "pg_version", OLDEST_POSTGRES))
    ]


def check_version(version: int) -> list[CheckMessage]:
    """The error for a server before Postgres 15; `version` as libpq gives it (150018 is 15.18)."""
    if version >= OLDEST_POSTGRES:
        return []
    return [
        Error(
            f"Postgres {version // 10000} is too old: use 15 to 18.",
            hint="DATABASE_URL names the server; unset, the embedded Postgres 18 is used.",
            id="tenants.E003",
        )
    ]

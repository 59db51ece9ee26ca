"""Errors about a tenant.

BadInput
├── UnknownTenant      no tenant of that name
├── TenantRequired     a task or a command was not told which tenant
└── OtherDatabase      another version of this code made the database, and it cannot be upgraded
    ├── OlderDatabase  it was made before migrations were written anew
    └── NewerDatabase  newer code has migrated it
Conflict
└── TenantUnavailable  there is one, but its schema is being migrated or it is suspended
OperationalError (Django's: whoever waits for a database that is away waits for this, too)
└── SessionsMixed      a pooler shares the server's sessions among its clients
"""

from django.db import OperationalError

from apps.core.errors import BadInput, Conflict, NotFound


class UnknownTenant(NotFound):
    """No tenant has this slug."""

    code = "unknown_tenant"


class TenantRequired(BadInput):
    """Work was given without saying for whom; it is never done in `public` instead."""

    code = "tenant_required"


class OtherDatabase(BadInput):
    """The database is not one that this code may upgrade."""


class OlderDatabase(OtherDatabase):
    """The database has migrations that this code does not know, and lacks those it begins with."""

    code = "older_database"


class NewerDatabase(OtherDatabase):
    """The database has migrations that came after this code."""

    code = "newer_database"


class TenantUnavailable(Conflict):
    """The tenant exists, but nothing may run in it now: it is suspended, or its schema is behind the code."""

    code = "tenant_unavailable"
    retryable = True


class SessionsMixed(OperationalError):
    """Error of a pooler between us and Postgres that would mix tenants. Its text says what to do."""

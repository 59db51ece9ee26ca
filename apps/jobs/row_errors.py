"""One bad row ends alone, with a sentence; its neighbours go on."""

from django.db import DatabaseError, DataError, IntegrityError, InterfaceError
from psycopg.errors import RaiseException

from apps.core.errors import RatibaError
from apps.tenants.errors import TenantUnavailable

BROKEN = "broken_row"
_CHARS = 500


def row_error(error: Exception) -> RatibaError:
    """The error as this row's own. It is raised again where it says nothing about the row: the database is away or is
    not what the program expects, or the tenant was suspended."""
    refused = isinstance(error.__cause__, RaiseException)  # by a trigger
    of_the_row = isinstance(error, DataError | IntegrityError) or refused
    if isinstance(error, InterfaceError | TenantUnavailable) or (isinstance(error, DatabaseError) and not of_the_row):
        raise error
    if isinstance(error, RatibaError):
        return error
    return RatibaError(f"What is stored for it cannot be used: {error!r}"[:_CHARS], code=BROKEN)

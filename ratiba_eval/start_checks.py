"""End a process that lasts before it serves anybody, where it must not start.

Commands end by themselves (command_line).
"""

import sys


def stop_where_sessions_mix() -> None:
    """End this process with exit code 2 and a sentence where a pooler would mix tenants (apps.tenants.session_probe).

    A database that is away ends nobody: it comes back, and the first connection is probed then. Leaves no connection
    open, so that processes may be forked. Outside any transaction.
    """
    from django.db import Error, connection  # noqa: PLC0415 - settings are not there when this module is imported

    from apps.tenants.errors import SessionsMixed  # noqa: PLC0415 - as above

    try:
        connection.ensure_connection()
    except SessionsMixed as error:
        print(f"ratiba: {error}", file=sys.stderr)
        sys.exit(2)
    except Error as error:
        print(f"ratiba: the database cannot be reached yet ({type(error).__name__})", file=sys.stderr)
    finally:
        connection.close()

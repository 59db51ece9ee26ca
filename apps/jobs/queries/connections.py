"""Count the connections that the database has left."""

from apps.tenants.connection import connection

# Of all clients of the server, whatever database they use: the limit is the server's.
_FREE = """
SELECT current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
  (SELECT sum(numbackends) FROM pg_stat_database)::integer
"""


def free_connections() -> tuple[int, int]:
    """Return how many connections could still be opened, and of how many. One query, some 0.3 ms."""
    with connection.cursor() as cursor:
        cursor.execute(_FREE)
        most, used = cursor.fetchone()
    return max(0, most - used), most

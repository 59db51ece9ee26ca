"""Schemas of one pytest process: made and dropped on one connection, which holds a lock for each of them.

The lock tells other sessions that the schema's owner lives. It belongs to the connection, so that it goes with the
process however that ends; a process id could be somebody else's by then.
"""

from typing import Any

from pytest_ratiba.environment.addresses import with_settings
from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.environment.naming import PREFIX, lock_number

MARK = "made by pytest-ratiba for one scenario"
_SETTINGS = {
    "search_path": "pg_catalog",
    "synchronous_commit": "off",  # a crash of the server loses test schemas: nobody misses them
    "client_min_messages": "warning",
    "idle_session_timeout": "0",
    "lock_timeout": "10000",
    "check_function_bodies": "off",
    "max_parallel_maintenance_workers": "0",
}


class SchemaOwner:
    """The connection that makes, watches and drops schemas. One per process; `close` gives every lock back."""

    def __init__(self, address: str) -> None:
        """Raises EvalEnvironmentError where the server does not answer."""
        import psycopg

        self.address = address
        url = with_settings(address, _SETTINGS, application_name="pytest-ratiba")
        try:
            self.connection: psycopg.Connection[Any] = psycopg.connect(url, autocommit=True)
        except psycopg.OperationalError as error:
            raise EvalEnvironmentError(f"the test database does not answer: {error}") from error

    def sweep(self) -> list[str]:
        """Drop what dead sessions left, and answer the names. Those of living sessions, and schemas that pytest-ratiba
        did not make, stay. One query, and two or three for each leftover."""
        found = self.connection.execute(
            "SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, %s) "
            "AND obj_description(oid, 'pg_namespace') = %s ORDER BY 1",
            [PREFIX, MARK],
        ).fetchall()
        return [schema for (schema,) in found if self._drop_if_dead(schema)]

    def _drop_if_dead(self, schema: str) -> bool:
        import psycopg

        number = lock_number(schema)
        row = self.connection.execute("SELECT pg_try_advisory_lock(%s)", [number]).fetchone()
        if not row or not row[0]:
            return False
        try:
            self._drop(schema)
        except psycopg.errors.InsufficientPrivilege:  # another role's: it sweeps its own
            return False
        finally:
            self.connection.execute("SELECT pg_advisory_unlock(%s)", [number])
        return True

    def create(self, schema: str, script: str = "") -> None:
        """Make the schema and run the script in it, all or nothing, in one round trip after that of the lock. Raises
        EvalEnvironmentError where the role may make none."""
        import psycopg

        self.connection.execute("SELECT pg_advisory_lock(%s)", [lock_number(schema)])
        try:
            # No parameters, so that the whole script goes as one simple query, which is one transaction.
            self.connection.execute(
                f"CREATE SCHEMA {schema};\nCOMMENT ON SCHEMA {schema} IS '{MARK}';\n{script}".encode()
            )
        except psycopg.errors.InsufficientPrivilege as error:
            self._unlock(schema)
            about = self.connection.info
            raise EvalEnvironmentError(
                f"the role {about.user!r} may not make what a scenario needs in the database {about.dbname!r} "
                f"({error.diag.message_primary}): GRANT CREATE ON DATABASE {about.dbname} TO {about.user}, or name a "
                "database of your own in RATIBA_TEST_DATABASE_URL"
            ) from error
        except BaseException:
            self._unlock(schema)
            raise

    def drop(self, schema: str) -> None:
        """Drop the schema with everything in it, and give its lock back. Safe to repeat."""
        try:
            self._drop(schema)
        finally:
            self._unlock(schema)

    def close(self) -> None:
        """Give the locks back. Safe to repeat."""
        self.connection.close()

    def _drop(self, schema: str) -> None:
        self.connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())

    def _unlock(self, schema: str) -> None:
        self.connection.execute("SELECT pg_advisory_unlock(%s)", [lock_number(schema)])

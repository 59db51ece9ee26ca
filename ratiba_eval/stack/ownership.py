"""The embedded server's role without special rights, its database, and the mend of folders in which a superuser had it.

All by psql: nothing here needs a driver. Done once for a data folder, which then holds a mark.
"""

import os
import subprocess
from pathlib import Path

from ratiba_eval.stack.binaries import pg_binary
from ratiba_eval.stack.places import StackError

_MARK = "database-has-owner"
# A session cannot rename the role it is; another one does, and is gone with the same transaction.
_RENAME = """
BEGIN;
CREATE ROLE zz_renaming SUPERUSER;
SET SESSION AUTHORIZATION zz_renaming;
ALTER ROLE :"role" RENAME TO :"superuser";
RESET SESSION AUTHORIZATION;
DROP ROLE zz_renaming;
COMMIT;
"""
_MAKE = """
SELECT format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', :'role')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \\gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'role')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \\gexec
ALTER DATABASE :"database" OWNER TO :"role";
"""
# REASSIGN OWNED refuses what the first superuser owns. A statement each, so that thousands of tables need few locks; a
# sequence of a table's column, an index and a table's row type follow their table.
_GIVE = """
SET search_path = '';
WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
  giver AS (SELECT oid FROM pg_roles WHERE rolname = :'superuser'),
  follows AS (SELECT objid FROM pg_depend WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass
    AND deptype IN ('a', 'i'))
SELECT format('ALTER %s %s OWNER TO %I', kind, name, :'role') FROM (
  SELECT 'SCHEMA' AS kind, quote_ident(nspname) AS name, nspowner AS owner FROM pg_namespace JOIN ours USING (oid)
  UNION ALL
  SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END,
    oid::regclass::text, relowner FROM pg_class
  WHERE relnamespace IN (TABLE ours) AND relkind IN ('r', 'p', 'S', 'v', 'm') AND oid NOT IN (TABLE follows)
  UNION ALL
  SELECT 'ROUTINE', oid::regprocedure::text, proowner FROM pg_proc WHERE pronamespace IN (TABLE ours)
  UNION ALL
  SELECT 'TYPE', oid::regtype::text, typowner FROM pg_type WHERE typnamespace IN (TABLE ours) AND typtype IN ('e', 'd')
) AS owned WHERE owner = (TABLE giver) \\gexec
"""


def clean_env() -> dict[str, str]:
    """Neither the caller's locale (perhaps not installed) nor its PG* variables reach the server."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC"}


def give_database(data: Path, *, socket: Path, superuser: str, role: str, database: str) -> None:
    """See that the role is there without special rights, and owns the database and all that stands in it.

    A look at a file where that was done; else 0.1 s, and some ms for each table that the superuser made. Safe to repeat
    after a kill. Raises StackError with what the server said.
    """
    if (data / _MARK).exists():
        return
    names = {"superuser": superuser, "role": role, "database": database}

    def said_by(user: str, script: str, *, where: str = "postgres") -> subprocess.CompletedProcess[str]:
        options = [f"--set={name}={value}" for name, value in {**names, "ON_ERROR_STOP": 1}.items()]
        return subprocess.run(
            [str(pg_binary("psql")), "-XqAt", "-h", str(socket), "-U", user, "-d", where, *options],
            input=script,
            env=clean_env(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    if said_by(superuser, "SELECT 1").returncode:
        _must(said_by(role, _RENAME))
    _must(said_by(superuser, _MAKE))
    _must(said_by(superuser, _GIVE, where=database))
    (data / _MARK).touch()


def _must(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise StackError(f"Postgres runs, but the database cannot be given to its role:\n{done.stdout}")

"""A migrated schema as one script that makes it again under another name, from what pg_dump wrote.

The script is the dump without its session settings: they would stay on the connection that runs it.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from pytest_ratiba.environment.embedded import programs
from pytest_ratiba.environment.errors import EvalEnvironmentError

PLACEHOLDER = "zz_ratiba_schema_zz"
_SETTING = re.compile(r"(?:SET \w+ = .*;|SELECT pg_catalog\.set_config\(.*\);|--.*|\\.*|)\n")


def dumped(address: str, schema: str, *, pg_dump: str | None = None) -> str:
    """What pg_dump writes about one schema, rows included. Raises EvalEnvironmentError: no pg_dump, or an older one."""
    program = pg_dump or _program()
    if program is None:
        raise EvalEnvironmentError("there is no pg_dump: install it, or pytest-ratiba[postgres], or set pg_dump:")
    options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=1000", f"--dbname={address}"]
    done = subprocess.run([program, "-n", schema, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        raise EvalEnvironmentError(f"pg_dump failed (it must be as new as the server): {done.stderr.strip()[-400:]}")
    return done.stdout


def _program() -> str | None:
    own = programs()
    if own is not None and os.access(own / "pg_dump", os.X_OK):
        return str(own / "pg_dump")
    found = shutil.which("pg_dump")
    return str(Path(found)) if found else None


def script_of(dump: str, schema: str) -> str:
    """The dump's statements, with a placeholder for the schema's name. Its settings before CREATE SCHEMA are left out.

    Raises EvalEnvironmentError where the dump has no CREATE SCHEMA.
    """
    head, found, body = dump.partition(f"CREATE SCHEMA {schema};\n")
    if not found or not all(_SETTING.fullmatch(line) for line in head.splitlines(keepends=True)):
        raise EvalEnvironmentError(f"pg_dump wrote something unexpected before CREATE SCHEMA {schema}: {head[-300:]!r}")
    body, _, _ = body.rpartition("--\n-- PostgreSQL database dump complete\n")
    return body.replace(schema, PLACEHOLDER)


def script_for(script: str, schema: str) -> str:
    """The script that fills this schema, which must exist and be empty."""
    return script.replace(PLACEHOLDER, schema)

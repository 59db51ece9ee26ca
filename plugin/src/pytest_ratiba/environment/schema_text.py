"""A migrated schema as one script that makes it again under another name, from what pg_dump wrote.

The script is the dump without its session settings: they would stay on the connection that runs it.
"""

import os
import shutil
import subprocess
from pathlib import Path

from pytest_ratiba.environment.embedded import programs
from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.portable.schema_script import script_of

PLACEHOLDER = "zz_ratiba_schema_zz"


def dumped(address: str, schema: str, *, pg_dump: str | None = None) -> str:
    """Return the script that pg_dump writes for one schema, rows included.
    Raises EvalEnvironmentError where there is no pg_dump, or it is older than the server."""
    program = pg_dump or _program()
    if program is None:
        raise EvalEnvironmentError("there is no pg_dump: install it, or pytest-ratiba[postgres], or set pg_dump:")
    options = ["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=1000", f"--dbname={address}"]
    try:
        done = subprocess.run([program, "-n", schema, *options], capture_output=True, text=True, check=False)
    except OSError as error:
        raise EvalEnvironmentError(f"pg_dump does not start: {error}") from error
    if done.returncode:
        raise EvalEnvironmentError(f"pg_dump failed (it must be as new as the server): {done.stderr.strip()[-400:]}")
    return done.stdout


def _program() -> str | None:
    own = programs()
    if own is not None and os.access(own / "pg_dump", os.X_OK):
        return str(own / "pg_dump")
    found = shutil.which("pg_dump")
    return str(Path(found)) if found else None


def placeholder_script(dump: str, schema: str) -> str:
    """The dump's statements in cheaper steps, with a placeholder for the schema's name."""
    return script_of(dump, with_schema=False).replace(schema, PLACEHOLDER)


def script_for(script: str, schema: str) -> str:
    """The script that fills this schema, which must exist and be empty."""
    return script.replace(PLACEHOLDER, schema)

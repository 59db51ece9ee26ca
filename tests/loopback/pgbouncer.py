"""A real PgBouncer before the server that these tests use. Debian: `apt-get install pgbouncer`."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from ratiba_eval import local_stack

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")
needs_pgbouncer = pytest.mark.skipif(PGBOUNCER is None, reason="PgBouncer is not installed (apt-get install pgbouncer)")


@contextmanager
def pgbouncer(**settings: str | int) -> Iterator[Path]:
    """The folder of its socket (port 6432), with these settings of pgbouncer.ini."""
    assert PGBOUNCER is not None
    server = connection.get_connection_params()
    address = " ".join(f"{name}={server[name]}" for name in ("host", "port", "user", "password") if server.get(name))
    folder = Path(tempfile.mkdtemp(prefix="pb-", dir="/tmp"))
    folder.chmod(0o777)  # it runs as another user than we do, when we are root
    lines = {"unix_socket_dir": folder, "listen_addr": "", "auth_type": "any", **settings}
    config = folder / "pgbouncer.ini"
    config.write_text(
        f"[databases]\n* = {address}\n[pgbouncer]\n" + "".join(f"{name} = {one}\n" for name, one in lines.items())
    )
    argv = [*local_stack.postgres().account.prefix, PGBOUNCER, "-q", str(config)]  # root is refused
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _wait(folder, process)
        yield folder
    finally:
        process.terminate()
        process.communicate(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 20
    while not (folder / ".s.PGSQL.6432").exists():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            pytest.fail(f"PgBouncer did not start: {process.communicate()[1].decode()}")
        time.sleep(0.02)


def connect(folder: Path) -> "psycopg.Connection[tuple[object, ...]]":
    """A client of it, in autocommit, in the database of this process."""
    name, user = connection.settings_dict["NAME"], connection.settings_dict["USER"]
    found = psycopg.connect(host=str(folder), port=6432, dbname=str(name), user=str(user), autocommit=True)
    found.prepare_threshold = None
    return found

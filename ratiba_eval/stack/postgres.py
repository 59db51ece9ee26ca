"""Starts and stops the embedded Postgres. The server is a daemon that any number of processes share by its socket.

What uses it does so as a role without special rights, which owns its database: as documented for a server of one's own.
"""

import os
import shutil
import signal
import subprocess
import time
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from ratiba_eval.stack import account, ownership, sockets
from ratiba_eval.stack.ownership import clean_env
from ratiba_eval.stack.places import StackError, locked, make_private, socket_dir
from ratiba_eval.stack.spreading import spread_folders_in

SUPERUSER = "postgres"  # for making and dropping databases; folders of before had one named like the role
ROLE = "ratiba"
DATABASE = "ratiba"
SOCKET_NAME = ".s.PGSQL.5432"
START_TRIES = 50  # 10 s: after kill -9 the orphaned backends of the old server need a moment to leave

CONF = {
    "listen_addresses": "",
    "max_connections": "200",
    "max_locks_per_transaction": "256",  # dropping one tenant takes locks on some 240 relations
    "shared_buffers": "128MB",
    # A commit that was answered is kept: 4,900 per second here, enough. Tests switch it off for their own databases.
    "synchronous_commit": "on",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class Postgres:
    """The embedded Postgres of one state folder."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.sockets = socket_dir(state)
        self.socket = self.sockets / SOCKET_NAME

    @property
    def url(self) -> str:
        """Address for DATABASE_URL; the socket's folder is the `host` parameter, as libpq wants it. Starts nothing."""
        return self._address(ROLE, DATABASE)

    @property
    def superuser_url(self) -> str:
        """Address of the server's own database for its superuser, who makes and drops databases. Starts nothing."""
        return self._address(SUPERUSER, "postgres")

    def _address(self, role: str, database: str) -> str:
        return f"postgresql://{role}@/{database}?host={quote(str(self.sockets), safe='')}"

    @cached_property
    def account(self) -> account.OsAccount:
        """The account that runs the server, and the place of its data."""
        return account.choose(self.state)

    @property
    def log(self) -> Path:
        """The server's own log."""
        return self.account.data / "server.log"

    def pid(self) -> int | None:
        """The process that answers on the socket."""
        return sockets.owner_pid(self.socket)

    def running(self) -> bool:
        """Tell whether the server accepts connections."""
        return sockets.answers(self.socket)

    def start(self) -> None:
        """Make the cluster where there is none, and start it where it is not running; about 0.7 s and 0.1 s.

        Adopts a server that answers on our socket and serves our data. Raises StackError with the end of the log.
        Safe to repeat, and from any number of processes at once.
        """
        with locked(self.state, "postgres"):
            if not (self.running() and (self.account.data / "postmaster.pid").exists()):
                self._clear_remains()
                self._initialise()
                self._configure()
                self._launch()
            ownership.give_database(
                self.account.data, socket=self.sockets, superuser=SUPERUSER, role=ROLE, database=DATABASE
            )

    def stop(self, *, mode: str = "fast") -> None:
        """Stop it (modes of pg_ctl) and wait; what does not end within 30 s is killed. Safe to repeat."""
        with locked(self.state, "postgres"):
            pid = self._pid_of_our_data() or self.pid()
            if pid is None:
                return
            if mode != "immediate":
                self._run("pg_ctl", "-D", str(self.account.data), "-m", mode, "-w", "-t", "30", "-s", "stop")
            if sockets.alive(pid):
                sockets.end(pid, gently=signal.SIGQUIT, patience_s=10)
            self.socket.unlink(missing_ok=True)

    # -- parts of start -----------------------------------------------------------------------------------------------

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        who = self.account
        return subprocess.run(
            [*who.prefix, str(who.bin / program), *arguments],
            env=clean_env(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            start_new_session=True,  # Ctrl-C at the terminal is for us, not for the server
            **who.popen,
        )

    def _pid_of_our_data(self) -> int | None:
        """The postmaster of our data folder: the pid of its lock file, if that process really sits in that folder."""
        try:
            pid = int((self.account.data / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None
        if not sockets.alive(pid):
            return None
        try:
            return pid if Path(os.readlink(f"/proc/{pid}/cwd")) == self.account.data.resolve() else None
        except OSError:
            return pid if not Path("/proc/self").exists() else None  # no /proc (macOS): believe the file

    def _clear_remains(self) -> None:
        """End what answers no more or serves data that are gone, and remove a lock file whose process is dead."""
        owner = self.pid()
        if owner is not None:
            sockets.end(owner, gently=signal.SIGQUIT, patience_s=5)
        pid = self._pid_of_our_data()
        if pid is not None:
            if self._answers_within(10):  # somebody's start was interrupted half way
                return
            sockets.end(pid, gently=signal.SIGQUIT, patience_s=5)
        # A reused pid would make Postgres refuse to start for ever: the file is stale when its process is not ours.
        (self.account.data / "postmaster.pid").unlink(missing_ok=True)
        self.socket.unlink(missing_ok=True)
        self.socket.with_name(SOCKET_NAME + ".lock").unlink(missing_ok=True)

    def _answers_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.running():
                return True
            time.sleep(0.1)
        return False

    def _initialise(self) -> None:
        data = self.account.data
        if (data / "ratiba.conf").exists() and (data / "PG_VERSION").exists():
            self._check_version()
            return
        if data.exists():
            shutil.rmtree(data)  # an initdb that was interrupted
        data.mkdir(mode=0o700, parents=True)
        self.account.give(data)
        provider = ["--locale-provider=builtin", "--locale=C.UTF-8"]
        options = ["-D", str(data), "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-sync", "--no-instructions"]
        made = self._run("initdb", *options, *provider)
        if made.returncode and "locale-provider" in made.stdout:  # Postgres 15 and 16 have no builtin provider
            made = self._run("initdb", *options, "--locale=C.UTF-8")
        if made.returncode:
            raise StackError(f"initdb failed:\n{made.stdout}")
        spread_folders_in(data / "base")
        with open(data / "postgresql.conf", "a") as handle:
            handle.write("\ninclude 'ratiba.conf'\n")

    def _check_version(self) -> None:
        data = self.account.data
        have = (data / "PG_VERSION").read_text().strip()
        shown = self._run("postgres", "--version").stdout.split()
        want = next((word for word in shown if word[:1].isdigit()), have).split(".")[0]
        if have != want:
            raise StackError(
                f"{data} was made by Postgres {have}, this is Postgres {want}: run `make clean` (removes the data), "
                "or dump it with the old version and set DATABASE_URL"
            )

    def _configure(self) -> None:
        """Written at every start: a checkout that was moved or copied must not use the old one's socket."""
        data = self.account.data
        make_private(self.sockets)
        where = self.sockets
        if self.account.uid is not None:  # `nobody` cannot write into our folder: its own, and a link from ours
            where = data / "sockets"
            where.mkdir(mode=0o755, exist_ok=True)
            self.account.give(where)
            where = self._short(where)
        listed = '"' + str(where).replace('"', '""') + '"'
        lines = [f"{name} = {_quoted(value)}" for name, value in CONF.items()]
        lines.append(f"unix_socket_directories = {_quoted(listed)}")
        (data / "ratiba.conf").write_text("\n".join(lines) + "\n")
        if where != self.sockets:
            self.socket.symlink_to(where / SOCKET_NAME)

    def _short(self, folder: Path) -> Path:
        """The folder itself, or one in /tmp when its path is too long for a socket."""
        short = socket_dir(folder)
        if short == folder / "run":
            return folder
        short.mkdir(mode=0o700, exist_ok=True)
        self.account.give(short)
        return short

    def _launch(self) -> None:
        data = self.account.data
        for _ in range(START_TRIES):
            done = self._run("pg_ctl", "-D", str(data), "-w", "-t", "60", "-s", "-l", str(self.log), "start")
            if done.returncode == 0 and self.running():
                return
            time.sleep(0.2)
        tail = self.log.read_text(errors="replace")[-3000:] if self.log.exists() else done.stdout
        raise StackError(f"Postgres does not start; the end of {self.log}:\n{tail}")

"""Starts and stops the embedded broker. A restart loses nothing (append-only file), and nothing depends on that."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

from ratiba_eval.stack import sockets
from ratiba_eval.stack.binaries import broker_binary
from ratiba_eval.stack.places import StackError, locked, make_private, socket_dir

SOCKET_NAME = "valkey.sock"
START_LIMIT_S = 60.0  # reading its file is most of it: a gigabyte takes some ten seconds


def _quoted(value: Path | str) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


class Valkey:
    """The embedded broker of one state folder."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.data = state / "valkey"
        self.log = self.data / "server.log"
        self.sockets = socket_dir(state)
        self.socket = self.sockets / SOCKET_NAME

    @property
    def url(self) -> str:
        """Address for REDIS_URL, in Celery's form; the path is percent-encoded. Starts nothing."""
        return f"redis+socket://{quote(str(self.socket))}?virtual_host=0"

    def pid(self) -> int | None:
        """The process that answers on the socket."""
        return sockets.owner_pid(self.socket)

    def running(self) -> bool:
        """Tell whether the server serves.

        It accepts connections before it has read its file, and may still give up over that.
        """
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1.0)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def start(self) -> None:
        """Start it where it is not running, about 40 ms; adopt it where it is. Raises StackError. Safe to repeat."""
        with locked(self.state, "valkey"):
            if self.running() and self.data.exists():
                return
            self._end()
            if self._launch():
                return
            # Its file may be damaged beyond what it repairs itself. Rows owe work, the broker only carries knocks:
            # set the file aside and go on.
            self.data.rename(self.data.with_name(f"valkey-damaged-{os.getpid()}-{time.time_ns()}"))
            if not self._launch():
                tail = self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""
                raise StackError(f"Valkey does not start; the end of {self.log}:\n{tail}")

    def stop(self) -> None:
        """Stop it and wait. Safe to repeat."""
        with locked(self.state, "valkey"):
            self._end()

    def _end(self) -> None:
        pid = self.pid() or self._pid_from_file()
        if pid is not None:
            sockets.end(pid, gently=signal.SIGTERM, patience_s=10)
        self.socket.unlink(missing_ok=True)

    def _pid_from_file(self) -> int | None:
        """The broker whose socket is gone: the pid it wrote, if that process really sits in our folder."""
        try:
            pid = int((self.data / "valkey.pid").read_text())
            at_home = Path(os.readlink(f"/proc/{pid}/cwd")) == self.data.resolve()
        except (OSError, ValueError):
            return None
        return pid if at_home and sockets.alive(pid) else None

    def _configuration(self) -> str:
        lines = {
            "port": "0",
            "unixsocket": _quoted(self.socket),
            "unixsocketperm": "700",
            "dir": _quoted(self.data),
            "pidfile": _quoted(self.data / "valkey.pid"),
            "logfile": _quoted(self.log),
            "daemonize": "yes",
            "save": '""',
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",  # a broker that forgets messages is worse than one that refuses them
        }
        return "".join(f"{name} {value}\n" for name, value in lines.items())

    def _launch(self) -> bool:
        make_private(self.sockets)
        make_private(self.data)
        conf = self.data / "valkey.conf"
        conf.write_text(self._configuration())
        pid_file = self.data / "valkey.pid"
        pid_file.unlink(missing_ok=True)
        subprocess.run(
            [str(broker_binary()), str(conf)],
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC"},
            cwd=self.data,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            start_new_session=True,
        )
        deadline = time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline:
            if self.running():
                return True
            if pid_file.exists() and pid_file.read_text().endswith("\n") and self._pid_from_file() is None:
                return False  # it got as far as writing its pid, and is gone
            time.sleep(0.01)
        return False

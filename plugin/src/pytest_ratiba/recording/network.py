"""While a recording plays, this process reaches loopback and what is allowed, and nothing else.

Connections are refused and names are not looked up, so that servers still start and Postgres (whose driver does not go
through Python's sockets) still answers. What another process does, the endpoint and an unset key have to prevent.
"""

import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from pytest_ratiba.recording.capture import bypassed
from pytest_ratiba.recording.local_models import is_loopback
from pytest_ratiba.recording.recorder import Recorder
from pytest_ratiba.recording.scenario import RecordingMiss, ScenarioRecording


class NetworkBlocked(ConnectionRefusedError):
    """A connection past the recording, by a client that is not httpx."""


@contextmanager
def block_network(recorder: Recorder) -> Iterator[None]:
    """Patches `connect`, `connect_ex`, `sendto` and `getaddrinfo` of Python's sockets; undone at the end."""
    guard = _Guard(recorder)
    connect, connect_ex, getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo
    sendto = socket.socket.sendto

    def guarded_connect(self: socket.socket, address: Any) -> None:
        guard.check_address(self, address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        guard.check_address(self, address)
        return connect_ex(self, address)

    def guarded_sendto(self: socket.socket, *words: Any) -> int:
        guard.check_address(self, words[-1])
        return sendto(self, *words)

    def guarded_getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        guard.check(host.decode() if isinstance(host, bytes) else host, port)
        return getaddrinfo(host, port, *args, **kwargs)

    socket.socket.connect = guarded_connect  # type: ignore[method-assign,assignment]
    socket.socket.connect_ex = guarded_connect_ex  # type: ignore[method-assign,assignment]
    socket.socket.sendto = guarded_sendto  # type: ignore[method-assign,assignment]
    socket.getaddrinfo = guarded_getaddrinfo
    try:
        yield
    finally:
        socket.socket.connect = connect  # type: ignore[method-assign]
        socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]
        socket.socket.sendto = sendto  # type: ignore[method-assign]
        socket.getaddrinfo = getaddrinfo


class _Guard:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        database = urlsplit(os.environ.get("RATIBA_TEST_DATABASE_URL", ""))
        self._database = (database.hostname, database.port or 5432)
        self._looked_up: set[str] = set()

    def check_address(self, connection: socket.socket, address: Any) -> None:
        internet = connection.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple)
        if internet and str(address[0]) not in self._looked_up:
            self.check(address[0], address[1])

    def check(self, host: Any, port: Any) -> None:
        """Raises NetworkBlocked where a playing conversation may not go there."""
        if bypassed() or host is None or self._allowed(str(host), port):
            return
        playing = self._playing()
        if playing is None:
            return
        problem = (
            f"scenario {playing.scenario_id!r} plays its recording and something wanted {host}:{port} past it.\n"
            "Clients other than httpx are recorded through the endpoint (RATIBA_RECORDING_URL), or the host is stubbed "
            "(`recordings.stubs`) or allowed (`recordings.allow`)."
        )
        playing.blocked(problem)
        raise NetworkBlocked(problem)

    def _allowed(self, host: str, port: Any) -> bool:
        number = int(port) if str(port).isdigit() else None
        named = (host, number) == self._database or self._recorder.lets_through(host, number)
        if named and not is_loopback(host):
            self._remember(host)
        if named:
            return True
        try:
            return ipaddress.ip_address(host.partition("%")[0]).is_loopback
        except ValueError:
            return False

    def _remember(self, host: str) -> None:
        """An allowed name is connected to by its numbers."""
        try:
            ipaddress.ip_address(host)
        except ValueError:
            with suppress(OSError):
                self._looked_up.update(socket.gethostbyname_ex(host)[2])

    def _playing(self) -> ScenarioRecording | None:
        try:
            current = self._recorder.current()
        except RecordingMiss:
            current = self._recorder.any_playing()
        return current if current is not None and not current.recording else None

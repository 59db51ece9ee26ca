"""While a recording plays, this process reaches loopback and what is allowed, and nothing else. While one is made, it
reaches a model's host by clients that are recorded, and by no other.

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
        found = getaddrinfo(host, port, *args, **kwargs)
        guard.note_upstream(host, found)
        return found

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
        hosts = {urlsplit(url).hostname or "" for url in recorder.settings.upstreams.values()}
        self._upstreams = {host: host for host in hosts if host and not is_loopback(host)}  # by name and by number

    def note_upstream(self, host: Any, found: Any) -> None:
        """An upstream is connected to by its numbers, too."""
        name = self._upstreams.get(host.decode() if isinstance(host, bytes) else str(host))
        if name is not None:
            self._upstreams.update({str(row[4][0]): name for row in found})

    def check_address(self, connection: socket.socket, address: Any) -> None:
        internet = connection.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple)
        if internet and str(address[0]) in self._upstreams:
            self._refuse_unrecorded(self._upstreams[str(address[0])], address[1])
        if internet and str(address[0]) not in self._looked_up:
            self.check(address[0], address[1])

    def check(self, host: Any, port: Any) -> None:
        """Raises NetworkBlocked where a playing conversation may not go there."""
        if bypassed() or host is None or self._allowed(str(host), port):
            return
        playing = self._concerned()
        if playing is None or playing.recording:
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

    def _refuse_unrecorded(self, host: str, port: int) -> None:
        """Raises NetworkBlocked where a conversation is being recorded: it would lack what is asked here."""
        recording = None if bypassed() or self._recorder.lets_through(host, port) else self._concerned()
        if recording is None or not recording.recording:
            return
        problem = (
            f"scenario {recording.scenario_id!r} is recorded and something asked {host}:{port} by a client that "
            "recordings do not see.\nhttpx is recorded. Any other client (aiohttp, requests over TLS) takes a base "
            "URL, llm_recording.base_url(name); a host that tests shall ask each time stands in `recordings.allow`."
        )
        recording.blocked(problem)
        raise NetworkBlocked(problem)

    def _concerned(self) -> ScenarioRecording | None:
        try:
            return self._recorder.current()
        except RecordingMiss:
            return self._recorder.any_playing()

"""Clients on Python's `http.client` (urllib, requests, urllib3) that ask a model on this machine are recorded as well.

Their connection goes to the recorder's endpoint instead, which plays, or passes on and records. It knows the whole
request, so a call that only has the path of a model's is passed on as it is.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from pytest_ratiba.recording.capture import bypassed
from pytest_ratiba.recording.local_models import LOCAL_PREFIX, is_loopback, is_model_path
from pytest_ratiba.recording.network import NetworkBlocked
from pytest_ratiba.recording.recorder import Recorder
from pytest_ratiba.recording.scenario import RecordingMiss, ScenarioRecording

CONVERSATION_HEADER = "x-ratiba-conversation"


@contextmanager
def catch_standard_client(recorder: Recorder) -> Iterator[None]:
    """Patches `HTTPConnection.putrequest`; undone at the end."""
    original = HTTPConnection.putrequest
    redirected: WeakKeyDictionary[HTTPConnection, socket.socket] = WeakKeyDictionary()  # its way to the endpoint

    def putrequest(self: HTTPConnection, method: str, url: str, *words: Any, **options: Any) -> None:
        target = None if bypassed() else _target(recorder, self, method, url)
        if target is None:
            earlier = redirected.pop(self, None)
            if earlier is not None and earlier is self.sock:
                earlier.close()
                self.sock = None  # the next bytes connect where they are meant to go
            original(self, method, url, *words, **options)
            return
        recording, path = target
        if self.sock is None or redirected.get(self) is not self.sock:
            redirected[self] = _reconnected(self, recorder.start_endpoint())
        original(self, method, path, *words, **options)
        if recording is not None and recording.conversation:
            self.putheader(CONVERSATION_HEADER, recording.conversation)

    HTTPConnection.putrequest = putrequest  # type: ignore[method-assign]
    try:
        yield
    finally:
        HTTPConnection.putrequest = original  # type: ignore[method-assign]


def _target(
    recorder: Recorder, connection: HTTPConnection, method: str, url: str
) -> tuple[ScenarioRecording | None, str] | None:
    """The conversation of a call and its path at the endpoint; None for a call that goes its own way. Raises
    NetworkBlocked for a model behind TLS, whose connection cannot be led elsewhere."""
    absolute = urlsplit(url) if "://" in url else None
    host, port = (absolute.hostname, absolute.port) if absolute else (connection.host, connection.port)
    path = url.partition("?")[0] if absolute is None else absolute.path
    if not host or not is_loopback(host) or not is_model_path(method, path) or recorder.is_named(host, port):
        return None
    try:
        recording = recorder.current()
    except RecordingMiss:
        recording, prefix = None, ""  # the endpoint answers it with the same words
    else:
        if recording is None:
            return None
        prefix = f"/scenario/{quote(recording.scenario_id, safe='')}"
    if isinstance(connection, HTTPSConnection):
        problem = recorder.unseen(recording, place=f"{host}:{port}", path=path)
        raise NetworkBlocked(problem)
    rest = url if absolute is None else url[url.index(absolute.netloc) + len(absolute.netloc) :]
    return recording, f"{prefix}/{LOCAL_PREFIX}/{host}:{port or 80}{rest}"


def _reconnected(connection: HTTPConnection, endpoint: str) -> socket.socket:
    parts = urlsplit(endpoint)
    way = socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 80))
    if connection.timeout is None or isinstance(connection.timeout, int | float):
        way.settimeout(connection.timeout)
    if connection.sock is not None:
        connection.sock.close()
    connection.sock = way
    return way

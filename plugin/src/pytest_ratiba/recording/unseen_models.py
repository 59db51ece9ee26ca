"""A model on this machine is asked through clients that recordings see, or not at all.

Clients on sockets of Python's own (aiohttp, and what is written by hand) are recognised by the first bytes they send.
"""

import socket
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from pytest_ratiba.recording.capture import bypassed
from pytest_ratiba.recording.local_models import is_loopback, names_model, path_of_bytes
from pytest_ratiba.recording.network import NetworkBlocked
from pytest_ratiba.recording.recorder import Recorder
from pytest_ratiba.recording.scenario import RecordingMiss


@contextmanager
def refuse_unseen_models(recorder: Recorder) -> Iterator[None]:
    """Patches `send`, `sendall` and `sendmsg` of Python's sockets; undone at the end."""
    watch = _Watch(recorder)
    send, sendall, sendmsg = socket.socket.send, socket.socket.sendall, socket.socket.sendmsg

    def watched_send(self: socket.socket, sent: Any, *words: Any) -> int:
        watch.check(self, sent)
        return send(self, sent, *words)

    def watched_sendall(self: socket.socket, sent: Any, *words: Any) -> None:
        watch.check(self, sent)
        sendall(self, sent, *words)

    def watched_sendmsg(self: socket.socket, buffers: Any, *words: Any) -> int:
        buffers = list(buffers)
        watch.check(self, b"".join(bytes(buffer) for buffer in buffers[:4]))
        return sendmsg(self, buffers, *words)

    socket.socket.send, socket.socket.sendall = watched_send, watched_sendall  # type: ignore[method-assign,assignment]
    socket.socket.sendmsg = watched_sendmsg  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        socket.socket.send, socket.socket.sendall = send, sendall  # type: ignore[method-assign]
        socket.socket.sendmsg = sendmsg  # type: ignore[method-assign]


class _Watch:
    """Refuses what asks a model on this machine through a client that recordings do not see; it would be asked live."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._begun: weakref.WeakKeyDictionary[socket.socket, str] = weakref.WeakKeyDictionary()  # path without a body

    def check(self, connection: socket.socket, sent: Any) -> None:
        """Raises NetworkBlocked. Costs nothing to speak of where the bytes are no HTTP POST."""
        begun = self._begun.pop(connection, "")
        if not begun and bytes(memoryview(sent)[:5]) != b"POST ":
            return
        sent = bytes(sent)
        path = begun or path_of_bytes(sent)
        place = self._local_place(connection) if path and not bypassed() else None
        if place is None:
            return
        if names_model(path, sent):
            self._found(*place, path)
        elif sent.endswith(b"\r\n\r\n"):
            self._begun[connection] = path

    def _local_place(self, connection: socket.socket) -> tuple[str, int] | None:
        try:
            peer = connection.getpeername()
        except OSError:
            return None
        internet = connection.family in (socket.AF_INET, socket.AF_INET6)
        return (peer[0], peer[1]) if internet and is_loopback(peer[0].removeprefix("::ffff:")) else None

    def _found(self, host: str, port: int, path: str) -> None:
        if urlsplit(self._recorder.endpoint_url).port == port:
            return
        if self._recorder.is_named(host, port):
            self._recorder.note_live()
            return
        try:
            current = self._recorder.current()
        except RecordingMiss:
            current = None
        raise NetworkBlocked(self._recorder.unseen(current, place=f"{host}:{port}", path=path))

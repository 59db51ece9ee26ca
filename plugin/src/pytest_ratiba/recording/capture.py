"""Catches the Python clients of a process that go through httpx (also as httpx2): no base URL has to be changed.

Only while a recording is open, and only what it is about: loopback (but for models there) and the Ratiba server are let
through.
"""

import importlib
import importlib.util
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pytest_ratiba.recording.exchange import WireReply
from pytest_ratiba.recording.miss_replies import miss_reply
from pytest_ratiba.recording.recorder import Recorder
from pytest_ratiba.recording.scenario import Pending, RecordingMiss, ScenarioRecording

MODULES = ("httpx", "httpx2")
HOP_HEADERS = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "content-length",
        "content-encoding",
    )
)  # of one connection, not of the reply
_BYPASS: ContextVar[bool] = ContextVar("ratiba_recording_bypass", default=False)


@contextmanager
def bypass() -> Iterator[None]:
    """Let all calls of this task through, neither caught nor blocked, while the block runs.
    The endpoint uses this for its own way to a provider."""
    token = _BYPASS.set(True)
    try:
        yield
    finally:
        _BYPASS.reset(token)


def bypassed() -> bool:
    """Whether this task's calls are let through."""
    return _BYPASS.get()


@contextmanager
def catch_clients(recorder: Recorder) -> Iterator[None]:
    """Patches the transports of the httpx modules that are installed; undone at the end."""
    undo: list[tuple[Any, str, Any]] = []
    try:
        for name in MODULES:
            if importlib.util.find_spec(name) is None:
                continue
            module = importlib.import_module(name)
            catcher = _Catcher(module, recorder)
            for owner, method, make in (
                (module.HTTPTransport, "handle_request", catcher.sync),
                (module.AsyncHTTPTransport, "handle_async_request", catcher.asynchronous),
            ):
                original = getattr(owner, method)
                undo.append((owner, method, original))
                setattr(owner, method, make(original))
        yield
    finally:
        for owner, method, original in reversed(undo):
            setattr(owner, method, original)


class _Catcher:
    """The two ways a transport sends, for one module (httpx and httpx2 have classes of their own)."""

    def __init__(self, module: Any, recorder: Recorder) -> None:
        self._module, self._recorder = module, recorder

    def sync(self, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """`HTTPTransport.handle_request`, with recordings in between."""

        def handle_request(transport: Any, request: Any) -> Any:
            if bypassed():
                return original(transport, request)
            request.read()
            taken = self._take(request)
            if taken is None:
                with bypass():
                    return original(transport, request)
            if taken[1] is None:
                return self._response(taken[0], request)
            outcome, recording = taken
            started = time.perf_counter()
            try:
                with bypass():
                    response = original(transport, request)
            except Exception as error:
                recording.failed(outcome, f"could not be sent: {error}")
                raise
            noted = _Noted(recording, outcome, response, started)
            if noted.encoded:
                response = self._decoded(response, response.read())
            return self._passed(response, _sync_stream(self._module, response.stream, noted))

        return handle_request

    def asynchronous(self, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """`AsyncHTTPTransport.handle_async_request`, with recordings in between."""

        async def handle_async_request(transport: Any, request: Any) -> Any:
            if bypassed():
                return await original(transport, request)
            await request.aread()
            taken = self._take(request)
            if taken is None:
                with bypass():
                    return await original(transport, request)
            if taken[1] is None:
                return self._response(taken[0], request)
            outcome, recording = taken
            started = time.perf_counter()
            try:
                with bypass():
                    response = await original(transport, request)
            except Exception as error:
                recording.failed(outcome, f"could not be sent: {error}")
                raise
            noted = _Noted(recording, outcome, response, started)
            if noted.encoded:
                response = self._decoded(response, await response.aread())
            return self._passed(response, _async_stream(self._module, response.stream, noted))

        return handle_async_request

    def _take(self, request: Any) -> tuple[WireReply, None] | tuple[Pending, ScenarioRecording] | None:
        """The conversation of a call and what is to be done with it; None for a call that is let through."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        raw = self._recorder.request_of(
            method=request.method, url=str(request.url), headers=headers, body=request.content
        )
        if raw is None:
            return None
        try:
            recording = self._recorder.current()
            if recording is None:
                return None
            outcome = recording.begin(raw)
        except RecordingMiss as miss:
            return miss_reply(raw, str(miss)), None
        if isinstance(outcome, WireReply):
            return outcome, None
        request.headers["accept-encoding"] = "identity"
        return outcome, recording

    def _response(self, reply: WireReply, request: Any) -> Any:
        return self._module.Response(
            reply.status,
            headers=dict(reply.headers),
            stream=_played_stream(self._module, reply.chunks),
            request=request,
        )

    def _decoded(self, response: Any, body: bytes) -> Any:
        """A reply that came encoded although it was asked for plain: read whole."""
        return self._passed(response, _played_stream(self._module, (body,)))

    def _passed(self, response: Any, stream: Any) -> Any:
        headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in HOP_HEADERS]
        return self._module.Response(
            response.status_code, headers=headers, stream=stream, extensions=response.extensions
        )


class _Noted:
    """Collects the chunks of a reply while the client reads it."""

    def __init__(self, recording: ScenarioRecording, pending: Pending, response: Any, started: float) -> None:
        self._recording, self._pending, self._started = recording, pending, started
        self._status = response.status_code
        self._headers = {name.lower(): value for name, value in response.headers.items()}
        self.encoded = self._headers.get("content-encoding", "identity") != "identity"
        self._chunks: list[bytes] = []
        self._offsets: list[int] = []
        self._ended = False

    def chunk(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._offsets.append(self._passed())

    def end(self, *, cut: bool) -> None:
        """Stores the reply, once."""
        if self._ended:
            return
        self._ended = True
        headers = {name: value for name, value in self._headers.items() if name not in HOP_HEADERS}
        reply = WireReply(
            status=self._status,
            headers=headers,
            chunks=tuple(self._chunks),
            offsets_ms=tuple(self._offsets),
            cut=cut,
            duration_ms=self._passed(),
        )
        self._recording.finish(self._pending, reply)

    def _passed(self) -> int:
        return round((time.perf_counter() - self._started) * 1000)


def _sync_stream(module: Any, inner: Any, noted: _Noted) -> Any:
    class _SyncNotedStream(module.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for chunk in inner:
                noted.chunk(chunk)
                yield chunk
            noted.end(cut=False)

        def close(self) -> None:
            inner.close()
            noted.end(cut=True)

    return _SyncNotedStream()


def _async_stream(module: Any, inner: Any, noted: _Noted) -> Any:
    class _AsyncNotedStream(module.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in inner:
                noted.chunk(chunk)
                yield chunk
            noted.end(cut=False)

        async def aclose(self) -> None:
            await inner.aclose()
            noted.end(cut=True)

    return _AsyncNotedStream()


def _played_stream(module: Any, chunks: tuple[bytes, ...]) -> Any:
    class _PlayedStream(module.SyncByteStream, module.AsyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield from chunks

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in chunks:
                yield chunk

        def close(self) -> None:
            """Nothing is held."""

        async def aclose(self) -> None:
            """Nothing is held."""

    return _PlayedStream()

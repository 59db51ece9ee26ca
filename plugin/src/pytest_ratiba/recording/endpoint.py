"""A server on loopback that speaks what the providers speak, because it passes it through or plays it.

`<url>/openai/…`, `/anthropic/…`, `/gemini/…` and `/<upstream>/…` for what `recordings.upstreams` names; in front of it,
where several recordings are open, `/scenario/<id>`. Agents in any language use it as their base URL.
"""

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_ratiba.recording.capture import HOP_HEADERS, bypass
from pytest_ratiba.recording.exchange import RawRequest, WireReply
from pytest_ratiba.recording.local_models import LOCAL_PREFIX, is_loopback
from pytest_ratiba.recording.miss_replies import miss_reply
from pytest_ratiba.recording.recorder import Recorder
from pytest_ratiba.recording.scenario import Pending, RecordingMiss, ScenarioRecording

_MAX_BODY = 64 * 1024 * 1024
SCENARIO_HEADER, CONVERSATION_HEADER = "x-ratiba-scenario", "x-ratiba-conversation"
UPSTREAM_TIMEOUT_S = 600.0  # of one silence; models think


class RecordingEndpoint:
    """The server, in threads of its own. `start` once; leaving the context ends it."""

    def __init__(self, recorder: Recorder, *, port: int = 0) -> None:
        handler = type("BoundEndpointHandler", (_EndpointHandler,), {"recorder": recorder})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="ratiba-recording", daemon=True)

    def start(self) -> str:
        """The address, without a slash at its end."""
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "RecordingEndpoint":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _EndpointHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    recorder: Recorder

    def log_message(self, *_: Any) -> None:
        """Nothing is written to the terminal of the tests."""

    def _answer(self) -> None:
        body = self._body()
        if body is None:
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        if endpoint := self.recorder.elsewhere():
            self._hand_over(endpoint, headers, body)
            return
        raw: RawRequest | None = None
        try:
            scenario_id, raw, base = self._request(headers, body)
            if raw is None:
                self._let_through(base, headers, body)
                return
            recording = self.recorder.current(scenario_id, headers.get(CONVERSATION_HEADER, ""))
            if recording is None:
                raise RecordingMiss("no recording is open: calls outside of a scenario are not passed on")
            outcome = recording.begin(raw)
        except RecordingMiss as miss:
            self._send(miss_reply(raw, str(miss)))
            return
        if isinstance(outcome, WireReply):
            self._send(outcome)
        else:
            self._pass_on(recording, outcome, base)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _answer

    def _request(self, headers: dict[str, str], body: bytes) -> tuple[str, RawRequest | None, str]:
        """(scenario, request, base URL of the upstream); without a request it is an address that is let through."""
        parts = urlsplit(self.path)
        scenario_id, path = headers.get(SCENARIO_HEADER, ""), parts.path
        if path.startswith("/scenario/"):
            scenario_id, _, path = path.removeprefix("/scenario/").partition("/")
            scenario_id, path = unquote(scenario_id), f"/{path}"
        name, _, rest = path.removeprefix("/").partition("/")
        own = {SCENARIO_HEADER, CONVERSATION_HEADER, "host"}
        plain = {key: value for key, value in headers.items() if key not in own}
        if name == LOCAL_PREFIX:
            return scenario_id, *self._local_request(rest, parts.query, plain, body)
        base = self.recorder.settings.upstreams.get(name)
        if base is None:
            known = ", ".join(sorted(self.recorder.settings.upstreams))
            raise RecordingMiss(f"{self.path!r} names no upstream: after the address stands one of {known}")
        version = urlsplit(base).path.rpartition("/")[2]
        if version and rest.startswith(f"{version}/"):
            rest = rest.removeprefix(f"{version}/")  # base URLs are written with and without /v1
        request = RawRequest(
            method=self.command,
            upstream=name,
            host=urlsplit(base).hostname or "",
            path=f"/{rest}",
            query=parts.query,
            headers=plain,
            body=body,
        )
        return scenario_id, request, base

    def _local_request(
        self, rest: str, query: str, headers: dict[str, str], body: bytes
    ) -> tuple[RawRequest | None, str]:
        """(request, base URL) of a call to `<host>:<port>/path` on this machine that was led here."""
        place, _, path = rest.partition("/")
        if not is_loopback(urlsplit(f"http://{place}").hostname or ""):
            raise RecordingMiss(f"{self.path!r} is no address of this machine")
        url = f"http://{place}/{path}" + (f"?{query}" if query else "")
        raw = self.recorder.request_of(method=self.command, url=url, headers=headers, body=body)
        if raw is None:
            return None, url
        return raw, self.recorder.settings.upstreams.get(raw.upstream, f"http://{place}")

    def _let_through(self, url: str, headers: dict[str, str], body: bytes) -> None:
        """A call that looked like a model's by its path alone."""
        import httpx

        try:
            self._stream_through(self.command, url, headers, body, lambda chunk: None)[2].end()
        except httpx.HTTPError as error:
            self.close_connection = True
            self._send(WireReply(status=502, headers={"content-type": "text/plain"}, chunks=(str(error).encode(),)))

    def _body(self) -> bytes | None:
        """The request's body, also where it comes in chunks; None where it was refused."""
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            parts: list[bytes] = []
            while size := int(self.rfile.readline(100).partition(b";")[0].strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline(10)
                if sum(map(len, parts)) > _MAX_BODY:
                    self._refuse()
                    return None
            while self.rfile.readline(10_000).strip():
                continue
            return b"".join(parts)
        length = int(self.headers.get("content-length") or 0)
        if length > _MAX_BODY:
            self._refuse()
            return None
        return self.rfile.read(length)

    def _refuse(self) -> None:
        self.close_connection = True
        self.send_error(413, "more than 64 MB")

    def _pass_on(self, recording: ScenarioRecording, pending: Pending, base: str) -> None:
        """Sends the request to its provider and the reply on, chunk by chunk, and keeps it."""
        import httpx

        raw = pending.raw
        url = base + raw.path + (f"?{raw.query}" if raw.query else "")
        headers = {**raw.headers, "accept-encoding": "identity"}
        started = time.perf_counter()
        chunks: list[bytes] = []
        offsets: list[int] = []

        def note(chunk: bytes) -> None:
            chunks.append(chunk)
            offsets.append(round((time.perf_counter() - started) * 1000))

        try:
            status, plain, writer = self._stream_through(raw.method, url, headers, raw.body, note)
        except httpx.HTTPError as error:
            recording.failed(pending, f"could not be passed on to {url}: {error or type(error).__name__}")
            self.close_connection = True
            if not chunks:
                self._send(WireReply(status=502, headers={"content-type": "text/plain"}, chunks=(str(error).encode(),)))
            return
        reply = WireReply(
            status=status,
            headers=plain,
            chunks=tuple(chunks),
            offsets_ms=tuple(offsets),
            duration_ms=round((time.perf_counter() - started) * 1000),
        )
        recording.finish(pending, reply)
        writer.end()

    def _hand_over(self, endpoint: str, headers: dict[str, str], body: bytes) -> None:
        """The call belongs to the recorder of another process of this session, whose endpoint answers it."""
        import httpx

        try:
            self._stream_through(self.command, endpoint + self.path, headers, body, lambda chunk: None)[2].end()
        except httpx.HTTPError as error:
            self.close_connection = True
            self._send(miss_reply(None, f"the recorder at {endpoint} does not answer: {error}"))

    def _stream_through(
        self, method: str, url: str, headers: dict[str, str], body: bytes, note: Callable[[bytes], None]
    ) -> "tuple[int, dict[str, str], _ChunkWriter]":
        """Send a request and its reply back chunk by chunk, each shown to `note` first: status, headers, and the
        writer, which still has to be ended. Raises httpx.HTTPError."""
        import httpx

        sent = {name: value for name, value in headers.items() if name not in HOP_HEADERS and name != "host"}
        with (
            bypass(),
            httpx.Client(timeout=httpx.Timeout(UPSTREAM_TIMEOUT_S, connect=30)) as client,
            client.stream(method, url, headers=sent, content=body) as response,
        ):
            plain = {name.lower(): value for name, value in response.headers.items() if name.lower() not in HOP_HEADERS}
            writer = _ChunkWriter(self, response.status_code, plain)
            for chunk in response.iter_bytes():
                note(chunk)
                writer.write(chunk)
        return response.status_code, plain, writer

    def _send(self, reply: WireReply) -> None:
        writer = _ChunkWriter(
            self, reply.status, dict(reply.headers), length=len(reply.body) if len(reply.chunks) <= 1 else None
        )
        for chunk in reply.chunks:
            writer.write(chunk)
        writer.end()


class _ChunkWriter:
    """Sends a reply to the agent. A client that has gone is no reason to stop reading from the provider."""

    def __init__(
        self, handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], length: int | None = None
    ) -> None:
        self._handler, self._chunked, self._gone = handler, length is None, False
        self._bodyless = handler.command == "HEAD" or status in (204, 304)
        handler.send_response_only(status)
        for name, value in headers.items():
            if name not in HOP_HEADERS:
                handler.send_header(name, value)
        if self._chunked and not self._bodyless:
            handler.send_header("transfer-encoding", "chunked")
        elif not self._bodyless:
            handler.send_header("content-length", str(length))
        self._try(handler.end_headers)

    def write(self, chunk: bytes) -> None:
        """One chunk, at once."""
        if self._bodyless or not chunk:
            return
        framed = b"%x\r\n%b\r\n" % (len(chunk), chunk) if self._chunked else chunk
        self._try(lambda: self._handler.wfile.write(framed))  # it is not buffered

    def end(self) -> None:
        """The end of the body."""
        if self._chunked and not self._bodyless:
            self._try(lambda: self._handler.wfile.write(b"0\r\n\r\n"))

    def _try(self, send: Any) -> None:
        if self._gone:
            return
        try:
            send()
        except OSError:
            self._gone, self._handler.close_connection = True, True

"""Providers on loopback that stream: the true events of the three wire formats, in HTTP chunks split anywhere.

A plain request gets a plain answer of `formats`. Every answer carries the number of the request it answers, so that a
recording that mixes two of them up is seen.
"""

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.loopback import formats
from tests.loopback.tool_events import (
    ARGUMENTS,
    TOOL,
    anthropic_tool_events,
    gemini_tool_events,
    openai_tool_events,
    server_sent,
)

WORDS = ("Sawa, ", "nimeweka ", "nafasi saa ", "tisa — karibu", " sana 😊.")


class StreamingProvider:
    """`requests` are (path, headers, JSON body) as they came. `words` are what a reply says, one event each; a request
    that names tools gets a tool call. `encoded`: whole answers come gzipped, whatever was accepted."""

    def __init__(self, words: tuple[str, ...] = WORDS, *, chunk: int = 37, encoded: bool = False) -> None:
        self.words, self.chunk, self.encoded = words, chunk, encoded
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.status: list[int] = []  # of the next answers, when not 200
        owner = self

        class _Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Quiet."""

            def do_POST(self) -> None:
                owner.answer(self)

            do_GET = do_POST

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "StreamingProvider":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        body = json.loads(handler.rfile.read(length) or b"null")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append((handler.path, headers, body))
        if self.status:
            refused = formats.error("openai", self.status.pop(0))
            self._whole(handler, refused.status, refused.body)
            return
        path, number = handler.path.partition("?")[0], len(self.requests)
        tools = bool(isinstance(body, dict) and body.get("tools"))
        if path.endswith("/messages") and body.get("stream"):
            self._stream(handler, anthropic_tool_events(number) if tools else anthropic_events(self.words, number))
        elif path.endswith("/chat/completions") and body.get("stream"):
            self._stream(handler, openai_tool_events(number) if tools else openai_events(self.words, number))
        elif path.endswith(":streamGenerateContent"):
            self._stream(handler, gemini_tool_events(number) if tools else gemini_events(self.words, number))
        elif (kind := formats.kind_of(path)) is not None:
            text = f"{number}: {''.join(self.words)}"
            plain = formats.answer(kind, text, model="m-1")
            self._whole(
                handler, 200, (formats.tool_answer(kind, (TOOL, ARGUMENTS), model="m-1") if tools else plain).body
            )
        else:
            self._whole(handler, 200, json.dumps({"number": number, "seen": body}).encode())

    def _whole(self, handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
        handler.send_response(status)
        if self.encoded:
            body = gzip.compress(body)
            handler.send_header("content-encoding", "gzip")
        for name, value in (
            ("content-type", "application/json"),
            ("set-cookie", "session=abc"),
            ("request-id", "req_9"),
        ):
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _stream(self, handler: BaseHTTPRequestHandler, events: Iterator[bytes]) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream; charset=utf-8")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        body = b"".join(events)
        for start in range(0, len(body), self.chunk):
            piece = body[start : start + self.chunk]
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")


def openai_events(words: tuple[str, ...], number: int) -> Iterator[bytes]:
    """`chat.completion.chunk`s, the usage, and [DONE]."""
    base = {
        "id": f"chatcmpl-{number:024d}",
        "object": "chat.completion.chunk",
        "created": 1764000000 + number,
        "model": "m-1",
    }
    yield server_sent(
        {**base, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
    )
    for word in words:
        yield server_sent({**base, "choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]})
    yield server_sent({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield server_sent(
        {**base, "choices": [], "usage": {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}}
    )
    yield b"data: [DONE]\n\n"


def anthropic_events(words: tuple[str, ...], number: int) -> Iterator[bytes]:
    """Named events from message_start to message_stop, with a ping."""
    message = {"id": f"msg_{number:020d}", "type": "message", "role": "assistant", "model": "m-1", "content": []}
    usage = {"input_tokens": 21, "output_tokens": 1}
    yield server_sent(
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}, "message_start"
    )
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield server_sent(block, "content_block_start")
    yield server_sent({"type": "ping"}, "ping")
    for word in words:
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
        yield server_sent(delta, "content_block_delta")
    yield server_sent({"type": "content_block_stop", "index": 0}, "content_block_stop")
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}
    yield server_sent(end, "message_delta")
    yield server_sent({"type": "message_stop"}, "message_stop")


def gemini_events(words: tuple[str, ...], number: int) -> Iterator[bytes]:
    """GenerateContentResponses, the last with the reason of the end."""
    for place, word in enumerate(words):
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": word}]}, "index": 0}
        if place == len(words) - 1:
            candidate["finishReason"] = "STOP"
        usage = {"promptTokenCount": 21, "candidatesTokenCount": place + 5, "totalTokenCount": place + 26}
        yield server_sent(
            {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1", "responseId": f"r{number}"}
        ).replace(b"\n\n", b"\r\n\r\n")

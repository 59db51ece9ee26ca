"""A model server on this machine in two wire formats: Ollama's own (NDJSON when streamed) and OpenAI's (vLLM)."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = ("Sawa, ", "nimeweka ", "saa tisa.")


class LocalModel:
    """`paths` are those that were asked. `/health`, and requests that name no model, get a short answer."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        owner = self

        class _Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Quiet."""

            def do_GET(self) -> None:
                owner.answer(self)

            do_POST = do_GET

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "LocalModel":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        body = json.loads(handler.rfile.read(length) or b"{}")
        self.paths.append(handler.path)
        stream = bool(body.get("stream"))
        if "model" not in body:
            kind, chunks = "application/json", [b'{"reply": "up"}']
        elif handler.path.startswith("/api/"):
            kind = "application/x-ndjson" if stream else "application/json"
            chunks = [json.dumps(one).encode() + b"\n" for one in _ollama(stream)]
        else:
            kind = "text/event-stream" if stream else "application/json"
            chunks = _openai(stream)
        handler.send_response(200)
        handler.send_header("content-type", kind)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for chunk in chunks:
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        handler.wfile.write(b"0\r\n\r\n")


def _ollama(stream: bool) -> list[dict[str, Any]]:
    base = {"model": "llama3.2", "created_at": "2026-11-23T10:00:00.123456Z"}
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": 21, "eval_count": 9}
    if not stream:
        return [base | {"message": {"role": "assistant", "content": "".join(WORDS)}} | end]
    parts = [base | {"message": {"role": "assistant", "content": word}, "done": False} for word in WORDS]
    return [*parts, base | {"message": {"role": "assistant", "content": ""}} | end]


def _openai(stream: bool) -> list[bytes]:
    base = {"id": "chatcmpl-1", "created": 1764000000, "model": "qwen"}
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    if not stream:
        message = {"role": "assistant", "content": "".join(WORDS)}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        return [json.dumps(base | {"object": "chat.completion", "choices": choices, "usage": usage}).encode()]
    chunk = base | {"object": "chat.completion.chunk"}
    events = [chunk | {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]} for word in WORDS]
    return [b"data: " + json.dumps(one).encode() + b"\n\n" for one in events] + [b"data: [DONE]\n\n"]

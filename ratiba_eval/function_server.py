"""A Python function of the user's, served over HTTP on loopback, so that it is played with like any agent.

python -m ratiba_eval.function_server MODULE:FUNCTION PORT, in the folder that the module is imported from. The function
is `reply(messages, context)` as in ratiba.yaml, or `reply(text)`; async or not; it returns a text, or {"content",
"tool_calls"}.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADDRESS = "127.0.0.1"
MAX_BODY = 5_000_000


def load(name: str) -> Callable[..., Any]:
    """The function of this name. Raises ValueError that says what is missing."""
    module, _, function = name.partition(":")
    try:
        target = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{name} cannot be loaded from {os.getcwd()}: {error}") from error
    if not callable(target):
        raise ValueError(f"{name} is no function")
    return target  # type: ignore[no-any-return]


def answer(function: Callable[..., Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the function says to the messages of one request."""
    messages = list(asked.get("messages") or ())
    try:
        inspect.signature(function).bind(messages, {})
    except TypeError:
        reply = function(str(messages[-1]["content"]) if messages else "")
    else:
        reply = function(messages, {"session_id": asked.get("session_id")})
    if inspect.isawaitable(reply):
        reply = asyncio.run(_value(reply))
    return dict(reply) if isinstance(reply, Mapping) else {"content": "" if reply is None else str(reply)}


async def _value(awaitable: Any) -> Any:
    return await awaitable


def serve(name: str, port: int) -> None:
    """Serve the function until the process is stopped."""
    function = load(name)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = min(int(self.headers.get("content-length") or 0), MAX_BODY)
            try:
                status, body = 200, answer(function, json.loads(self.rfile.read(length)))
            except Exception as error:  # the user's own code: what it raises is its answer
                status, body = 500, {"error": f"{type(error).__name__}: {error}"}
                print(f"{name}: {body['error']}", file=sys.stderr, flush=True)
            content = json.dumps(body, default=str).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Nothing: runs tell what was said."""

    with ThreadingHTTPServer((ADDRESS, port), Handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    try:
        serve(sys.argv[1], int(sys.argv[2]))
    except ValueError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None

"""The node on the wire: HTTP/1.1 by the standard library, a thread a connection, so that a reply may take its time."""

import json
import signal
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from examples.pega import routes
from examples.pega.node import Node
from examples.pega.recorded import add_finished_session
from examples.pega.serving import ConnectionDropped
from examples.pega.wire import Request, WireAnswer, error_answer, refusal

MAX_BODY = 20 * 1024 * 1024


class BodyTooLarge(Exception):
    """More than MAX_BODY, or a length that is no number."""


class PegaHandler(BaseHTTPRequestHandler):
    """Reads a request, asks the routes, writes the answer in one piece."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    node: Node

    def _serve(self) -> None:
        path, _, query = self.path.partition("?")
        try:
            body = self._body()
        except BodyTooLarge:
            self.close_connection = True
            self._write(error_answer(refusal(400, "Error_Too_Large", f"at most {MAX_BODY} bytes, with a length")))
            return
        request = Request(
            method=self.command,
            path=path,
            query=dict(parse_qsl(query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            node=self.node,
        )
        try:
            self._write(routes.answer(request))
        except ConnectionDropped:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST = do_PATCH = do_PUT = _serve

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return self._chunked()
        length = self.headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY:
            raise BodyTooLarge
        return self.rfile.read(int(length))

    def _chunked(self) -> bytes:
        body = bytearray()
        while True:
            head = self.rfile.readline(64).split(b";")[0].strip()
            try:
                size = int(head, 16)
            except ValueError:
                raise BodyTooLarge from None
            if len(body) + size > MAX_BODY:
                raise BodyTooLarge
            body += self.rfile.read(size)
            self.rfile.readline(64)
            if size == 0:
                return bytes(body)

    def _write(self, answer: WireAnswer) -> None:
        content = b"" if answer.body is None else json.dumps(answer.body, ensure_ascii=False).encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.body is not None:
            self.send_header("Content-Type", "application/json;charset=UTF-8")
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: one line when ready is all that is printed."""


class PegaServer(ThreadingHTTPServer):
    """The listening socket. Connections do not keep the process alive."""

    daemon_threads = True
    request_queue_size = 128

    def server_bind(self) -> None:
        """As every TCP server: the base class asks a name server who we are, which may take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no event; anything else is told on stderr."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def bind(node: Node, host: str, port: int) -> PegaServer:
    """Listen, with the finished session in the archive. Raises OSError where the port is taken."""
    server = PegaServer((host, port), type("BoundHandler", (PegaHandler,), {"node": node}))
    node.base = f"http://{host}:{server.server_address[1]}"
    add_finished_session(node)
    return server


def serve(server: PegaServer, node: Node) -> None:
    """Serve until SIGTERM or Ctrl-C. Prints one line with the address when ready."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    print(f"campaign agent ready at {node.base}/", flush=True)
    stopped.wait()
    server.shutdown()
    server.server_close()

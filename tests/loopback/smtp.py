"""An SMTP server on loopback (RFC 5321): it takes mail, or answers the code it is told to."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast


@dataclass
class MailBox:
    """What arrived, with its envelope. `refuse`: a code for every recipient ("" takes them)."""

    port: int = 0
    refuse: str = ""
    mails: list[tuple[list[str], EmailMessage]] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        box, to = cast(Any, self.server).box, list[str]()
        self._say("220 loopback")
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            verb = line.upper()
            if verb.startswith("EHLO"):
                self._say("250-loopback")
                self._say("250 SIZE 1000000")
            elif verb.startswith("RCPT"):
                if box.refuse:
                    self._say(f"{box.refuse} no")
                else:
                    to.append(line.partition("<")[2].partition(">")[0])
                    self._say("250 ok")
            elif verb == "DATA":
                self._say("354 go on")
                body = b""
                while (part := self.rfile.readline()) != b".\r\n":
                    body += part[1:] if part.startswith(b".") else part
                box.mails.append((to, message_from_bytes(body, policy=policy.default)))
                self._say("250 taken")
            elif verb == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    box: MailBox


@contextmanager
def smtp_server() -> Iterator[MailBox]:
    """Listens until the block ends."""
    with _Server(("127.0.0.1", 0), _Session) as server:
        server.box = MailBox(port=server.server_address[1])
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.box
        server.shutdown()

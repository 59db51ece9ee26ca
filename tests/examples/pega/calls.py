"""A client of the loopback Pega that knows nothing of the product: httpx and the sheet of the wire format."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from examples.pega.__main__ import parser, settings_of
from examples.pega.node import Node
from examples.pega.server import bind

ROOT = Path(__file__).parents[3]
PREFIXES = (
    "/prweb/api/application/v2",
    "/prweb/app/campaigns/api/application/v2",
    "/prweb/PRAuth/app/campaigns/api/application/v2",
    "/dx/api/application/v2",
)
V2 = PREFIXES[0]
AGENT = "@BASECLASS!CampaignAssistant"
TALKS = f"{V2}/ai-agents/{AGENT}/conversations"
TOKEN = "/prweb/PRRestService/oauth2/v1/token"
A2A = f"/prweb/app/campaigns/api/agent2agent/v1/ai-agents/{AGENT}"
FORM = {"grant_type": "client_credentials", "client_id": "campaign-tester", "client_secret": "loopback-only"}
EXPECTED = json.loads((Path(__file__).parent / "expected" / "golden_PXCONV-4081.json").read_text())


@contextmanager
def running(*options: str) -> Iterator[str]:
    """The server in a thread of ours; its address. What it does at a signal is for `process`."""
    node = Node(settings=settings_of(parser().parse_args(["--port", "0", *options])))
    server = bind(node, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield node.base
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def process(*options: str) -> Iterator[str]:
    """The server in a process of its own; its address. It prints one line and ends well."""
    command = [sys.executable, "-m", "examples.pega", "--port", "0", *options]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert started.stdout is not None
        line = started.stdout.readline()
        found = re.fullmatch(r"campaign agent ready at (http://127\.0\.0\.1:\d+)/\n", line)
        assert found, line
        yield found[1]
    finally:
        started.terminate()
        rest, _ = started.communicate(timeout=10)
    assert rest == "", "one line, and no more"
    assert started.returncode == 0


@contextmanager
def pega(*options: str) -> Iterator["PegaCalls"]:
    """A running server and a signed-in client."""
    with running(*options) as address, httpx.Client(base_url=address, timeout=20) as client:
        yield PegaCalls(client).signed_in()


class PegaCalls:
    """The calls of the sheet, each one line."""

    def __init__(self, client: httpx.Client) -> None:
        self.http = client

    def signed_in(self) -> "PegaCalls":
        answer = self.http.post(TOKEN, data=FORM)
        if answer.status_code == 200:
            self.http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        return self

    def create(self, **body: Any) -> str:
        answer = self.http.post(TALKS, json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()["ID"]

    def upload(self, name: str) -> dict[str, str]:
        answer = self.http.post(f"{V2}/attachments/upload", files={"file": (name, b"%PDF-1.7 brief")})
        assert answer.status_code in (200, 201), answer.text
        return {"type": "File", "ID": answer.json()["ID"], "category": "File", "name": name}

    def patch(self, cid: str, text: str, *attachments: dict[str, str]) -> httpx.Response:
        return self.http.patch(f"{TALKS}/{cid}", json={"Request": text, "Attachments": list(attachments)})

    def say(self, cid: str, text: str, file: str = "") -> str:
        answer = self.patch(cid, text, *([self.upload(file)] if file else []))
        assert answer.status_code == 200, answer.text
        return answer.json()["response"]

    def play(self, cid: str, until: int = 12) -> list[str]:
        """The finished session's first turns, said again."""
        turns = EXPECTED["turns"][:until]
        return [self.say(cid, one["input"], (one["file_attachment"] or {}).get("name", "")) for one in turns]

    def kept(self, cid: str) -> list[dict[str, Any]]:
        return self.http.get(f"{TALKS}/{cid}").json()["messages"]

    def page(self, name: str, **parameters: str) -> httpx.Response:
        return self.http.get(f"{V2}/data_views/{name}", params={"dataViewParameters": json.dumps(parameters)})

    def transcript(self, cid: str) -> dict[str, Any]:
        return self.page("D_pxAutopilotConversation", InteractionID=cid).json()

    def listed(self, name: str = "D_pxAutopilotConversations", **body: Any) -> httpx.Response:
        return self.http.post(f"{V2}/data_views/{name}", json=body)

    def a2a(self, text: str, context: str = "", **extra: Any) -> dict[str, Any]:
        message = {"role": "user", "parts": [{"kind": "text", "text": text}], **extra}
        params = {"message": message | ({"contextId": context} if context else {})}
        return self.http.post(
            f"{A2A}/execute", json={"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params}
        ).json()

"""Everything a replay sends over A2A, files and nudges too, fits the published schema of its version; so do the cards
of the agents that it is tried on."""

import json

import httpx
import pytest

from apps.runs.goldens.domain.gate_keeping import NUDGE
from tests.connectors.agents.sdk_server import SDKServer
from tests.connectors.agents.test_a2a_tasks import check
from tests.examples.pega.calls import A2A, PegaCalls, running
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import make_agent, only, play, replays, said
from tests.runs.test_replays import FILE, gated, golden

CALLS = {"0.3": ("v0.3.0", "SendMessageRequest"), "1.0": ("v1.0.0", "Send Message Request")}


class RecordingProxy:
    """Stands before the official server and keeps what is posted; addresses in answers become its own."""

    def __init__(self, base: str) -> None:
        self.base, self.own, self.posted = base, "", list[dict]()

    def __call__(self, request: Request) -> Answer:
        if request.method == "POST":
            self.posted.append(json.loads(request.body))
        passed = {name: value for name, value in request.headers.items() if name in ("content-type", "a2a-version")}
        answer = httpx.request(request.method, f"{self.base}{request.path}", content=request.body, headers=passed)
        body = answer.content.replace(self.base.encode(), self.own.encode())
        return Answer(status=answer.status_code, body=body, content_type=answer.headers.get("content-type", ""))


@pytest.mark.shared
@pytest.mark.parametrize("dialect", CALLS)
def test_a_replay_with_files_and_nudges_sends_what_the_schema_allows(tenant, sdk: SDKServer, dialect: str) -> None:
    proxy = RecordingProxy(sdk.base.rstrip("/"))
    turns = list(gated(("See this", "Seen", NUDGE.rstrip(".")), ("", "Thanks", "attached"), ("task one", "ok", "task")))
    file = {"name": FILE.name, "sha256": FILE.sha256}
    turns[0], turns[2] = {**turns[0], "file_attachment": file}, {**turns[2], "file_attachment": file}
    with LoopbackServer(proxy) as server:
        proxy.own = server.url
        make_agent(kind="a2a", address=server.url, dialect=dialect, stream=False, timeout_s=10)
        run = replays(golden("g", turns))
        play()
    row = only(run)
    assert (row.status, row.error_message) == ("ended", "")
    assert len(proxy.posted) == len(said(row, "user")) == 4
    assert ("user", NUDGE) in said(row, "user")
    version, definition = CALLS[dialect]
    for call in proxy.posted:
        check(call if dialect == "0.3" else call["params"], version, definition)
    parts = [part for call in proxy.posted for part in call["params"]["message"]["parts"]]
    assert sum("file" in part or "raw" in part for part in parts) == 2
    assert len({call["params"]["message"]["messageId"] for call in proxy.posted}) == 4


@pytest.mark.shared
@pytest.mark.parametrize("options", [(), ("--variant", "card-0.2")])
def test_the_card_of_the_loopback_pega_fits_the_schema_of_0_3(options: tuple[str, ...]) -> None:
    with running(*options) as base, httpx.Client(base_url=base, timeout=20) as client:
        card = PegaCalls(client).signed_in().http.get(f"{A2A}/.well-known/agent.json").json()
    check(card, "v0.3.0", "AgentCard")

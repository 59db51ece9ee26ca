"""Pega's dialect of A2A and the plain call, against the running server."""

import httpx
import jsonschema
import pytest

from tests.connectors.agents.test_a2a_tasks import schema
from tests.examples.pega.calls import A2A, EXPECTED, PegaCalls, pega

CARD = f"{A2A}/.well-known/agent.json"


def test_the_card_is_behind_the_token(node: PegaCalls) -> None:
    assert node.http.get(CARD, headers={"Authorization": "Bearer x"}).status_code == 401
    card = node.http.get(CARD).json()
    assert card["url"].endswith("/execute")
    assert card["protocolVersion"] == "0.3.0"
    flow = card["securitySchemes"]["oauth"]["flows"]["clientCredentials"]
    assert httpx.post(flow["tokenUrl"], data={}).status_code == 400, "it is there"


@pytest.mark.shared
@pytest.mark.parametrize("variant", ["", "a2a-artifacts"])
def test_card_and_answers_fit_the_schema(variant: str) -> None:
    old = schema("v0.3.0")
    with pega(*(("--variant", variant) if variant else ())) as node:
        jsonschema.Draft202012Validator({**old, "$ref": "#/definitions/AgentCard"}).validate(node.http.get(CARD).json())
        kind = "Task" if variant else "Message"
        result = node.a2a("Hello")["result"]
    jsonschema.Draft202012Validator({**old, "$ref": f"#/definitions/{kind}"}).validate(result)


def test_the_context_is_the_conversation(node: PegaCalls) -> None:
    result = node.a2a(EXPECTED["turns"][0]["input"])["result"]
    cid = result["contextId"]
    assert cid.startswith("PXCONV-")
    assert result["parts"][0]["text"].startswith("## New campaign")
    assert node.transcript(cid)["pyID"] == cid
    assert node.say(cid, "", "Zelle.pdf").startswith("## Campaign brief"), "AgentX goes on where A2A began"
    assert node.a2a("I approve.", cid)["result"]["parts"][0]["text"].startswith("## Facts approved")
    assert [one["messageID"] for one in node.kept(cid)][2] == result["messageId"]


def test_file_parts_are_ignored(node: PegaCalls) -> None:
    cid = node.a2a(EXPECTED["turns"][0]["input"])["result"]["contextId"]
    file = {"kind": "file", "file": {"name": "Zelle.pdf", "mimeType": "application/pdf", "bytes": "QUJD"}}
    text = {"kind": "text", "text": "[I have attached a file: Zelle.pdf]"}
    answer = node.a2a("", cid, parts=[text, file])["result"]["parts"][0]["text"]
    assert answer == (
        "I do not see a document on the case, only a text that names Zelle.pdf. Please upload the campaign brief."
    )
    assert node.a2a("", cid, parts=[file])["error"]["code"] == -32602


def test_wrong_calls_are_errors_of_json_rpc(node: PegaCalls) -> None:
    def code(body: object) -> int:
        return node.http.post(f"{A2A}/execute", json=body).json()["error"]["code"]

    assert code({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": {}}) == -32601
    assert code({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {}}) == -32602
    assert code([]) == -32600
    assert node.a2a("Hello", "PXCONV-1")["error"]["code"] == -32602
    assert node.a2a("Hello", "PXCONV-4081")["error"]["code"] == -32603, "closed"


def test_the_escaped_at_is_refused_here_too(node: PegaCalls) -> None:
    assert node.http.get(CARD.replace("@", "%40")).status_code == 500


def test_variants_of_the_card() -> None:
    with pega("--variant", "card-0.2") as node:
        assert node.http.get(CARD).json()["protocolVersion"] == "0.2.5"
    with pega("--variant", "no-external-access") as node:
        assert node.http.get(CARD).status_code == 403


def test_a_plain_call_plays_the_session_too(node: PegaCalls) -> None:
    session, replies = None, []
    for turn in EXPECTED["turns"]:
        files = [turn["file_attachment"]] if turn["file_attachment"] else []
        body = {"message": turn["input"], "session_id": session, "attachments": files}
        answer = node.http.post("/chat", json=body).json()
        session = answer["session_id"]
        replies.append(answer["reply"])
    assert replies == [turn["reply"].replace("4081", session[7:]) for turn in EXPECTED["turns"]]
    assert node.http.post("/chat", json={"message": "", "session_id": session}).status_code == 400
    assert node.http.post("/chat", json={"message": "x", "session_id": "PXCONV-1"}).status_code == 404

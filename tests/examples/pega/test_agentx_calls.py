"""Sentences of the sheet about tokens, addresses, conversations and uploads, each against the running server."""

import re
import threading
import time

import httpx
import pytest

from tests.examples.pega.calls import (
    AGENT,
    EXPECTED,
    FORM,
    PREFIXES,
    TALKS,
    TOKEN,
    V2,
    PegaCalls,
    pega,
    running,
)


def test_a_token_comes_by_form_and_by_basic(node: PegaCalls) -> None:
    form = node.http.post(TOKEN, data=FORM)
    assert form.json()["token_type"] == "bearer"
    assert form.json()["expires_in"] == 3600
    assert len(form.json()["access_token"]) > 1000
    only_grant = {"grant_type": "client_credentials"}
    assert node.http.post(TOKEN, data=only_grant, auth=("campaign-tester", "loopback-only")).status_code == 200
    wrong = node.http.post(TOKEN, data={**FORM, "client_secret": "x"})
    assert (wrong.status_code, wrong.json()["error"]) == (401, "invalid_client")


def test_an_expired_token_gets_401_in_the_older_form() -> None:
    with pega("--token-s", "0.3") as node:
        node.create()
        time.sleep(0.35)
        answer = node.http.post(TALKS, json={})
        assert answer.status_code == 401
        assert answer.json()["errors"][0]["ID"].startswith("Pega_API_")
        node.signed_in().create()


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_address_prefix_leads_to_the_agent(node: PegaCalls, prefix: str) -> None:
    answer = node.http.get(f"{prefix}/ai-agents")
    assert [one["ID"] for one in answer.json()["agents"]] == [AGENT]


def test_at_and_exclamation_mark_stay_literal(node: PegaCalls) -> None:
    answer = node.http.post(TALKS.replace("@", "%40"), json={})
    assert answer.status_code == 500
    assert answer.json()["localizedValue"] == "Execution error"
    assert node.http.post(TALKS.replace("Campaign", "Nobody"), json={}).status_code == 404


def test_create_answers_201_with_an_upper_case_id(node: PegaCalls) -> None:
    answer = node.http.post(TALKS, json={"contextID": "", "executeStarterQuestion": False, "enableTracer": False})
    body = answer.json()
    assert answer.status_code == 201
    assert re.fullmatch(r"PXCONV-\d+", body["ID"])
    assert body["response"] == EXPECTED["greeting"]["reply"]
    assert {"messageID", "suggestedPrompts", "initialInstruction", "aiGuidedQuestions"} <= set(body)


def test_request_has_a_capital_and_is_a_text(node: PegaCalls) -> None:
    cid = node.create()
    for body in ({"request": "hello"}, {"Request": {"text": "hello"}}, {"Request": ""}, {}):
        answer = node.http.patch(f"{TALKS}/{cid}", json=body)
        assert answer.status_code == 400, body
        assert {"errorClassification", "localizedValue", "errorDetails"} == set(answer.json())
    assert [message["role"] for message in node.kept(cid)] == ["ASSISTANT"], "nothing was taken"


def test_each_turn_has_a_message_id_of_its_own(node: PegaCalls) -> None:
    cid = node.create()
    ids = [node.patch(cid, text).json()["messageID"] for text in ("Hello", "Hello", "Hello")]
    assert len(set(ids)) == 3
    kept = node.kept(cid)
    assert [one["messageID"] for one in kept if one["role"] == "ASSISTANT"][1:] == ids


def test_the_session_plays_again_with_the_same_words(node: PegaCalls) -> None:
    cid = node.create()
    number = cid.removeprefix("PXCONV-")
    expected = [turn["reply"].replace("4081", number) for turn in EXPECTED["turns"]]
    assert node.play(cid) == expected


def test_the_kept_conversation_has_a_lower_case_id(node: PegaCalls) -> None:
    cid = node.create(contextID="C-1")
    node.play(cid, until=2)
    body = node.http.get(f"{TALKS}/{cid}").json()
    assert (body["id"], {"name", "createdOn", "updatedOn", "messages"} <= set(body)) == (cid, True)
    assert body["messages"][3]["content"] == ""
    assert [one["name"] for one in body["messages"][3]["attachments"]] == ["Zelle.pdf"]
    assert node.http.get(f"{TALKS}/PXCONV-1").status_code == 404


def test_conversations_are_listed_by_their_context(node: PegaCalls) -> None:
    made = [node.create(contextID="list me") for _ in range(3)]
    answer = node.http.get(TALKS, params={"contextID": "list me", "pageSize": 2, "pageIndex": 1}).json()
    rest = node.http.get(TALKS, params={"contextID": "list me", "pageSize": 2, "pageIndex": 2}).json()
    found = [one["id"] for one in answer["conversations"] + rest["conversations"]]
    assert (len(answer["conversations"]), sorted(found)) == (2, sorted(made))
    assert node.http.get(TALKS).status_code == 400, "contextID is required"


def test_what_comes_after_close_gets_409(node: PegaCalls) -> None:
    cid = node.create()
    closed = node.http.put(f"{TALKS}/{cid}/close", json={})
    assert (closed.status_code, closed.content) == (204, b"")
    assert node.patch(cid, "hello").status_code == 409
    assert node.http.put(f"{TALKS}/{cid}/close", json={}).status_code == 409


def test_a_message_can_be_liked_and_disliked(node: PegaCalls) -> None:
    cid = node.create()
    message = node.patch(cid, "Hello").json()["messageID"]
    for action, body, liked in (("like", {}, True), ("dislike", {"feedbackText": "too short"}, False)):
        assert node.http.put(f"{TALKS}/{cid}/messages/{message}/{action}", json=body).status_code == 204
        assert node.kept(cid)[-1]["isLiked"] is liked
    assert node.http.put(f"{TALKS}/{cid}/messages/MSG-0/like", json={}).status_code == 404


def test_an_unknown_upload_is_refused(node: PegaCalls) -> None:
    cid = node.create()
    answer = node.patch(cid, "see this", {"type": "File", "ID": "TEMP-9", "category": "File", "name": "a.pdf"})
    assert answer.status_code == 400
    assert len(node.kept(cid)) == 1
    assert node.http.post(f"{V2}/attachments/upload", data={"contextID": "x"}).status_code == 400


def test_a_second_request_to_a_busy_conversation_gets_423() -> None:
    with pega("--delay-s", "1-1") as node:
        cid = node.create()
        first = threading.Thread(target=node.patch, args=(cid, "Create a new campaign called A."))
        first.start()
        time.sleep(0.3)
        with httpx.Client(base_url=node.http.base_url, headers=node.http.headers) as other:
            answer = other.patch(f"{TALKS}/{cid}", json={"Request": "and?"})
        first.join()
        assert answer.status_code == 423
        assert len(node.kept(cid)) == 3, "the refused one was not taken"


def test_assistants_mirror_the_calls_without_attachments(node: PegaCalls) -> None:
    address = TALKS.replace("/ai-agents/", "/assistants/")
    cid = node.http.post(address, json={}).json()["ID"]
    assert node.http.patch(f"{address}/{cid}", json={"Request": "Hello"}).status_code == 200
    assert node.http.put(f"{address}/{cid}/messages/MSG-1/like", json={}).status_code == 404


def test_without_a_token_nothing_answers() -> None:
    with running() as address, httpx.Client(base_url=address) as client:
        for path in (f"{V2}/ai-agents", "/chat", "/anything"):
            assert client.get(path).status_code == 401

"""Prompts beside each other on a kept conversation: who is asked what, what it costs, and what it may never touch."""

import json
import uuid
from datetime import timedelta

import pytest

from apps.budgets.models import ModelCall
from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.models import AgentConnection, PromptVersion
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.document_parsing import parse_document
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict, NotFound
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.failure_modes.services.word_deletion import delete_words
from apps.improvement.models import Playground
from apps.improvement.playground.domain.answers import PlaygroundChoices, lines_from, messages_before
from apps.improvement.playground.queries.documents import find_playground, playground_document
from apps.improvement.playground.services.answering import answer_due
from apps.improvement.playground.services.requesting import request_playground
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation
from tests.evaluations.bench import NOW, minutes
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.providers import ModelProvider

pytestmark = pytest.mark.usefixtures("tenant")
LIVE_ONLY = ("salon@a1b2c3d",)
LIVE = "# Role\nYou book haircuts.\n\n# Prices\nSay nothing of prices.\n"
DRAFT = LIVE.replace("Say nothing of prices.", "Say the price of each service.")
SAID = [("assistant", "Welcome!"), ("user", "A haircut, please."), ("assistant", "Which day?"), ("user", "Friday."),
        ("assistant", "At what time?"), ("user", "At ten. How much is it?"), ("assistant", "Booked.")]  # fmt: skip


class Speaker(ModelProvider):
    """Says which model it is, what its prompt says of prices, and how many messages it was told."""

    down: frozenset[str] = frozenset()

    def _handle(self, request: Request) -> Answer:
        body = json.loads(request.body)
        if body["model"] in self.down:
            self.script("server_error")
        told = body["messages"]
        rule = next((one for one in str(told[0]["content"]).splitlines() if "price" in one), "no rule")
        self.text = f"{body['model']} says: {rule} ({len(told) - 1} messages)"
        return super()._handle(request)


@pytest.fixture
def speaker():
    with Speaker() as server:
        save_model_provider(name="speaker", kind="openai", base_url=server.base_url("openai"), api_key="k")
        options = {"prompt": "salon", "provider": "speaker", "model": "m-1"}
        save_agent(name="booker", kind="prompted", address="", options=options)
        record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d")
        yield server


@pytest.fixture
def conversation(speaker):
    turns = [{"role": role, "content": content} for role, content in SAID]
    run = import_documents(
        documents=[parse_document({"id": "kept", "turns": turns})], name="kept", triggered_by="tests", now=NOW
    )
    return Conversation.objects.get(run_id=run)


def draft() -> str:
    made = create_draft(name="salon", text=DRAFT, source=DraftSource(by="amina"))
    return PromptVersion.objects.get(drafts=made).version


def ask(conversation, **more):
    more.setdefault("agent", "booker")
    choices = PlaygroundChoices(conversation_id=conversation.pk, **more)
    return Playground.objects.get(pk=request_playground(choices, by="amina"))


def answered(row, at=None):
    at = at or minutes(1)
    answer_due(now=lambda: at, until=at + timedelta(seconds=30))
    return as_json(playground_document(find_playground(row.pk)))


def texts(found):
    return [[one["text"] for one in column["replies"]] for column in found["columns"]]


def test_live_draft_and_own_words_answer_the_same_message_with_every_model(conversation, speaker) -> None:
    own = LIVE.replace("Say nothing of prices.", "Name the price once.")
    models = ({"provider": "speaker", "model": "m-1"}, {"provider": "speaker", "model": "m-2"})
    found = answered(ask(conversation, versions=("salon@a1b2c3d", draft()), text=own, models=models))

    assert (found["status"], found["from_turn"], found["reached_by"]) == ("completed", 5, "prompted")
    assert found["lines"] == [{"turn": 5, "customer": "At ten. How much is it?", "kept_reply": "Booked."}]
    rules = ("Say nothing of prices.", "Say the price of each service.", "Name the price once.")
    # all that was said before, without the greeting that nobody had asked for, and the message itself
    assert texts(found) == [[f"{one} says: {rule} (5 messages)"] for rule in rules for one in ("m-1", "m-2")]
    assert found["sentence"].startswith("6 of 6 answered turn 5. 6 model calls,")
    calls = ModelCall.objects.filter(purpose="playground")
    assert (calls.count(), set(calls.values_list("run_id", "conversation_id"))) == (6, {(None, None)})
    assert [one["draft_id"] for one in found["columns"]] == [None] * 6

    made = create_draft(name="salon", text=own, source=DraftSource(by="amina"))
    assert as_json(playground_document(find_playground(found["id"])))["columns"][4]["draft_id"] == str(made)


def test_several_messages_are_answered_in_each_prompts_own_words(conversation, speaker) -> None:
    found = answered(ask(conversation, versions=LIVE_ONLY, from_turn=1, replies=3))
    assert [one["turn"] for one in found["lines"]] == [1, 3, 5]
    assert [one.rpartition(" (")[2] for one in texts(found)[0]] == ["1 messages)", "3 messages)", "5 messages)"]


def test_a_model_that_is_down_fails_its_own_column_alone(conversation, speaker) -> None:
    speaker.down = frozenset({"m-2"})
    models = ({"provider": "speaker", "model": "m-1"}, {"provider": "speaker", "model": "m-2"})
    found = answered(ask(conversation, versions=LIVE_ONLY, models=models))
    assert [one["status"] for one in found["columns"]] == ["answered", "failed"]
    assert found["columns"][1]["error_message"]
    assert "1 could not" in found["sentence"]


def test_what_a_lost_worker_had_stored_is_not_asked_again(conversation, speaker) -> None:
    row = ask(conversation, versions=("salon@a1b2c3d", draft()))
    first = row.columns.order_by("number")[0]
    row.columns.filter(pk=first.pk).update(status="answered", replies=[{"text": "x", "tools": [], "latency_ms": 1}])
    assert texts(answered(row))[0] == ["x"]
    assert len(speaker.requests) == 1
    assert texts(answered(row, at=minutes(9)))[0] == ["x"]
    assert len(speaker.requests) == 1


def test_an_agent_of_customers_is_asked_over_its_test_system_alone(conversation, speaker) -> None:
    told: list[dict] = []

    def handle(request: Request) -> Answer:
        told.append(json.loads(request.body))
        return Answer(body=json.dumps({"text": f"staging heard {told[-1]['message']}"}).encode())

    options = {"body": {"message": "{{ text }}", "id": "{{ session }}"}, "reply": "$.text"}
    save_agent(name="desk", kind="http", address="http://127.0.0.1:10/live", options=options)
    with pytest.raises(BadInput) as none:
        ask(conversation, versions=LIVE_ONLY, agent="desk")
    assert none.value.code == "no_staging_connection"
    with LoopbackServer(handle) as server:
        connect_agent(agent="desk", kind="http", address=f"{server.url}/staging", options=options, purpose="staging",
                      prompt_field="prompt")  # fmt: skip
        with pytest.raises(BadInput) as chosen:
            ask(conversation, versions=LIVE_ONLY, agent="desk", models=({"provider": "speaker", "model": "m"},))
        assert chosen.value.code == "model_is_the_agents"
        found = answered(ask(conversation, versions=LIVE_ONLY, agent="desk", from_turn=3))
    assert AgentConnection.objects.filter(purpose="staging").count() == 1
    assert texts(found) == [["staging heard Friday."]]
    assert [(one["message"], one["prompt"]) for one in told] == [("A haircut, please.", LIVE), ("Friday.", LIVE)]
    assert found["columns"][0]["calls"] == 0


@pytest.mark.parametrize(
    "more, code",
    [
        ({}, "nothing_to_compare"),
        ({"versions": ("salon@nothing",)}, "unknown_prompt"),
        ({"versions": LIVE_ONLY, "from_turn": 2}, "not_a_customers_turn"),
        ({"versions": LIVE_ONLY, "agent": "nobody"}, "unknown_agent"),
        ({"versions": LIVE_ONLY, "replies": 7}, "bad_input"),
        ({"versions": LIVE_ONLY, "models": tuple({"provider": "speaker", "model": f"m-{n}"} for n in range(5))},
         "too_many"),
        ({"versions": ("salon@a1b2c3d", "other@1")}, "different_prompts"),
        ({"versions": LIVE_ONLY, "models": ({"provider": "nobody", "model": "m"},)}, None),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_and_nothing_is_kept(conversation, more, code) -> None:
    PromptVersion.objects.create(name="other", version="other@1", text="Hi.", digest="0" * 64)
    with pytest.raises((BadInput, NotFound)) as refused:
        ask(conversation, **more)
    assert code is None or refused.value.code == code or code == "bad_input"
    assert not Playground.objects.exists()


def test_a_hold_outs_conversation_is_not_answered(conversation, monkeypatch) -> None:
    row = ask(conversation, versions=LIVE_ONLY)
    monkeypatch.setattr("apps.improvement.holdout.queries.sealing.sealed_families", lambda ids: ["family"])
    with pytest.raises(Conflict) as sealed:
        ask(conversation, versions=LIVE_ONLY)
    assert sealed.value.code == "sealed"
    with pytest.raises(Conflict):
        find_playground(row.pk)


def test_answers_go_with_a_customers_words(conversation) -> None:
    ask(conversation, versions=LIVE_ONLY)
    delete_words(conversation_ids=[uuid.uuid4()])
    assert Playground.objects.count() == 1
    delete_words(conversation_ids=[conversation.pk])
    assert Playground.objects.count() == 0


def test_tool_calls_are_told_only_with_what_came_back() -> None:
    call = {"id": "c1", "name": "free_slots", "arguments": {"day": "friday"}}
    turns = [
        {"position": 0, "role": "user", "content": "Friday?", "tool_calls": [], "tool_call_id": ""},
        {"position": 1, "role": "assistant", "content": "", "tool_calls": [call], "tool_call_id": ""},
        {"position": 2, "role": "tool", "content": "10:00", "tool_calls": [], "tool_call_id": "c1"},
        {"position": 3, "role": "assistant", "content": "Ten.", "tool_calls": [], "tool_call_id": ""},
        {"position": 4, "role": "user", "content": "Yes.", "tool_calls": [], "tool_call_id": ""},
    ]
    assert [one["role"] for one in messages_before(turns, 4)] == ["user", "assistant", "tool", "assistant"]
    without = [one for one in turns if one["role"] != "tool"]
    assert messages_before(without, 4) == [
        {"role": "user", "content": "Friday?"}, {"role": "assistant", "content": "Ten."},
    ]  # fmt: skip
    assert lines_from(turns, from_turn=None, replies=3) == [4]

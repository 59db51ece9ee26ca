"""What real customers said comes in once per id, masked before it is written, and nothing of it stands anywhere in
clear."""

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import Error, connection, transaction

from apps.catalog.models import Agent
from apps.core.errors import BadInput, Conflict
from apps.production.intake.services.conversations import ConversationIntake, take_conversation
from apps.production.models import ProductionConversation
from apps.runs.domain.states import ConversationStatus, Kind
from apps.runs.models import Conversation, TestRun, Turn

NOW = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)


def document(id: str = "chat-1", *words: str, **more: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    said = words or ("Hi, this is Wanjiku Kamau, 0712 345 678", "Karibu Wanjiku!")
    return {"id": id, "turns": [{"role": roles[n % 2], "content": one} for n, one in enumerate(said)], **more}


def post(raw: Any, now: datetime = NOW) -> ConversationIntake:
    return take_conversation(raw=raw, now=now)


def everything() -> str:
    """Every row of every table of the tenant, as text."""
    found = []
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            table = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') FROM {table} t")  # noqa: S608
            found.append(cursor.fetchone()[0])
    return "\n".join(found)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""


def test_a_posted_conversation_is_stored_masked_and_settled_at_once_when_it_has_ended() -> None:
    names = {"names": ["Wanjiku Kamau"]}
    done = post(document(customer=names, customer_ref="C-99812", channel="whatsapp", ended=True))
    row = ProductionConversation.objects.get()
    turns = list(Turn.objects.order_by("position").values_list("content", flat=True))
    assert done.settled
    assert row.settled_at == NOW
    assert row.conversation.status == ConversationStatus.ENDED
    assert turns == ["Hi, this is <name>, +254 7** *** 678", "Karibu <name>!"]
    assert row.conversation.kind == Kind.PRODUCTION
    assert row.keep_until == NOW + timedelta(days=14)
    assert row.people.reveal() == ""
    assert row.customer_ref_hmac
    assert "C-99812" not in everything()


def test_the_same_document_again_gives_the_same_answer() -> None:
    first = post(document(ended=True))
    assert post(document(ended=True), NOW + timedelta(hours=9)) == first
    assert Conversation.objects.count() == TestRun.objects.count() == 1
    assert Turn.objects.count() == 2


def test_an_open_conversation_takes_further_turns_and_later_names_mask_the_earlier_ones() -> None:
    post(document("c", "I am Achieng"))
    post(document("c", "I am Achieng", "Karibu Achieng", customer={"names": ["Achieng"]}))
    done = post(document("c", "I am Achieng", "Karibu Achieng", "Asante", ended=True))
    assert [turn.content for turn in Turn.objects.order_by("position")] == ["I am <name>", "Karibu <name>", "Asante"]
    assert (done.settled, done.turns, TestRun.objects.count()) == (True, 3, 1)


def test_names_are_kept_encrypted_while_it_is_open_and_gone_when_it_is_settled() -> None:
    post(document(customer={"names": ["Wanjiku Kamau"]}))
    assert "Kamau" in ProductionConversation.objects.get().people.reveal()
    assert "Kamau" not in everything()
    post(document(customer={"names": ["Wanjiku Kamau"]}, ended=True))
    row = ProductionConversation.objects.get()
    assert row.people.reveal() == ""
    assert row.settled_at is not None
    assert row.ended


@pytest.mark.parametrize("words", [("Hello",), ("Hello", "Other words"), ("Another", "Karibu", "More")])
def test_turns_that_were_posted_before_stay_as_they_were(words: tuple[str, ...]) -> None:
    post(document("c", "Hello", "Karibu"))
    with pytest.raises(Conflict) as refused:
        post(document("c", *words))
    assert refused.value.code == "turns_differ"
    assert Turn.objects.count() == 2


def test_a_settled_conversation_takes_no_other_document() -> None:
    post(document("c", "Hello", ended=True))
    with pytest.raises(Conflict) as refused:
        post(document("c", "Hello", "Karibu"))
    assert refused.value.code == "conversation_settled"
    assert Turn.objects.count() == 1


def test_one_run_holds_one_agent_and_six_hours() -> None:
    Agent.objects.create(name="waiter", kind="http", address="http://127.0.0.1:10/")
    Agent.objects.create(name="cook", kind="http", address="http://127.0.0.1:10/")
    runs = [
        post(document("a", agent="waiter")).run_id,
        post(document("b", agent="waiter"), NOW + timedelta(hours=1)).run_id,
        post(document("c", agent="waiter"), NOW + timedelta(hours=2)).run_id,  # 12:30
        post(document("d", agent="cook")).run_id,
        post(document("e")).run_id,
    ]
    assert runs[0] == runs[1]
    assert len(set(runs)) == 4
    run = TestRun.objects.get(pk=runs[0])
    assert (run.kind, run.agent.name, run.started_at.hour, run.ended_at.hour) == (Kind.PRODUCTION, "waiter", 6, 12)
    assert uuid.UUID(str(run.pk)).version == 7


def test_nothing_of_a_person_stands_anywhere_in_clear() -> None:
    """Words, tool arguments, keys, results, ids, names of files and speakers, labels, what stood beside."""
    secret = {
        "id": "wa:254712345678", "language": "en", "source": "inbox of Wanjiku", "domain": "Kamau's",
        "channel": "line 0712345678", "customer_ref": "254712345678", "ended": False,
        "customer": {"names": ["Wanjiku Kamau", "Li"], "phones": ["+254 712 345 678", "555.01.23"],
                     "emails": ["w.kamau@example.com"]},
        "labels": {"Wanjiku": "0712345678"}, "case": "call Kamau on 0712-345-678", "captured_from": "Kamau",
        "turns": [
            {"role": "user", "name": "Wanjiku", "content": "wanjiku_kamau@x 555 01 23 W.KAMAU@EXAMPLE.COM"},
            {"role": "assistant", "content": "",
             "tool_calls": [{"id": "call-0712345678", "name": "book", "arguments":
                             {"Wanjiku": {"phone": 254712345678, "list": ["KAMAU", 712345678.0]}}}]},
            {"role": "tool", "tool_call_id": "call-0712345678", "content": '{"for": "Kamau", "tel": "0712345678"}',
             "attachments": [{"name": "wanjiku_kamau_id.pdf", "path": "/home/kamau/0712345678"}],
             "wait_for_pattern": "Wanjiku.*"},
        ],
    }  # fmt: skip
    for turn in (False, True):
        post({**secret, "ended": turn})
        text = everything().casefold()
        assert [
            word for word in ("wanjiku", "kamau", "712345678", "345678", "55501", "555 01", "555.01") if word in text
        ] == []
    turns = list(Turn.objects.order_by("position"))
    assert turns[1].tool_calls[0]["id"] == turns[2].tool_call_id == "call-1"


def test_names_that_are_patterns_mask_themselves_and_nothing_else() -> None:
    post(
        document("c", "Hello .* (a+)+$ [Ann] and Bob", customer={"names": [".*", "(a+)+$", "[Ann]", "\\"]}, ended=True)
    )
    assert Turn.objects.get().content == "Hello .* (a+)+$ [<name>] and Bob"


@pytest.mark.parametrize(
    "raw, pointer",
    [
        ([], ""),
        ({"id": [7], "turns": []}, "/id"),
        (document(customer="Ann"), "/customer"),
        (document(customer={"names": "Ann"}), "/customer/names"),
        (document(customer={"names": ["x" * 201]}), "/customer/names/0"),
        (document(customer={"nick": ["x"]}), "/customer/nick"),
        (document(ended="yes"), "/ended"),
        (document(prompt_version="a b"), "/prompt_version"),
        (document(agent="nobody"), "/agent"),
        ({"id": "x", "turns": [{"role": "user", "content": "x" * 50_001}]}, "/turns/0/content"),
        ({"id": "x", "turns": [{"role": "user", "content": "x" * 40_000}] * 26}, "/turns"),
        ({"id": "x", "turns": [{"role": "user", "content": "x"}] * 401}, "/turns"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_place_and_nothing_is_stored(raw: Any, pointer: str) -> None:
    with pytest.raises(BadInput) as refused:
        post(raw)
    assert refused.value.pointer == pointer
    assert not ProductionConversation.objects.exists()
    assert not TestRun.objects.exists()


def test_the_database_deletes_turns_of_nothing_but_production_past_its_time() -> None:
    post(document("old", ended=True), datetime.now(UTC) - timedelta(days=15))
    post(document("new", ended=True), datetime.now(UTC))
    old, new = Conversation.objects.order_by("keep_until")
    with pytest.raises(Error), transaction.atomic():
        new.turns.all().delete()
    with pytest.raises(Error), transaction.atomic():
        Conversation.objects.filter(pk=new.pk).update(keep_until=NOW - timedelta(days=400))
    with pytest.raises(Error), transaction.atomic():
        old.turns.update(content="rewritten")
    assert old.turns.all().delete()[0] == 2


def test_a_large_document_is_masked_in_seconds() -> None:
    """The largest that is taken: 400 turns, a million characters, all of them numbers."""
    line = "0712345678 Wanjiku a@b.co " * 96
    started = datetime.now(UTC)
    post({"id": "x", "customer": {"names": ["Wanjiku"]}, "turns": [{"role": "user", "content": line[:2490]}] * 400})
    assert datetime.now(UTC) - started < timedelta(seconds=20)
    assert json.dumps(list(Turn.objects.values_list("content", flat=True))).count("Wanjiku") == 0

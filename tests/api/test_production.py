"""The production room's door: who may post, what is answered, and what no answer, log or key store tells."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.api.models import IdempotencyRecord
from apps.api.services.keys import add_api_key
from apps.production.models import Feedback, ProductionConversation
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import KeyScope
from tests.api.api_client import Door, conversation

PATH, FEEDBACK = "production/conversations/", "feedback/"
PHONE = "0712345678"


def posted(id: str = "chat-1", **more: Any) -> dict[str, Any]:
    return conversation(id) | {"ended": True} | more


def rating(id: str = "f-1", conversation_id: str = "chat-1", rating: str = "down", **more: Any) -> dict[str, Any]:
    return {"id": id, "conversation_id": conversation_id, "rating": rating, **more}


def test_a_conversation_and_its_thumbs_down_are_taken(acme: Door) -> None:
    taken = acme.post(PATH, posted())
    assert (taken.status_code, taken.json()["status"], taken.json()["id"]) == (202, "settled", "chat-1")
    liked = acme.post(FEEDBACK, rating(comment=f"call {PHONE}", ts="2026-11-20T10:00:00Z", channel="whatsapp"))
    assert liked.status_code == 202
    assert liked.json() == {"conversation_id": taken.json()["conversation_id"], "rating": "down", "new": True}
    with in_tenant("acme"):
        row = Feedback.objects.get()
        assert (row.comment, row.given_at.hour, row.channel) == ("call +254 7** *** 678", 10, "whatsapp")


def test_the_same_feedback_again_changes_nothing_whatever_it_says(acme: Door) -> None:
    acme.post(PATH, posted())
    acme.post(FEEDBACK, rating())
    again = acme.post(FEEDBACK, rating(rating="up", comment="other"))
    assert (again.status_code, again.json()["rating"], again.json()["new"]) == (202, "down", False)
    with in_tenant("acme"):
        assert list(Feedback.objects.values_list("rating", "comment")) == [("down", "")]


def test_an_id_of_feedback_that_rated_another_conversation_is_refused_and_names_it(acme: Door) -> None:
    first = acme.post(PATH, posted()).json()["conversation_id"]
    acme.post(PATH, posted(id="chat-2"))
    acme.post(FEEDBACK, rating())
    refused = acme.post(FEEDBACK, rating(conversation_id="chat-2", rating="up"))
    problem = refused.json()
    assert (refused.status_code, problem["code"], problem["conversation_id"]) == (409, "other_conversation", first)
    assert "'f-1'" in problem["detail"]
    assert acme.post(FEEDBACK, rating(conversation_id=first)).status_code == 202
    with in_tenant("acme"):
        assert list(Feedback.objects.values_list("rating", flat=True)) == ["down"]


def test_feedback_finds_its_conversation_by_our_id_too(acme: Door) -> None:
    own = acme.post(PATH, posted()).json()["conversation_id"]
    assert acme.post(FEEDBACK, rating(conversation_id=own)).json()["conversation_id"] == own


def test_a_comment_that_comes_later_is_masked_by_names_that_are_no_longer_stored(acme: Door) -> None:
    acme.post(PATH, posted(customer={"names": ["Wanjiku Kamau"]}))
    acme.post(FEEDBACK, rating(rating="comment", comment="Tell kamau's sister, Otieno"))
    with in_tenant("acme"):
        assert ProductionConversation.objects.get().people.reveal() == ""
        assert Feedback.objects.get().comment == "Tell <name>'s sister, Otieno"


@pytest.mark.parametrize(
    "body, status, pointer",
    [
        (rating(conversation_id="nobody"), 404, "/conversation_id"),
        (rating(rating="meh"), 400, "/rating"),
        (rating(rating="comment"), 400, "/comment"),
        (rating(id=""), 400, "/id"),
        (rating(ts="yesterday"), 400, "/ts"),
        (rating(comment="x" * 4001), 400, "/comment"),
        (rating(stars=5), 400, "/stars"),
        ({}, 400, "/id"),
    ],
)
def test_feedback_that_cannot_be_read_is_refused_by_its_field(
    acme: Door, body: dict[str, Any], status: int, pointer: str
) -> None:
    acme.post(PATH, posted())
    refused = acme.post(FEEDBACK, body)
    assert (refused.status_code, refused.json()["pointer"]) == (status, pointer)
    with in_tenant("acme"):
        assert not Feedback.objects.exists()


def test_the_same_body_gives_the_same_answer_and_another_is_refused_once_it_is_settled(acme: Door) -> None:
    first = acme.post(PATH, posted())
    assert acme.post(PATH, posted()).json() == first.json()
    other = acme.post(PATH, posted(turns=conversation(turns=4)["turns"]))
    assert (other.status_code, other.json()["code"]) == (409, "conversation_settled")
    shorter = acme.post(PATH, conversation("open", turns=4)), acme.post(PATH, conversation("open", turns=3))
    assert [one.status_code for one in shorter] == [202, 409]
    assert shorter[1].json()["code"] == "turns_differ"


def test_another_tenant_neither_sees_nor_rates_it(acme: Door, beta: Door) -> None:
    own = acme.post(PATH, posted()).json()["conversation_id"]
    assert [beta.post(FEEDBACK, rating(conversation_id=one)).status_code for one in ("chat-1", own)] == [404, 404]
    assert beta.post(PATH, posted(turns=conversation(turns=4)["turns"])).status_code == 202
    with in_tenant("acme"):
        assert ProductionConversation.objects.count() == 1


def test_a_key_that_may_only_read_does_not_post_and_one_that_may_write_reads_nothing(acme: Door) -> None:
    with in_tenant("acme"):
        reader = add_api_key(name="r", scopes=[KeyScope.READ]).secret
        writer = add_api_key(name="w", scopes=[KeyScope.WRITE]).secret
    bodies = ((PATH, posted()), (FEEDBACK, rating()))
    assert [Door("acme", reader).post(*one).status_code for one in bodies] == [403, 403]
    assert [Door("acme", writer).post(*one).status_code for one in bodies] == [202, 202]
    run = acme.post(PATH, posted()).json()["test_run_id"]
    assert Door("acme", writer).get(f"test-runs/{run}/conversations/").status_code == 403
    assert [Door("acme").post(*one).status_code for one in bodies] == [401, 401]
    assert [acme.get(one[0]).status_code for one in bodies] == [405, 405]


def test_a_signature_posts_and_an_old_one_does_not(acme: Door) -> None:
    assert Door("acme").signed(PATH, posted(), acme.secret).status_code == 202
    old = timezone.now() - timedelta(minutes=6)
    assert Door("acme").signed(PATH, posted("chat-2"), acme.secret, at=old).status_code == 401


def test_no_answer_log_or_store_of_answers_holds_what_was_masked(acme: Door, caplog: pytest.LogCaptureFixture) -> None:
    secret = {"customer": {"names": ["Wanjiku"], "phones": [PHONE]}, "customer_ref": PHONE}
    body = posted(f"wa:{PHONE}", **secret, labels={"who": f"Wanjiku {PHONE}"})
    body["turns"][0]["content"] = f"Wanjiku here, {PHONE}"
    answers = [
        acme.post(PATH, body, Idempotency_Key="one"),
        acme.post(PATH, body, Idempotency_Key="one"),
        acme.post(PATH, body | {"turns": body["turns"] * 2}),
        acme.post(FEEDBACK, rating(f"rb:{PHONE}:down", f"wa:{PHONE}", comment="Wanjiku"), Idempotency_Key="two"),
    ]
    assert [one.status_code for one in answers] == [202, 202, 409, 202]
    said = [one.content.decode() for one in answers] + [str(vars(record)) for record in caplog.records]
    with in_tenant("acme"), connection.cursor() as cursor:
        said += [str(one) for one in IdempotencyRecord.objects.values_list("body", "key", "scope")]
        for table in (
            "audit_entry",
            "jobs_outbounddelivery",
            "production_feedback",
            "production_productionconversation",
        ):
            cursor.execute(f"SELECT t::text FROM {table} t")  # noqa: S608
            said += [row[0] for row in cursor.fetchall()]
    assert [one for one in said if "Wanjiku" in one or "12345678" in one] == []


def test_a_body_that_is_nested_too_deeply_or_too_large_is_refused(acme: Door) -> None:
    deep: Any = "x"
    for _ in range(70):
        deep = {"a": deep}
    assert acme.post(PATH, posted(extra=deep)).status_code == 400
    assert acme.post(PATH, posted(extra="x" * 5_300_000)).status_code == 413
    assert acme.post(PATH, b"[" * 100_000).status_code == 400

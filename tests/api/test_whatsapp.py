"""WhatsApp's webhook: who may post, what becomes of presses and replies, and what is never read."""

import os
import random
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command

from apps.production.intake.services.conversations import take_conversation
from apps.production.models import (
    Feedback,
    FeedbackOptOut,
    FeedbackQuestion,
    PendingComment,
    ProductionConversation,
    WhatsAppAccount,
    WhatsAppContact,
    WhatsAppPost,
)
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.retention.services.deleting import delete_all_expired
from apps.production.whatsapp.services.posts import work_through_posts
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.production.whatsapp_samples import (
    AT,
    BSUID,
    OTHER_PHONE,
    PHONE,
    SECRET,
    message,
    press,
    signed,
    text,
    webhook,
)

PATH = "feedback/whatsapp/"
NOW = datetime.fromtimestamp(AT, UTC) + timedelta(minutes=30)
LATER = datetime.now(UTC) + timedelta(hours=1)  # of posts, which come by the real clock
PRESSES = int(os.environ.get("RATIBA_TEST_PRESSES", "120"))  # 1,000 in the figures of docs/production.md


@pytest.fixture
def account(acme: Door) -> None:
    with in_tenant("acme"):
        WhatsAppAccount.objects.create(name="desk", app_secret=SECRET, verify_token="token-1")


def converse(id: str = "chat-1", *, now: datetime = NOW, **customer: Any) -> str:
    turns = [{"role": "user", "content": "Hi, Kamau here"}, {"role": "assistant", "content": "Karibu"}]
    raw = {"id": id, "turns": turns, "ended": True, "channel": "whatsapp", "customer": customer or {"phones": [PHONE]}}
    with in_tenant("acme"):
        return str(take_conversation(raw=raw, now=now).conversation_id)


def post(door: Door, *messages: dict[str, Any], secret: str = SECRET, **more: Any) -> Any:
    raw, header = signed(webhook(*messages, **more), secret)
    return Door(door.tenant).post(PATH, raw, x_hub_signature_256=header)


def work(now: datetime = LATER) -> None:
    with in_tenant("acme"):
        work_through_posts(now=lambda: now, until=now + timedelta(seconds=20))


def outcome() -> dict[str, int]:
    with in_tenant("acme"):
        return dict(sum((Counter(one) for one in WhatsAppPost.objects.values_list("outcome", flat=True)), Counter()))


def ratings() -> list[str]:
    with in_tenant("acme"):
        return sorted(Feedback.objects.values_list("rating", flat=True))


def test_meta_subscribes_with_the_verify_token_alone(acme: Door, account: None) -> None:
    ask = f"{PATH}?hub.mode=subscribe&hub.verify_token=%s&hub.challenge=1158201444"
    good = Door("acme").get(ask % "token-1")
    assert (good.status_code, good.content, good["content-type"]) == (200, b"1158201444", "text/plain; charset=utf-8")
    assert [Door("acme").get(ask % one).status_code for one in ("token-2", "", "%ff")] == [403] * 3
    assert Door("beta").get(ask % "token-1").status_code == 403


def test_a_press_is_stored_as_a_row_and_becomes_feedback_when_a_worker_comes(acme: Door, account: None) -> None:
    converse()
    assert post(acme, press("chat-1", "down")).status_code == 200
    with in_tenant("acme"):
        stored = WhatsAppPost.objects.get()
        assert PHONE in stored.body.reveal()
        assert not Feedback.objects.exists()
    work()
    with in_tenant("acme"):
        row, stored = Feedback.objects.get(), WhatsAppPost.objects.get()
        assert (row.rating, row.channel, row.given_at.timestamp()) == ("down", "whatsapp", AT)
        assert (stored.status, stored.body.reveal(), stored.outcome) == ("done", "", {"stored": 1})


@pytest.mark.parametrize("how", ["secret", "body", "header", "none"])
def test_what_is_not_signed_over_these_bytes_is_refused_and_not_stored(acme: Door, account: None, how: str) -> None:
    raw, header = signed(webhook(press("chat-1", "up")), "wrong" if how == "secret" else SECRET)
    raw = raw.replace(b":up", b":down") if how == "body" else raw
    header = {"header": header[:-1], "none": ""}.get(how, header)
    refused = Door("acme").post(PATH, raw, **({"x_hub_signature_256": header} if header else {}))
    assert (refused.status_code, refused.json()["code"]) == (401, "wrong_signature")
    with in_tenant("acme"):
        assert not WhatsAppPost.objects.exists()


def test_another_tenants_app_opens_nothing(acme: Door, beta: Door, account: None) -> None:
    assert post(beta, press("chat-1", "up")).status_code == 401


def test_presses_leave_exact_rows_in_any_order(acme: Door, account: None) -> None:
    """Each thumb pressed up to some times, posts repeated and shuffled, some wrongly signed, some of strangers."""
    drawn = random.Random(7)
    for n in range(PRESSES // 4):
        converse(f"chat-{n}", phones=[f"2547{n:08d}"])
    presses: list[tuple[bytes, str, int]] = []
    wanted, first = set[tuple[int, str]](), dict[tuple[int, str], int]()
    while len(presses) < PRESSES:
        n, rating, at = drawn.randrange(PRESSES // 4), drawn.choice(["up", "down"]), AT + drawn.randrange(900)
        stranger = drawn.random() < 0.1
        sender = OTHER_PHONE if stranger else f"2547{n:08d}"
        signs = drawn.random() >= 0.1
        raw, header = signed(
            webhook(press(f"chat-{n}", rating, **{"from": sender, "timestamp": str(at)})), SECRET if signs else "wrong"
        )
        presses.append((raw, header, 200 if signs else 401))
        if signs and not stranger:
            wanted.add((n, rating))
            first[n, rating] = min(at, first.get((n, rating), at))
    again = drawn.choices(presses, k=PRESSES // 5)
    everything = [*presses, *again]
    drawn.shuffle(everything)
    took = []
    for raw, header, status in everything:
        cache.clear()  # no limit of callers is meant here
        began = time.perf_counter()
        assert Door("acme").post(PATH, raw, x_hub_signature_256=header).status_code == status
        took.append(time.perf_counter() - began)
    work()
    with in_tenant("acme"):
        rows = Feedback.objects.select_related("conversation__production").values_list(
            "conversation__production__external_id", "rating", "given_at"
        )
        found = {(int(id.removeprefix("chat-")), rating): int(at.timestamp()) for id, rating, at in rows}
        assert len(rows) == len(wanted)
        assert found == first
        assert not WhatsAppPost.objects.exclude(status="done").exists()
    print(f"{len(everything)} posts, {len(rows)} rows, median {sorted(took)[len(took) // 2] * 1000:.1f} ms")
    assert sorted(took)[len(took) // 10] < 0.1, "a machine with more to do than processors is slower now and then"


def test_a_stranger_who_knows_the_buttons_id_rates_nothing(acme: Door, account: None) -> None:
    converse()
    post(acme, press("chat-1", "down", **{"from": OTHER_PHONE}))
    work()
    assert (ratings(), outcome()) == ([], {"wrong_sender": 1})


def test_a_conversation_of_whom_nobody_is_listed_is_rated_by_nobody(acme: Door, account: None) -> None:
    converse(names=["Kamau"])
    post(acme, press("chat-1", "down"))
    work()
    assert outcome() == {"wrong_sender": 1}


@pytest.mark.parametrize("listed", [{"phones": ["0712 345 678"]}, {"wa_ids": [PHONE]}, {"phones": ["+254 712 345678"]}])
def test_a_number_is_the_same_in_every_spelling(acme: Door, account: None, listed: dict[str, Any]) -> None:
    converse(**listed)
    post(acme, press("chat-1", "up"))
    work()
    assert ratings() == ["up"]


def test_one_contact_may_hold_a_number_and_a_bsuid(acme: Door, account: None) -> None:
    converse("by-phone", phones=[PHONE])
    converse("by-bsuid", wa_ids=[BSUID])
    only_user = {"from": BSUID}
    post(acme, press("by-phone", "down", **only_user))
    work()
    assert outcome() == {"wrong_sender": 1}  # nobody told that they are one
    post(acme, press("by-bsuid", "up", from_user_id=BSUID))
    post(acme, press("by-phone", "up", **only_user))
    work()
    assert ratings() == ["up", "up"]
    with in_tenant("acme"):
        assert WhatsAppContact.objects.count() == 1
        assert BSUID not in str(list(WhatsAppContact.objects.values()))


def test_words_within_ten_minutes_after_the_comment_button_are_the_comment(acme: Door, account: None) -> None:
    converse(phones=[PHONE], names=["Kamau"])
    post(acme, press("chat-1", "comment"))
    post(acme, text("Kamau waited an hour, 0712 345 678", timestamp=str(AT + 599)))
    work()
    with in_tenant("acme"):
        row = Feedback.objects.get()
        assert (row.rating, row.comment) == ("comment", "<name> waited an hour, +254 7** *** 678")


def test_a_reply_that_comes_before_its_press_waits_a_minute_for_it(acme: Door, account: None) -> None:
    converse()
    post(acme, text("slow", timestamp=str(AT + 5)))
    with in_tenant("acme"):
        came = WhatsAppPost.objects.get().created_at
    work(came + timedelta(seconds=1))
    post(acme, press("chat-1", "comment"))
    work(came + timedelta(seconds=2))
    assert ratings() == []
    work(came + timedelta(seconds=61))
    assert ratings() == ["comment"]


@pytest.mark.parametrize("replies", [("first", "second"), ("second", "first")])
def test_of_two_replies_the_earlier_one_is_the_comment_whichever_comes_first(
    acme: Door, account: None, replies: tuple[str, str]
) -> None:
    converse()
    post(acme, press("chat-1", "comment"))
    for one in replies:
        post(acme, text(one, timestamp=str(AT + (10 if one == "first" else 20))))
        work()
    with in_tenant("acme"):
        assert list(Feedback.objects.values_list("comment", flat=True)) == ["first"]


@pytest.mark.parametrize(
    "more",
    [{"timestamp": str(AT + 601)}, {"from": OTHER_PHONE}, {"timestamp": str(AT - 1)}, {"context": {"id": "wamid.Z"}}],
)
def test_words_that_answer_nothing_are_dropped_unread(acme: Door, account: None, more: dict[str, Any]) -> None:
    converse()
    if "context" not in more:
        post(acme, press("chat-1", "comment"))
    post(acme, text("my secret", **more))
    work()
    assert outcome()["dropped_unread"] == 1
    with in_tenant("acme"):
        assert not Feedback.objects.exists()
        assert not WhatsAppPost.objects.exclude(body="").exists()


def test_a_quoted_question_is_answered_at_any_time(acme: Door, account: None) -> None:
    converse()
    post(acme, press("chat-1", "comment", context={"id": "wamid.Q"}))
    post(acme, text("late but quoted", timestamp=str(AT + 1500), context={"id": "wamid.Q"}))
    work()
    assert ratings() == ["comment"]


def test_a_press_that_comes_before_its_conversation_is_looked_at_again(acme: Door, account: None) -> None:
    post(acme, press("chat-1", "up"))
    with in_tenant("acme"):
        came = WhatsAppPost.objects.get().created_at
    work(came + timedelta(seconds=1))
    assert ratings() == []
    converse()
    work(came + timedelta(hours=2))
    assert ratings() == ["up"]


def test_what_no_conversation_is_posted_for_is_forgotten_within_a_day(acme: Door, account: None) -> None:
    post(acme, press("nobody", "up"))
    work(LATER + timedelta(days=30))
    with in_tenant("acme"):
        row = WhatsAppPost.objects.get()
        assert (row.status, row.body.reveal(), row.outcome) == ("done", "", {"unknown_conversation": 1})


def test_stop_in_reply_to_a_question_is_an_opt_out_and_no_comment(acme: Door, account: None) -> None:
    converse()
    post(acme, press("chat-1", "comment"))
    post(acme, text("Stop!", timestamp=str(AT + 9)))
    work()
    assert ratings() == []
    with in_tenant("acme"):
        assert FeedbackOptOut.objects.count() == 1


def test_a_signed_body_that_is_no_webhook_ends_alone(acme: Door, account: None) -> None:
    raw, header = signed({"object": "page"})
    assert Door("acme").post(PATH, raw, x_hub_signature_256=header).status_code == 200
    converse()
    post(acme, press("chat-1", "up"))
    work()
    assert (ratings(), outcome()) == (["up"], {"stored": 1, "not_readable": 1})


def test_presses_find_what_was_digested_under_an_older_key(acme: Door, account: None) -> None:
    id = converse()
    call_command("rotate_pseudonym_key", tenant="acme")
    assert converse() == id
    converse("chat-2")
    post(acme, press("chat-1", "up"), press("chat-2", "down"))
    work()
    assert ratings() == ["down", "up"]


def test_what_waits_for_a_comment_goes_with_its_conversation(acme: Door, account: None) -> None:
    converse(now=NOW - timedelta(days=30))
    post(acme, press("chat-1", "comment"))
    work()
    with in_tenant("acme"):
        assert PendingComment.objects.count() == 1
        delete_all_expired(now=NOW)
        assert not PendingComment.objects.exists()
        assert ProductionConversation.objects.get().person_digests == {}


def test_a_body_beyond_metas_own_bound_is_refused(acme: Door, account: None) -> None:
    raw, header = signed(webhook(text("x" * (3 * 1024 * 1024))))
    assert Door("acme").post(PATH, raw, x_hub_signature_256=header).status_code == 413


def commented(acme: Door, words: str = "slow") -> dict[str, Any]:
    """A conversation whose customer left a comment; the message that it came in."""
    converse(phones=[PHONE], names=["Kamau"])
    said = text(words, timestamp=str(AT + 10))
    post(acme, press("chat-1", "comment"))
    post(acme, said)
    work()
    return said


def comments() -> list[str]:
    with in_tenant("acme"):
        return list(Feedback.objects.values_list("comment", flat=True))


def test_who_takes_a_message_back_takes_the_comment_back(acme: Door, account: None) -> None:
    said = commented(acme, "slow, says Kamau")
    assert comments() == ["slow, says <name>"]
    post(acme, message(type="revoke", revoke={"original_message_id": said["id"]}))
    work()
    assert (comments(), outcome()["changed"]) == ([""], 1)


@pytest.mark.parametrize("nested", [True, False])
def test_a_message_that_was_rewritten_is_the_comment(acme: Door, account: None, nested: bool) -> None:
    said = commented(acme)
    words = {"type": "text", "text": {"body": "fast, thanks Kamau"}}
    edit = {"original_message_id": said["id"]} | ({"message": words} if nested else {"text": words["text"]})
    for _ in range(2):
        post(acme, message(type="edit", edit=edit))
    work()
    assert comments() == ["fast, thanks <name>"]


def test_nobody_else_takes_a_comment_back_and_one_that_comes_early_waits(acme: Door, account: None) -> None:
    converse()
    said = text("slow", timestamp=str(AT + 10))
    revoke = message(type="revoke", revoke={"original_message_id": said["id"]})
    post(acme, revoke)
    with in_tenant("acme"):
        came = WhatsAppPost.objects.get().created_at
    work(came + timedelta(seconds=1))
    post(acme, press("chat-1", "comment"))
    post(acme, said)
    work(came + timedelta(seconds=2))
    post(acme, message(type="revoke", revoke={"original_message_id": said["id"]}, **{"from": OTHER_PHONE}))
    work(came + timedelta(seconds=3))
    assert (comments(), outcome()["wrong_sender"]) == (["slow"], 1)
    work(came + timedelta(seconds=61))
    assert comments() == [""]


@pytest.mark.parametrize("emoji, expected", [("👍", ["up"]), ("👎🏿", ["down"]), ("❤", []), ("", [])])
def test_a_thumb_under_our_question_is_a_rating(acme: Door, account: None, emoji: str, expected: list[str]) -> None:
    conversation = converse()
    with in_tenant("acme"):
        row = ProductionConversation.objects.get(conversation_id=conversation)
        FeedbackQuestion.objects.create(
            conversation_id=conversation, account=WhatsAppAccount.objects.get(), expires_at=LATER, created_at=NOW,
            person_digests=row.person_digests, message_digest=pseudonyms().digest("wamid", "wamid.Q"), status="sent",
        )  # fmt: skip
    for who in (PHONE, PHONE, OTHER_PHONE):
        post(acme, message(type="reaction", reaction={"message_id": "wamid.Q", "emoji": emoji}, **{"from": who}))
    work()
    assert ratings() == expected

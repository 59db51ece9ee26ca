"""After 💬 the customer is asked for the words, over a server that speaks Meta's wire format; and their number is
forgotten."""

import json
from datetime import timedelta

import pytest

from apps.jobs.models import OutboundDelivery
from apps.production.models import Feedback, FeedbackOptOut, PendingComment, WhatsAppAccount, WhatsAppPost
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.whatsapp.domain.payload import WhatsAppSender
from apps.production.whatsapp.services.comment_prompts import forget_prompted
from apps.production.whatsapp.services.opt_outs import take_wish
from apps.production.whatsapp.services.posts import work_through_posts
from tests.production.test_whatsapp_questions import NOW, Graph, converse, error, graph, send
from tests.production.whatsapp_samples import BSUID, PHONE, press, text, webhook

__all__ = ["graph"]  # the fixture
PRESSED = NOW + timedelta(seconds=30)


def posted(message, *, digest: str = "d", now=PRESSED) -> None:
    WhatsAppPost.objects.create(digest=digest, body=json.dumps(webhook(message)))
    work_through_posts(now=lambda: now, until=now + timedelta(seconds=9))


def pressed(at=PRESSED, *, digest: str = "d", **more) -> None:
    posted(press("chat-1", "comment", timestamp=str(int(at.timestamp())), **more), digest=digest, now=at)


def test_after_the_button_one_message_asks_for_the_words_and_the_reply_is_the_comment(graph: Graph) -> None:
    converse(language="it")
    send()
    pressed()
    pressed(digest="again")
    assert [PHONE in one.recipient.reveal() for one in PendingComment.objects.order_by("pk")] == [True, False]
    assert send(PRESSED) == 1
    sent = graph.messages[-1]
    assert (sent["to"], sent["type"]) == (PHONE, "text")
    assert sent["text"]["body"].startswith("Che cosa vuoi dirci? Scrivilo in un solo messaggio")
    assert [one.recipient.reveal() for one in PendingComment.objects.all()] == ["", ""]
    assert send(PRESSED + timedelta(minutes=5)) == 0

    said = text("slow", timestamp=str(int(PRESSED.timestamp()) + 60), id="wamid.T")
    posted(said, digest="t", now=PRESSED + timedelta(minutes=1))
    assert list(Feedback.objects.values_list("comment", flat=True)) == ["slow"]


def test_a_bsuid_is_asked_as_recipient(graph: Graph) -> None:
    converse(customer={"wa_ids": [BSUID]})
    send()
    pressed(**{"from": "", "from_user_id": BSUID})
    send(PRESSED)
    assert graph.messages[-1]["recipient"] == BSUID


@pytest.mark.parametrize("why", ["opted out", "nobody asks", "late", "opted out meanwhile"])
def test_nobody_is_asked_who_does_not_want_it_or_when_the_comment_is_not_waited_for(graph: Graph, why: str) -> None:
    converse()
    send()
    if why == "opted out":
        take_wish(keys=pseudonyms(), sender=WhatsAppSender(phone=PHONE), wanted=False, now=NOW)
    if why == "nobody asks":
        WhatsAppAccount.objects.update(asks=False)
    pressed()
    if why == "opted out meanwhile":
        take_wish(keys=pseudonyms(), sender=WhatsAppSender(phone=PHONE), wanted=False, now=NOW)
    before = len(graph.got)
    send(PRESSED + timedelta(minutes=11) if why == "late" else PRESSED)
    assert len(graph.got) == before
    assert PendingComment.objects.get().recipient.reveal() == ""


def test_a_number_that_was_not_sent_to_is_forgotten_after_ten_minutes(graph: Graph) -> None:
    converse()
    pressed()
    OutboundDelivery.objects.all().delete()  # as if nobody delivered anything
    assert forget_prompted(now=PRESSED + timedelta(minutes=9)) == 0
    assert forget_prompted(now=PRESSED + timedelta(minutes=10)) == 1
    assert PendingComment.objects.get().recipient.reveal() == ""


def test_meta_says_that_this_person_wants_none(graph: Graph) -> None:
    converse()
    send()
    pressed()
    graph.next = [error(131050)]
    send(PRESSED)
    assert FeedbackOptOut.objects.exists()


def test_a_stranger_who_presses_is_asked_nothing(graph: Graph) -> None:
    converse()
    send()
    pressed(**{"from": "254733333333"})
    assert not PendingComment.objects.exists()
    assert send(PRESSED) == 0

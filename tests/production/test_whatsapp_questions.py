"""Buttons after a conversation, over a server that speaks Meta's wire format: who is asked, and what is forgotten."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.connectors import whatsapp
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due, deliver_to_slow
from apps.jobs.services.outbound import SLOW
from apps.production.intake.services.conversations import take_conversation
from apps.production.models import Feedback, FeedbackOptOut, FeedbackQuestion, WhatsAppAccount, WhatsAppPost
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.whatsapp.domain.payload import SendingReport, WhatsAppSender
from apps.production.whatsapp.services.opt_outs import take_wish
from apps.production.whatsapp.services.posts import work_through_posts
from apps.production.whatsapp.services.question_reports import take_report
from apps.production.whatsapp.services.questions import forget_recipients
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.production.whatsapp_samples import BSUID, PHONE, text, webhook

NOW = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)


class Graph:
    """Meta's side: takes a message and names it, or refuses with the errors that stand next."""

    def __init__(self) -> None:
        self.got: list[Request] = []
        self.next: list[Answer] = []

    def __call__(self, request: Request) -> Answer:
        self.got.append(request)
        if self.next:
            return self.next.pop(0)
        to = self.messages[-1].get("to") or self.messages[-1]["recipient"]
        answer = {"messaging_product": "whatsapp", "contacts": [{"input": to, "wa_id": to}]}
        answer["messages"] = [{"id": f"wamid.SENT{len(self.got)}"}]
        return Answer(body=json.dumps(answer).encode())

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(one.body) for one in self.got]


def error(code: int, status: int = 400) -> Answer:
    body = {"error": {"message": f"(#{code}) no", "type": "OAuthException", "code": code, "fbtrace_id": "A"}}
    return Answer(status=status, body=json.dumps(body).encode())


@pytest.fixture
def graph(tenant: str, settings: Any) -> Iterator[Graph]:
    settings.ALLOW_PRIVATE_CALLBACKS = True
    found = Graph()
    with LoopbackServer(found) as server:
        WhatsAppAccount.objects.create(
            name="desk",
            phone_number_id="111",
            access_token="EAAG-token",
            graph_url=server.url,
            asks=True,
        )
        yield found


def converse(
    id: str = "chat-1", *, said: datetime = NOW - timedelta(hours=1), now: datetime = NOW, **more: Any
) -> None:
    turns = [{"role": "user", "content": "Habari", "ts": said.isoformat()}, {"role": "assistant", "content": "Karibu"}]
    raw = {"id": id, "turns": turns, "ended": True, "channel": "whatsapp", "customer": {"phones": [PHONE]}, **more}
    take_conversation(raw=raw, now=now)


def send(now: datetime = NOW) -> int:
    return deliver_due(now=lambda: now)


def question() -> FeedbackQuestion:
    return FeedbackQuestion.objects.get()


def test_three_buttons_go_out_in_the_language_of_the_conversation_and_the_number_is_forgotten(graph: Graph) -> None:
    converse(language="sw")
    assert PHONE in question().recipient.reveal()
    assert send() == 1
    (sent,), request = graph.messages, graph.got[0]
    assert (request.path, request.headers["authorization"]) == ("/v24.0/111/messages", "Bearer EAAG-token")
    assert (sent["to"], sent["type"], sent["recipient_type"]) == (PHONE, "interactive", "individual")
    buttons = [one["reply"] for one in sent["interactive"]["action"]["buttons"]]
    ours = str(question().conversation_id)
    assert [one["id"] for one in buttons] == [f"rb:{ours}:up", f"rb:{ours}:down", f"rb:{ours}:comment"]
    assert [one["title"] for one in buttons] == ["👍 Vizuri", "👎 Si vizuri", "💬 Toa maoni"]
    row = question()
    assert (row.status, row.recipient.reveal(), row.sent_at) == ("sent", "", NOW)
    assert row.message_digest == pseudonyms().digest("wamid", "wamid.SENT1")
    assert send(NOW + timedelta(days=1)) == 0


def test_a_question_behind_a_slow_receiver_is_sent_though_the_quick_lane_looked_at_it(graph: Graph) -> None:
    converse()
    OutboundDelivery.objects.update(waiting_for=SLOW)
    converse("chat-2", customer={"phones": ["254722000111"]})
    assert send() == 1
    assert deliver_to_slow(now=lambda: NOW) == 1
    assert set(FeedbackQuestion.objects.values_list("status", flat=True)) == {"sent"}


def test_a_bsuid_is_addressed_as_recipient(graph: Graph) -> None:
    converse(customer={"wa_ids": [BSUID]})
    send()
    assert (graph.messages[0]["recipient"], "to" in graph.messages[0]) == (BSUID, False)


@pytest.mark.parametrize(
    "more",
    [
        {"said": NOW - timedelta(hours=24)},
        {"channel": "web"},
        {"customer": {"names": ["Kamau"]}},
        {"customer": {"phones": ["12345"]}},
    ],
)
def test_nobody_is_asked_after_the_window_on_another_channel_or_without_a_number(
    graph: Graph, more: dict[str, Any]
) -> None:
    converse(**more)
    assert (send(), FeedbackQuestion.objects.count()) == (0, 0)


def test_nobody_is_asked_where_no_account_asks(graph: Graph) -> None:
    WhatsAppAccount.objects.update(asks=False)
    converse()
    assert not OutboundDelivery.objects.exists()


def test_a_person_is_asked_once_a_week(graph: Graph) -> None:
    converse("a")
    converse("b")
    converse("c", said=NOW + timedelta(days=8), now=NOW + timedelta(days=8))
    asked = FeedbackQuestion.objects.order_by("created_at").values_list("conversation__external_id", flat=True)
    assert set(asked) <= {"a", "c"}
    assert "a" in asked


def test_who_opted_out_is_not_asked_though_it_was_owed_already(graph: Graph) -> None:
    converse()
    take_wish(keys=pseudonyms(), sender=WhatsAppSender(phone=PHONE), wanted=False, now=NOW)
    send()
    converse("again")
    assert (graph.got, FeedbackQuestion.objects.count()) == ([], 1)
    assert (question().status, question().recipient.reveal()) == ("failed", "")
    take_wish(keys=pseudonyms(), sender=WhatsAppSender(phone=PHONE), wanted=True, now=NOW)
    assert not FeedbackOptOut.objects.exists()


@pytest.mark.parametrize("code", [100, 131026, 131047, 131050])
def test_a_refusal_for_good_is_the_last_attempt(graph: Graph, code: int) -> None:
    graph.next = [error(code)]
    converse()
    send()
    row = question()
    assert (row.status, row.error_code, row.recipient.reveal(), bool(row.error)) == ("failed", code, "", True)
    assert send(NOW + timedelta(hours=5)) == 0
    assert FeedbackOptOut.objects.exists() == (code == 131050)


@pytest.mark.parametrize("code, wait", [(130429, 60), (131056, 60), (80007, 900), (131048, 21_600)])
def test_a_limit_is_waited_for_and_then_it_is_sent(graph: Graph, code: int, wait: int) -> None:
    graph.next = [error(code, 429)]
    converse()
    send()
    assert (question().status, question().recipient.reveal()) == ("pending", f"+{PHONE}")
    due = OutboundDelivery.objects.get().not_before
    assert due >= NOW + timedelta(seconds=wait)
    assert send(due) == 1
    assert (question().status, len(graph.got)) == ("sent", 2)


def test_what_waits_beyond_the_window_is_never_sent_and_forgotten(graph: Graph) -> None:
    graph.next = [error(190, 401)]
    converse()
    send()
    assert "enter a new one" in question().error
    late = NOW + timedelta(hours=23)
    assert forget_recipients(now=late) == 1
    assert (question().status, question().recipient.reveal()) == ("expired", "")
    send(late + timedelta(hours=1))
    assert len(graph.got) == 1


def test_an_answer_that_never_came_is_not_asked_for_again(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whatsapp, "TIMEOUT_S", 0.2)
    graph.next = [Answer(fault="hang")]
    converse()
    send()
    assert (question().status, question().recipient.reveal()) == ("unknown", "")
    assert send(NOW + timedelta(hours=2)) == 0


def test_a_worker_that_was_killed_while_sending_leaves_no_second_message(graph: Graph) -> None:
    converse()
    FeedbackQuestion.objects.update(begun_attempt=0)  # it began the first attempt, and never wrote down its end
    send()
    assert (graph.got, question().status) == ([], "unknown")


def test_reports_move_a_question_forward_in_any_order(graph: Graph) -> None:
    converse()
    send()
    keys = pseudonyms()
    for status in ("read", "delivered", "sent"):
        assert take_report(SendingReport(message_id="wamid.SENT1", status=status, code=None), keys=keys, now=NOW)
    assert question().status == "read"
    assert not take_report(SendingReport(message_id="wamid.OTHER", status="read", code=None), keys=keys, now=NOW)


def test_words_that_quote_our_question_are_the_comment(graph: Graph) -> None:
    converse()
    send()
    reply = text("slow", timestamp=str(int(NOW.timestamp()) + 60), context={"id": "wamid.SENT1"})
    WhatsAppPost.objects.create(digest="d", body=json.dumps(webhook(reply)))
    later = NOW + timedelta(days=20)
    work_through_posts(now=lambda: later, until=later + timedelta(seconds=9))
    assert list(Feedback.objects.values_list("comment", flat=True)) == ["slow"]


@pytest.mark.parametrize("status, body, result", [
    (200, b'{"messages":[{"id":"wamid.1"}]}', "sent"), (200, b"<html>", "sent"), (500, b"", "later"),
    (400, b'{"error":{"code":true}}', "refused"), (401, b'{"error":{"code":190}}', "later"), (302, b"", "refused"),
])  # fmt: skip
def test_what_graph_answers_is_read_whatever_it_looks_like(status: int, body: bytes, result: str) -> None:
    assert whatsapp.read_answer(status, body).result == result


@pytest.mark.parametrize("buttons", [[], [("a", "x" * 21)], [("a", "x"), ("b", "x")], [(" a", "x")], [("a", "")]])
def test_what_breaks_a_limit_of_whatsapp_is_not_built(buttons: list[tuple[str, str]]) -> None:
    with pytest.raises(ValueError, match="characters"):
        whatsapp.buttons_message(recipient={"to": PHONE}, text="?", buttons=buttons)

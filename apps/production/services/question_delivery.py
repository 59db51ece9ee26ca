"""The outbox's adapter for questions to customers (apps.jobs.services.outbound): one message of WhatsApp each.

The Cloud API takes no idempotency key, so an attempt of which nobody knows what became of it is the last one: a
customer is asked once or not at all, never twice.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from apps.connectors.outbound import outbound_client
from apps.connectors.whatsapp import OPTED_OUT, GraphAddress, GraphAnswer, GraphResult, buttons_message, post_message
from apps.core.inserting import insert_new
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery
from apps.production.domain.contact_forms import is_user_id
from apps.production.domain.question_words import question_words
from apps.production.domain.ratings import Rating
from apps.production.domain.whatsapp_payload import button_id
from apps.production.domain.whatsapp_states import QuestionStatus
from apps.production.models import FeedbackOptOut, FeedbackQuestion
from apps.production.services.opt_outs import opted_out
from apps.production.services.outbound_policies import graph_policy
from apps.production.services.pseudonyms import pseudonyms

_BUTTONS = (Rating.UP, Rating.DOWN, Rating.COMMENT)


class WhatsAppQuestionAdapter:
    """Prepares, sends, and writes down which message of Meta's a question became."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """One query for all, and two statements for each."""
        rows = FeedbackQuestion.objects.select_related("account").in_bulk([one.subject_id for one in due])
        return [self._prepared(one, rows.get(one.subject_id), now()) for one in due]

    def client(self) -> Any:
        return outbound_client(graph_policy())

    def record(self, one: DueDelivery, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> None:
        """What became of an attempt, in the transaction of its delivery: the number is forgotten with the last one."""
        row = FeedbackQuestion.objects.filter(pk=one.subject_id).first()
        if row is None or row.status not in (QuestionStatus.PENDING, QuestionStatus.EXPIRED):
            return
        changes: dict[str, Any] = {"error": outcome.error[:300], "error_code": outcome.remote_code}
        if outcome.delivered:
            digest = pseudonyms().digest("wamid", outcome.receipt) if outcome.receipt else ""
            changes |= {"status": QuestionStatus.SENT, "sent_at": now, "message_digest": digest}
        elif not waits and row.status == QuestionStatus.PENDING:
            unknown = outcome.error.startswith("no answer")  # of connectors.whatsapp, and of _why_not
            changes["status"] = QuestionStatus.UNKNOWN if unknown else QuestionStatus.FAILED
        changes |= {} if waits else {"recipient": ""}
        FeedbackQuestion.objects.filter(pk=row.pk).update(**changes)
        if outcome.remote_code == OPTED_OUT:
            insert_new([FeedbackOptOut(created_at=now, person_digest=digest) for digest in row.person_digests])

    def _prepared(
        self, one: DueDelivery, row: FeedbackQuestion | None, now: datetime
    ) -> PreparedDelivery | DeliveryOutcome:
        if (why := _why_not(one, row, now)) or row is None:
            return DeliveryOutcome(delivered=False, refused=True, error=why or "the question is gone")
        FeedbackQuestion.objects.filter(pk=row.pk).update(begun_attempt=one.attempts)
        address = GraphAddress(
            base_url=row.account.graph_url, version=row.account.graph_version,
            phone_number_id=row.account.phone_number_id, token=row.account.access_token.reveal(),
        )  # fmt: skip
        message = question_message(row)

        async def send(client: Any, within_s: float) -> DeliveryOutcome:
            return delivery_outcome(await post_message(client, address, message))

        return PreparedDelivery(receiver=str(row.pk), send=send)


whatsapp_question_adapter = WhatsAppQuestionAdapter()


def question_message(row: FeedbackQuestion) -> dict[str, Any]:
    """The message as it goes out. Raises ValueError where it breaks a limit of WhatsApp's."""
    recipient = row.recipient.reveal()
    words = question_words(row.language, row.account.question)
    buttons = [(button_id(str(row.conversation_id), one), words.titles[one]) for one in _BUTTONS]
    to = {"recipient": recipient} if is_user_id(recipient) else {"to": recipient.removeprefix("+")}
    return buttons_message(recipient=to, text=words.text, buttons=buttons)


def _why_not(one: DueDelivery, row: FeedbackQuestion | None, now: datetime) -> str:
    """Why it is not sent; "" where it is."""
    if row is None or not row.recipient or row.status != QuestionStatus.PENDING:
        return "nobody is to be asked any more"
    if row.expires_at <= now:
        return "more than 24 hours passed since the customer's last message"
    if row.begun_attempt == one.attempts:
        return "no answer is known of the last attempt: it may have arrived, and is not sent again"
    if not row.account.asks:
        return "this account does not ask any more"
    return "this person does not want to be asked" if opted_out(frozenset(row.person_digests)) else ""


def delivery_outcome(answer: GraphAnswer) -> DeliveryOutcome:
    """What Graph's answer is for the outbox."""
    return DeliveryOutcome(
        delivered=answer.result is GraphResult.SENT,
        refused=answer.result in (GraphResult.REFUSED, GraphResult.UNKNOWN),
        status=answer.status, error=answer.error, retry_after_s=answer.retry_after_s, receipt=answer.message_id,
        remote_code=answer.code,
    )  # fmt: skip

"""After 💬: one message that asks for the words, while WhatsApp's window is open. The outbox's adapter for it.

The press opened the window itself, and it is of use as long as the comment is waited for. As with the buttons, an
attempt of which nobody knows what became of it is the last one.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from apps.catalog.fields import Secret
from apps.connectors.outbound import outbound_client
from apps.connectors.whatsapp import OPTED_OUT, GraphAddress, post_message, text_message
from apps.core.inserting import insert_new
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery
from apps.production.domain.contact_forms import is_user_id
from apps.production.domain.question_words import comment_words
from apps.production.domain.whatsapp_payload import WhatsAppSender
from apps.production.models import FeedbackOptOut, PendingComment, WhatsAppAccount
from apps.production.services.opt_outs import opted_out
from apps.production.services.outbound_policies import graph_policy
from apps.production.services.question_delivery import delivery_outcome

KIND, EVENT = "whatsapp_prompt", "feedback.prompt"


def ask_for_words(pending: PendingComment, sender: WhatsAppSender, *, now: datetime) -> bool:
    """Owe the message to who pressed 💬, if an account asks, they did not opt out, and the comment is still waited for;
    whether it is owed. Three statements, or five. Once within the ten minutes."""
    recipient = sender.user_id or (f"+{sender.phone.removeprefix('+')}" if sender.phone else "")
    account = WhatsAppAccount.objects.filter(asks=True).exclude(phone_number_id="").first()
    if account is None or not recipient or pending.closes_at <= now or opted_out(frozenset(pending.sender_digests)):
        return False
    lately = PendingComment.objects.filter(conversation=pending.conversation_id, account__isnull=False)
    if lately.filter(closes_at__gt=now).exists():
        return False  # who presses it ten times is asked once
    PendingComment.objects.filter(pk=pending.pk).update(recipient=Secret(recipient), account=account)
    delivery = OutboundDelivery(kind=KIND, subject_id=pending.pk, event=EVENT, not_before=now)
    OutboundDelivery.objects.bulk_create([delivery], ignore_conflicts=True)
    return True


def forget_prompted(*, now: datetime) -> int:
    """Forget the numbers of those whose comment is not waited for any more; how many. One statement. Safe to repeat."""
    return int(PendingComment.objects.exclude(recipient="").filter(closes_at__lte=now).update(recipient=""))


class WhatsAppPromptAdapter:
    """Prepares and sends; the number is forgotten with the last attempt."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """One query for all, and two statements for each."""
        rows = PendingComment.objects.select_related("account", "conversation").in_bulk([one.subject_id for one in due])
        return [self._prepared(one, rows.get(one.subject_id), now()) for one in due]

    def client(self) -> Any:
        return outbound_client(graph_policy())

    def record(self, one: DueDelivery, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> None:
        """In the transaction of its delivery."""
        row = PendingComment.objects.filter(pk=one.subject_id).first()
        if row is None or waits:
            return
        PendingComment.objects.filter(pk=row.pk).update(recipient="")
        if outcome.remote_code == OPTED_OUT:
            insert_new([FeedbackOptOut(created_at=now, person_digest=digest) for digest in row.sender_digests])

    def _prepared(
        self, one: DueDelivery, row: PendingComment | None, now: datetime
    ) -> PreparedDelivery | DeliveryOutcome:
        if (why := _why_not(one, row, now)) or row is None:
            return DeliveryOutcome(delivered=False, refused=True, error=why or "nobody waits for a comment any more")
        PendingComment.objects.filter(pk=row.pk).update(begun_attempt=one.attempts)
        account = row.account
        address = GraphAddress(
            base_url=account.graph_url, version=account.graph_version, phone_number_id=account.phone_number_id,
            token=account.access_token.reveal(),
        )  # fmt: skip
        recipient = row.recipient.reveal()
        to = {"recipient": recipient} if is_user_id(recipient) else {"to": recipient.removeprefix("+")}
        message = text_message(recipient=to, text=comment_words(row.conversation.language))

        async def send(client: Any, within_s: float) -> DeliveryOutcome:
            return delivery_outcome(await post_message(client, address, message))

        return PreparedDelivery(receiver=str(row.pk), send=send)


whatsapp_prompt_adapter = WhatsAppPromptAdapter()


def _why_not(one: DueDelivery, row: PendingComment | None, now: datetime) -> str:
    """Why it is not sent; "" where it is."""
    if row is None or not row.recipient or row.account is None:
        return "nobody waits for a comment any more"
    if row.closes_at <= now:
        return "the ten minutes for a comment are over"
    if row.begun_attempt == one.attempts:
        return "no answer is known of the last attempt: it may have arrived, and is not sent again"
    if not row.account.asks:
        return "this account does not ask any more"
    return "this person does not want to be asked" if opted_out(frozenset(row.sender_digests)) else ""

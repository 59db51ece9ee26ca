"""The outbox's adapter for messages to customers (apps.jobs.services.outbound): one message of WhatsApp for each row.

The Cloud API takes no idempotency key, so an attempt of which nobody knows what became of it is the last one: a
customer gets a message once or not at all, never twice. A kind says which rows, what they say and when they are void.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from apps.connectors.outbound import outbound_client
from apps.connectors.whatsapp import OPTED_OUT, GraphAddress, GraphAnswer, GraphResult, post_message
from apps.core.inserting import insert_new
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery
from apps.production.privacy.domain.contact_forms import is_user_id
from apps.production.services.outbound_policies import graph_policy
from apps.production.whatsapp.models import FeedbackOptOut, FeedbackQuestion, PendingComment
from apps.production.whatsapp.services.opt_outs import opted_out

Row = TypeVar("Row", FeedbackQuestion, PendingComment)


class WhatsAppAdapter(ABC, Generic[Row]):
    """Prepares, sends, and writes down what became of it: the number is forgotten with the last attempt."""

    rows: ClassVar[Any]  # a queryset, with all that a message needs
    digests: ClassVar[str]  # the column of digests by which a person's wish not to be asked is found
    gone: ClassVar[str]  # why nothing is sent where there is no row, or no number any more

    @abstractmethod
    def message(self, row: Row, to: dict[str, str]) -> dict[str, Any]:
        """Build the message as it goes out. Raises ValueError where it breaks a limit of WhatsApp's."""

    @abstractmethod
    def void(self, row: Row, now: datetime) -> str:
        """Return why the message is no longer needed; "" if it is."""

    def changes(self, row: Row, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> dict[str, Any]:
        """The changes of the row's own columns after an attempt."""
        return {}

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        """One query for all, and two statements for each."""
        rows = self.rows.all().in_bulk([delivery.subject_id for delivery in due])
        return [self._prepared(delivery, rows.get(delivery.subject_id), now()) for delivery in due]

    def client(self) -> Any:
        return outbound_client(graph_policy())

    def record(self, delivery: DueDelivery, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> None:
        """Record the outcome of an attempt, in the transaction of its delivery."""
        row = self.rows.filter(pk=delivery.subject_id).first()
        if row is None:
            return
        changes = self.changes(row, outcome, waits=waits, now=now) | ({} if waits else {"recipient": ""})
        if changes:
            self.rows.filter(pk=row.pk).update(**changes)
        if outcome.remote_code == OPTED_OUT:
            insert_new([FeedbackOptOut(created_at=now, person_digest=one) for one in getattr(row, self.digests)])

    def _prepared(self, delivery: DueDelivery, row: Row | None, now: datetime) -> PreparedDelivery | DeliveryOutcome:
        why = self._why_not(delivery, row, now)
        if row is None or row.account is None or why:
            return DeliveryOutcome(delivered=False, refused=True, error=why)
        self.rows.filter(pk=row.pk).update(begun_attempt=delivery.attempts)
        address = GraphAddress(
            base_url=row.account.graph_url,
            version=row.account.graph_version,
            phone_number_id=row.account.phone_number_id,
            token=row.account.access_token.reveal(),
        )
        recipient = row.recipient.reveal()
        to = {"recipient": recipient} if is_user_id(recipient) else {"to": recipient.removeprefix("+")}
        message = self.message(row, to)

        async def send(client: Any, within_s: float) -> DeliveryOutcome:
            return _outcome(await post_message(client, address, message))

        return PreparedDelivery(receiver=str(row.pk), send=send)

    def _why_not(self, delivery: DueDelivery, row: Row | None, now: datetime) -> str:
        """Say why the message is not sent; "" where it is."""
        if row is None or not row.recipient or row.account is None:
            return self.gone
        if why := self.void(row, now):
            return why
        if row.begun_attempt == delivery.attempts:
            return "no answer is known of the last attempt: it may have arrived, and is not sent again"
        if not row.account.asks:
            return "this account does not ask any more"
        wish = frozenset(getattr(row, self.digests))
        return "this person does not want to be asked" if opted_out(wish) else ""


def _outcome(answer: GraphAnswer) -> DeliveryOutcome:
    """The delivery outcome of Graph's answer, for the outbox."""
    return DeliveryOutcome(
        delivered=answer.result is GraphResult.SENT,
        refused=answer.result in (GraphResult.REFUSED, GraphResult.UNKNOWN),
        status=answer.status,
        error=answer.error,
        retry_after_s=answer.retry_after_s,
        receipt=answer.message_id,
        remote_code=answer.code,
    )

"""Questions to customers: one message of WhatsApp each, with three buttons."""

from datetime import datetime
from typing import Any

from apps.connectors.whatsapp import buttons_message
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.production.conversations.domain.ratings import Rating
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.whatsapp.domain.payload import button_id
from apps.production.whatsapp.domain.question_words import question_words
from apps.production.whatsapp.domain.states import QuestionStatus
from apps.production.whatsapp.models import FeedbackQuestion
from apps.production.whatsapp.services.adapter import WhatsAppAdapter

_BUTTONS = (Rating.UP, Rating.DOWN, Rating.COMMENT)
_GONE = "nobody is to be asked any more"


class WhatsAppQuestionAdapter(WhatsAppAdapter[FeedbackQuestion]):
    """Writes down, too, which message of Meta's a question became."""

    rows = FeedbackQuestion.objects.select_related("account").filter(
        status__in=(QuestionStatus.PENDING, QuestionStatus.EXPIRED)
    )
    digests = "person_digests"
    gone = _GONE

    def message(self, row: FeedbackQuestion, to: dict[str, str]) -> dict[str, Any]:
        words = question_words(row.language, row.account.question)
        buttons = [(button_id(str(row.conversation_id), button), words.titles[button]) for button in _BUTTONS]
        return buttons_message(recipient=to, text=words.text, buttons=buttons)

    def void(self, row: FeedbackQuestion, now: datetime) -> str:
        if row.status != QuestionStatus.PENDING:
            return _GONE
        return "more than 24 hours passed since the customer's last message" if row.expires_at <= now else ""

    def changes(self, row: FeedbackQuestion, outcome: DeliveryOutcome, *, waits: bool, now: datetime) -> dict[str, Any]:
        changes: dict[str, Any] = {"error": outcome.error[:300], "error_code": outcome.remote_code}
        if outcome.delivered:
            digest = pseudonyms().digest("wamid", outcome.receipt) if outcome.receipt else ""
            changes |= {"status": QuestionStatus.SENT, "sent_at": now, "message_digest": digest}
        elif not waits and row.status == QuestionStatus.PENDING:
            unknown = outcome.error.startswith("no answer")  # of connectors.whatsapp, and of WhatsAppAdapter
            changes["status"] = QuestionStatus.UNKNOWN if unknown else QuestionStatus.FAILED
        return changes


whatsapp_question_adapter = WhatsAppQuestionAdapter()

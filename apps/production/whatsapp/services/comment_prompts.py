"""Ask for the words after 💬 in one message, while WhatsApp's window is open.

The press opened the window itself, and it is of use as long as the comment is waited for.
"""

from datetime import datetime
from typing import Any

from apps.catalog.fields import Secret
from apps.connectors.whatsapp import text_message
from apps.jobs.models import OutboundDelivery
from apps.production.whatsapp.domain.payload import WhatsAppSender
from apps.production.whatsapp.domain.question_words import comment_words
from apps.production.whatsapp.models import PendingComment, WhatsAppAccount
from apps.production.whatsapp.services.adapter import WhatsAppAdapter
from apps.production.whatsapp.services.opt_outs import opted_out

KIND, EVENT = "whatsapp_prompt", "feedback.prompt"


def ask_for_words(pending: PendingComment, sender: WhatsAppSender, *, now: datetime) -> bool:
    """Create a message that asks who pressed 💬 for a comment; return whether there is one to send.

    That is if an account asks, the person did not opt out, and the comment is still awaited; once within ten minutes.
    Three statements, or five.
    """
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
    """Delete phone numbers that may no longer be asked; return how many. One statement; safe to repeat."""
    return int(PendingComment.objects.exclude(recipient="").filter(closes_at__lte=now).update(recipient=""))


class WhatsAppPromptAdapter(WhatsAppAdapter[PendingComment]):
    """One message of text."""

    rows = PendingComment.objects.select_related("account", "conversation")
    digests = "sender_digests"
    gone = "nobody waits for a comment any more"

    def message(self, row: PendingComment, to: dict[str, str]) -> dict[str, Any]:
        return text_message(recipient=to, text=comment_words(row.conversation.language))

    def void(self, row: PendingComment, now: datetime) -> str:
        return "the ten minutes for a comment are over" if row.closes_at <= now else ""


whatsapp_prompt_adapter = WhatsAppPromptAdapter()

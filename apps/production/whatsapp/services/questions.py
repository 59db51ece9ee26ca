"""Asking the customer after a conversation: who is asked, until when, and that their number is forgotten again."""

from datetime import datetime, timedelta

from django.db.models import Q

from apps.catalog.fields import Secret
from apps.core.conversation import TurnRole
from apps.jobs.models import OutboundDelivery
from apps.production.conversations.models import ProductionConversation
from apps.production.privacy.domain.contact_forms import is_user_id, phone_form, wa_form
from apps.production.privacy.domain.people import CustomerPeople
from apps.production.whatsapp.domain.states import QuestionStatus
from apps.production.whatsapp.models import FeedbackQuestion, WhatsAppAccount
from apps.production.whatsapp.services.opt_outs import opted_out

KIND, EVENT = "whatsapp_question", "feedback.question"
CHANNEL = "whatsapp"
WINDOW = timedelta(hours=24)  # WhatsApp's: after the customer's last message


def ask_customer(row: ProductionConversation, people: CustomerPeople, *, now: datetime) -> bool:
    """Send the three buttons to the customer of a WhatsApp conversation that is over.

    Tell whether they will be sent: an account asks, the window is open, and this person neither opted out nor was asked
    lately. In the caller's transaction. One query where nobody asks, else some six statements. Safe to repeat: once a
    conversation.
    """
    if not row.channel.casefold().startswith(CHANNEL):
        return False
    account = WhatsAppAccount.objects.filter(asks=True).exclude(phone_number_id="").first()
    recipient = _recipient(people)
    if account is None or not recipient:
        return False
    customer_turns = row.conversation.turns.last_attempt().filter(role=TurnRole.USER).order_by("-position")
    last = customer_turns.values_list("ts", flat=True).first() or now
    expires, digests = min(last, now) + WINDOW, _digests(row)
    if expires <= now or opted_out(digests) or _asked_lately(digests, account, now):
        return False
    question = FeedbackQuestion(
        conversation=row.conversation,
        account=account,
        recipient=Secret(recipient),
        person_digests=sorted(digests),
        language=row.conversation.language,
        expires_at=expires,
    )
    made = FeedbackQuestion.objects.bulk_create([question], ignore_conflicts=True)
    delivery = OutboundDelivery(kind=KIND, subject_id=made[0].pk, event=EVENT, not_before=now)
    OutboundDelivery.objects.bulk_create([delivery], ignore_conflicts=True)
    return True


def forget_recipients(*, now: datetime) -> int:
    """Delete phone numbers of closed questions; return how many. One statement; safe to repeat."""
    late = FeedbackQuestion.objects.filter(~Q(recipient=""), expires_at__lte=now)
    late.filter(status=QuestionStatus.PENDING).update(status=QuestionStatus.EXPIRED)
    return int(late.update(recipient=""))


def _recipient(people: CustomerPeople) -> str:
    """A BSUID or a number in E.164: WhatsApp's own ids before numbers."""
    for text in (*people.wa_ids, *people.phones):
        if is_user_id(text):
            return text.strip()
        form = wa_form(text) if text in people.wa_ids else phone_form(text)
        if form is not None and form.value.startswith("+"):
            return form.value
    return ""


def _digests(row: ProductionConversation) -> frozenset[str]:
    return frozenset((*row.person_digests.get("phone", ()), *row.person_digests.get("wa_user", ())))


def _asked_lately(digests: frozenset[str], account: WhatsAppAccount, now: datetime) -> bool:
    since = now - timedelta(days=account.ask_again_days)
    questions = FeedbackQuestion.objects.filter(created_at__gt=since, person_digests__has_any_keys=sorted(digests))
    return bool(digests) and questions.exists()

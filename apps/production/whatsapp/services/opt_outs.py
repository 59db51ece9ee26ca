"""People who are not asked any more: by a word in reply, by WhatsApp's own switch, or because somebody of the team says
so."""

from datetime import datetime

from apps.core.inserting import insert_new
from apps.production.privacy.services.pseudonyms import Pseudonyms
from apps.production.whatsapp.domain.payload import WhatsAppSender
from apps.production.whatsapp.models import FeedbackOptOut

# The whole message: what Meta's own opt-out knows in English, and the same in Swahili and Italian.
_STOP = frozenset(
    {"stop", "stop all", "unsubscribe", "cancel", "acha", "simamisha", "sitaki", "basta", "ferma", "annulla"}
)


def is_stop_word(text: str) -> bool:
    """Tell whether the whole message says: do not ask me again."""
    return " ".join(text.casefold().strip(" .!").split()) in _STOP


def take_wish(*, keys: Pseudonyms, sender: WhatsAppSender, wanted: bool, now: datetime) -> None:
    """Ask this person no more, or again. Digests alone are stored. One statement; safe to repeat."""
    digests = keys.of_contact(phone=sender.phone, user_id=sender.user_id)
    if wanted:
        FeedbackOptOut.objects.filter(person_digest__in=digests.everything()).delete()
        return
    own = [*digests.phone[:1], *digests.wa_user[:1]]
    insert_new([FeedbackOptOut(created_at=now, person_digest=one) for one in own])


def opted_out(digests: frozenset[str]) -> bool:
    """Tell whether one of these is a person who is not asked. One query."""
    return FeedbackOptOut.objects.filter(person_digest__in=digests).exists()

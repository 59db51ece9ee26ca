"""Delivery reports of WhatsApp: what became of a question after it was sent."""

from datetime import datetime

from apps.connectors.whatsapp import OPTED_OUT
from apps.core.inserting import insert_new
from apps.production.privacy.services.pseudonyms import Pseudonyms
from apps.production.whatsapp.domain.payload import SendingReport
from apps.production.whatsapp.domain.states import QuestionStatus
from apps.production.whatsapp.models import FeedbackOptOut, FeedbackQuestion

# A report moves a question forward only, so that their order does not matter.
_BEFORE = {
    QuestionStatus.DELIVERED: (QuestionStatus.SENT,),
    QuestionStatus.READ: (QuestionStatus.SENT, QuestionStatus.DELIVERED),
    QuestionStatus.FAILED: (QuestionStatus.SENT,),
}


def take_report(report: SendingReport, *, keys: Pseudonyms, now: datetime) -> bool:
    """Note what a report says of one of our questions; return whether it is about one.

    Safe to repeat and to race. At most three statements.
    """
    question = FeedbackQuestion.objects.filter(message_digest__in=keys.digests("wamid", report.message_id)).first()
    if question is None:
        return False
    to = next((one for one in _BEFORE if one.value == report.status), None)
    if to is not None:
        code = {"error_code": report.code} if report.code is not None else {}
        FeedbackQuestion.objects.advance(question.pk, expected=_BEFORE[to], to=to, **code)
    if report.code == OPTED_OUT:
        insert_new(
            [FeedbackOptOut(created_at=now, person_digest=person_digest) for person_digest in question.person_digests]
        )
    return True

"""People's remarks beside a judgement: disagreement with a score, and notes. Neither measures a judge."""

import uuid

from apps.calibration.models import ConversationNote, LabellingItem, NonBlindLabel
from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import CriterionScore
from apps.runs.models import Conversation

MAX_TEXT = 4_000  # characters of a reason or a note


def disagree(
    *,
    evaluation_id: uuid.UUID,
    conversation_id: uuid.UUID,
    criterion: str,
    value: float | None,
    reason: str,
    rater: str,
) -> uuid.UUID:
    """Keep what a person would have scored (None: they only say why it is wrong), beside the judge's score.

    Three queries. Raises NotFound where this criterion was not judged there; BadInput with `/value` or `/reason`.
    Repeated with the same value and reason, it stays one.
    """
    why = _text(reason, field="reason", message="Say why: the next reader has nothing else to go by.")
    if value is not None and not 0 <= value <= 10:
        raise BadInput(f"A score is 0 to 10, not {value:g}.", pointer="/value")
    judged = CriterionScore.objects.filter(
        judgement__evaluation=evaluation_id, judgement__conversation=conversation_id, criterion=criterion
    )
    judgement = judged.values_list("judgement_id", flat=True).first()
    if judgement is None:
        raise NotFound(f"{criterion} was not judged in conversation {conversation_id}.")
    mine = {"judgement_id": judgement, "rater": rater, "criterion": criterion}
    last = NonBlindLabel.objects.filter(**mine).order_by("-created_at").first()
    if last is None or (last.value, last.reason) != (value, why):
        last = NonBlindLabel.objects.create(**mine, conversation_id=conversation_id, value=value, reason=why)
    return uuid.UUID(str(last.pk))


def add_note(*, conversation_id: uuid.UUID, text: str, author: str) -> uuid.UUID:
    """Keep a remark beside a conversation. Two queries. Raises NotFound; BadInput with `/text`. Not safe to repeat."""
    words = _text(text, field="text", message="A note needs some words.")
    if not Conversation.objects.filter(pk=conversation_id).exists():
        raise NotFound(f"There is no conversation {conversation_id}.")
    row = ConversationNote.objects.create(conversation_id=conversation_id, text=words, author=author)
    return uuid.UUID(str(row.pk))


def add_blind_note(*, item: LabellingItem, text: str, author: str) -> None:
    """Store a note on what went wrong, by a rater who sees no score. Two queries; safe to repeat.
    Raises BadInput with `/text`."""
    words = _text(text, field="text", message="A note needs some words.")
    mine = {"item": item, "author": author, "text": words}
    if not ConversationNote.objects.filter(**mine).exists():
        ConversationNote.objects.create(conversation_id=item.conversation_id, **mine)


def _text(raw: str, *, field: str, message: str) -> str:
    text = raw.replace("\x00", "").strip()
    if not text:
        raise BadInput(message, code="missing", pointer=f"/{field}")
    if len(text) > MAX_TEXT:
        raise BadInput(f"Longer than {MAX_TEXT} characters ({len(text)}).", pointer=f"/{field}")
    return text

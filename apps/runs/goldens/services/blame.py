"""A person finds that the golden session was wrong, and not the agent."""

import uuid
from datetime import datetime

from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.timestamps import format_timestamp
from apps.runs.conversations.models import Conversation
from apps.runs.domain.states import CONVERSATION_TERMINAL, Blame, Kind


def blame_golden(*, conversation_id: uuid.UUID | str, by: str, reason: str, now: datetime) -> None:
    """Blame the golden session for what became of this replay: it counts in no denominator any more.

    Who said so, when and why stands in `extra["golden_wrong"]`, with whom the platform had blamed. Raises NotFound,
    BadInput without a reason, Conflict for what is no replay or is not over yet. Safe to repeat. Two queries.
    """
    comment = reason.strip()
    if not comment:
        raise BadInput("Say what is wrong with the golden session.", code="reason_required", pointer="/reason")
    row = Conversation.objects.filter(pk=conversation_id).first()
    if row is None:
        raise NotFound(f"there is no conversation {conversation_id}")
    if row.kind != Kind.REPLAY or not (row.spec or {}).get("golden_session"):
        raise Conflict(f"{row} is no replay of a golden session", code="not_a_replay")
    if row.status not in CONVERSATION_TERMINAL:
        raise Conflict(f"{row} is still {row.status}", code="not_over")
    if row.blame == Blame.GOLDEN:
        return
    wrong = {"by": by, "at": format_timestamp(now), "reason": comment[:2000], "blame_before": row.blame}
    Conversation.objects.filter(pk=row.pk, blame=row.blame).update(
        blame=Blame.GOLDEN, extra={**(row.extra or {}), "golden_wrong": wrong}
    )

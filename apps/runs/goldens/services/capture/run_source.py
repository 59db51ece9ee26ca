"""Conversations that we held or took in ourselves, by their ids."""

from collections.abc import Sequence
from uuid import UUID

from apps.core.errors import BadInput, NotFound
from apps.runs.conversations.models import Conversation, Turn
from apps.runs.domain.states import ConversationStatus
from apps.runs.goldens.domain.captured_golden import CapturedSession
from apps.runs.services.turns import utterance_of


def captured_from_runs(ids: Sequence[str]) -> CapturedSession:
    """The conversations joined into one session; nudges of ours are left out. Two queries.

    Raises NotFound for an id that is none, BadInput (`not_finished`) for a conversation that has not ended."""
    rows = {str(row.pk): row for row in Conversation.objects.filter(pk__in=[_uuid(pk) for pk in ids])}
    missing = [pk for pk in ids if pk not in rows]
    if missing:
        raise NotFound(f"there is no conversation {missing[0]}", pointer="/conversation_id")
    for row in rows.values():
        if row.status != ConversationStatus.ENDED:
            raise BadInput(
                f"conversation {row.pk} is {row.status}: only one that has ended can become a golden session",
                code="not_finished",
                pointer="/conversation_id",
            )
    turns: dict[str, list[Turn]] = {pk: [] for pk in ids}
    for turn in Turn.objects.transcript().filter(conversation_id__in=rows).order_by("position"):
        turns[str(turn.conversation_id)].append(turn)
    return CapturedSession(
        ids=tuple(ids),
        source="run",
        conversations=tuple(tuple(utterance_of(turn) for turn in turns[pk]) for pk in ids),
        language=next((row.language for row in rows.values() if row.language), None),
    )


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(f"there is no conversation {text!r}", pointer="/conversation_id") from None

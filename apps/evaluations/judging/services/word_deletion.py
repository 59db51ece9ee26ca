"""Judgements of real conversations whose words are deleted: scores stay, what quotes the customer goes."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection

from apps.evaluations.models.judging import JUDGEMENT_WORDS, SCORE_WORDS
from apps.runs.final_rows import assignments

_SCORES = f"""
UPDATE evaluations_criterionscore SET {assignments(SCORE_WORDS)}
WHERE judgement_id IN (SELECT id FROM evaluations_judgement WHERE conversation_id = ANY(%s))
"""  # noqa: S608 - words of our own, as below
_JUDGEMENTS = f"""
UPDATE evaluations_judgement SET {assignments(JUDGEMENT_WORDS)}
WHERE conversation_id = ANY(%s) AND status IN ('scored', 'parse_error', 'model_error')
"""  # noqa: S608


def delete_judgement_words(*, conversation_ids: Collection[UUID]) -> None:
    """Replies, reasons and quotes of these conversations' judgements. The database lets it for production conversations
    whose time is over, and for no other. Two statements, in the caller's transaction. Safe to repeat."""
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [list(conversation_ids)])
        cursor.execute(_JUDGEMENTS, [list(conversation_ids)])

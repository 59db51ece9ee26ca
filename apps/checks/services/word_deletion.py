"""Check results of real conversations whose words are deleted: outcomes stay, what quotes the customer goes."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection

from apps.checks.models import RESULT_WORDS
from apps.runs.final_rows import assignments

_RESULTS = f"UPDATE checks_checkresult SET {assignments(RESULT_WORDS)} WHERE conversation_id = ANY(%s)"  # noqa: S608


def delete_result_words(*, conversation_ids: Collection[UUID]) -> None:
    """Delete reasons and quotes of these conversations' checks, in the caller's transaction.
    The database allows it only for production conversations whose time is over. One statement. Safe to repeat."""
    with connection.cursor() as cursor:
        cursor.execute(_RESULTS, [list(conversation_ids)])

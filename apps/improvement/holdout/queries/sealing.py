"""Tell whether reading a conversation reads a hold-out. Everything that shows a conversation asks this first.

A conversation is sealed while two things hold: a trial on a hold-out set played it, and its family is still in that
set. The third look at a set, or opening a page, moves families to the training part; their conversations may be read
from then on.
"""

import uuid
from collections.abc import Collection
from typing import NoReturn

from django.db import connection

from apps.core.errors import Conflict
from apps.core.plurals import many

_SEALED = """
FROM improvement_trialside s
JOIN improvement_trial t ON t.id = s.trial_id AND t.part = 'hold_out'
JOIN runs_conversation c ON c.run_id = s.test_run_id
JOIN improvement_familypart f ON f.part = 'hold_out' AND f.set_number = t.set_number
  AND f.family = coalesce(nullif(c.spec ->> 'family', ''), c.spec ->> 'scenario')
"""
# Of conversations, runs and evaluations by their ids; an evaluation is one of a run, also where it came later.
_FAMILIES = f"""
SELECT DISTINCT f.family {_SEALED} WHERE c.id = ANY(%(ids)s) OR s.test_run_id = ANY(%(ids)s)
  OR s.test_run_id IN (SELECT e.run_id FROM evaluations_evaluation e WHERE e.id = ANY(%(ids)s))
ORDER BY 1
"""  # noqa: S608 - words of our own, as below
_CONVERSATIONS = f"SELECT DISTINCT c.id {_SEALED} WHERE c.id = ANY(%(ids)s)"


def sealed_families(ids: Collection[uuid.UUID]) -> list[str]:
    """Return the hold-out families that somebody reads who reads these conversations, runs or evaluations.

    One query, none without ids.
    """
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_FAMILIES, {"ids": list(ids)})
        return [row[0] for row in cursor.fetchall()]


def sealed_among(conversation_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of these conversations that belong to a hold-out. One query, none without ids."""
    if not conversation_ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(_CONVERSATIONS, {"ids": list(conversation_ids)})
        return {row[0] for row in cursor.fetchall()}


def refuse_sealed(ids: Collection[uuid.UUID]) -> None:
    """Raise Conflict (`sealed`) where reading these would read a hold-out. One query."""
    if families := sealed_families(ids):
        refuse_families(families)


def refuse_families(families: Collection[str]) -> NoReturn:
    """Raise Conflict (`sealed`), which says how many families reading would send to train."""
    families_text = many(len(families), "family", "families")
    raise Conflict(
        f"These conversations belong to a hold-out, which is worn by reading: a person opens them on their page, and "
        f"that sends {families_text} to train.",
        code="sealed",
        families=len(families),
    )

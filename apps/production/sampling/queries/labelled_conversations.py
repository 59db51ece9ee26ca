"""Conversations that people rated, whose words are still held: what anchors are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.runs.domain.kind_traits import LABELLED, UNSEALED, sql_list
from apps.runs.models import Turn

# The languages take turns, and within each a hash of the id decides: nobody picks what the judge is watched by.
_LABELLED = f"""
WITH rated AS (
  SELECT i.conversation_id AS id, jsonb_object_agg(l.criterion, l.mean) AS people FROM calibration_labellingitem i
  JOIN LATERAL (SELECT h.criterion, avg(h.value) AS mean FROM calibration_humanlabel h
    WHERE h.item_id = i.id AND h.value IS NOT NULL GROUP BY 1) l ON true GROUP BY 1
), chosen AS (
  SELECT c.id, c.language,
    coalesce(r.people, CASE WHEN jsonb_typeof(c.labels) = 'object' THEN c.labels END, '{{}}') AS people
  FROM runs_conversation c LEFT JOIN rated r ON r.id = c.id
  WHERE c.status = 'ended' AND c.kind IN {sql_list(LABELLED)} AND (r.id IS NOT NULL OR c.labels <> '{{}}')
    AND (SELECT t.kind FROM runs_testrun t WHERE t.id = c.run_id) IN {sql_list(UNSEALED)}
    AND EXISTS (SELECT 1 FROM runs_turn t WHERE t.conversation_id = c.id)
)
SELECT id, language, people FROM chosen
ORDER BY row_number() OVER (PARTITION BY split_part(language, '-', 1) ORDER BY md5(id::text)), language LIMIT %s
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledConversation:
    """Conversation that people rated.

    `document` is its transcript as masking reads it; `people` are their scores by criterion.
    """

    language: str
    document: Mapping[str, Any]
    people: Mapping[str, float]


def labelled_conversations(*, limit: int) -> list[LabelledConversation]:
    """Return the conversations that people rated here, or that came with labels. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(_LABELLED, [limit])
        rows = cursor.fetchall()
    turns: dict[Any, list[dict[str, Any]]] = {id: [] for id, *_ in rows}
    spoken = Turn.objects.transcript().filter(conversation__in=list(turns)).order_by("conversation", "position")
    for conversation, role, content in spoken.values_list("conversation_id", "role", "content"):
        turns[conversation].append({"role": role, "content": content})
    return [
        LabelledConversation(
            language=language, document={"language": language, "turns": turns[id]}, people=_numbers(people)
        )
        for id, language, people in rows
    ]


def labelled_count() -> int:
    """Count the conversations that people rated. One query."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({_LABELLED}) f", [1000])  # noqa: S608 - SQL of our own
        return int(cursor.fetchone()[0])


def _numbers(people: Any) -> dict[str, float]:
    """Labels of imported files are as they came: only numbers are marks."""
    numbers = people if isinstance(people, dict) else {}
    return {name: float(value) for name, value in numbers.items() if isinstance(value, int | float)}

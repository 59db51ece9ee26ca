"""Writing down the words of conversations that are over, so that search finds them."""

from django.db import connection, transaction

from apps.core.search_words import words_sql
from apps.runs.domain.word_index import DUE

BATCH = 200  # conversations a transaction

_INDEX = f"""
WITH due AS (
  SELECT id FROM runs_conversation WHERE {DUE} LIMIT %s FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE runs_conversation c SET words_of_attempt = attempt FROM due WHERE c.id = due.id RETURNING c.id, c.attempt
), written AS (
  INSERT INTO runs_turnwords (turn_id, words)
  SELECT t.id, {words_sql("t.content")} FROM taken JOIN runs_turn t ON t.conversation_id = taken.id
    AND t.attempt = taken.attempt
  WHERE t.content <> '' ON CONFLICT (turn_id) DO UPDATE SET words = EXCLUDED.words
)
SELECT count(*) FROM taken
"""  # noqa: S608 - words of our own


def index_words() -> bool:
    """One batch; return whether more may be due. May be repeated, and run beside others: rows are locked. One
    statement, some 80 µs a turn."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_INDEX, [BATCH])
        return bool(cursor.fetchone()[0] == BATCH)

"""Rows that are final but for the words of real customers in them, which go when their conversation's time is over."""

from collections.abc import Mapping
from typing import Any

import pgtrigger

NO_WORDS = "''"
NO_QUOTES = """(SELECT coalesce(jsonb_agg(e || '{"quote": ""}'::jsonb ORDER BY n), '[]'::jsonb)
  FROM jsonb_array_elements({row}{column}) WITH ORDINALITY AS q(e, n))"""
NO_REASONS = """(SELECT coalesce(jsonb_agg(e || '{"reason": ""}'::jsonb ORDER BY n), '[]'::jsonb)
  FROM jsonb_array_elements({row}{column}) WITH ORDINALITY AS q(e, n))"""


def emptied(column: str, how: str, *, row: str = "") -> str:
    """SQL of what a column holds without words: `row` is "OLD." in a trigger."""
    return how.replace("{row}", row).replace("{column}", column)


def assignments(words: Mapping[str, str]) -> str:
    """SQL of an UPDATE's SET that takes the words out of these columns."""
    return ", ".join(f"{column} = {emptied(column, how)}" for column, how in words.items())


def final_but_for_words(
    *, name: str, operation: Any, words: Mapping[str, str], conversation: str, condition: str = ""
) -> pgtrigger.Trigger:
    """Return a trigger that refuses to change a row, or to delete it where `operation` says so.

    One change is allowed: the columns of `words` may be emptied once the `keep_until` of a production conversation has
    passed. `conversation` is the SQL for the row's conversation.
    """
    columns = ", ".join(f"'{column}'" for column in words)
    same = " AND ".join(
        f"NEW.{column} IS NOT DISTINCT FROM {emptied(column, how, row='OLD.')}" for column, how in words.items()
    )
    return pgtrigger.Trigger(
        name=name,
        when=pgtrigger.Before,
        operation=operation,
        condition=pgtrigger.Condition(condition) if condition else None,
        func=f"""
                IF TG_OP = 'UPDATE' THEN
                    IF to_jsonb(OLD) - ARRAY[{columns}] = to_jsonb(NEW) - ARRAY[{columns}] AND {same} AND EXISTS (
                        SELECT 1 FROM runs_conversation c WHERE c.id = {conversation}
                        AND c.kind = 'production' AND coalesce(c.keep_until <= now(), false)
                    ) THEN
                        RETURN NEW;
                    END IF;
                END IF;
                RAISE EXCEPTION 'pgtrigger: Cannot {str(operation).lower()} rows from % table', TG_TABLE_NAME;
                """,  # noqa: S608 - words of our own
    )

"""Find the prompt version that answered one conversation.

No other module knows where it is written. A real conversation has its own (the room above that keeps it tells it), an
imported one may name it in its file; else it is the one that its evaluation was asked about, else the one that its run
played. Whoever needs the version of a conversation asks here.
"""

import uuid
from collections.abc import Collection

from django.db import connection

_COLUMNS: list[str] = []
_OF_EVALUATION = "e.subject->>'prompt_version'"
_OF_RUN = """(SELECT coalesce(nullif(played.subject->>'prompt_version', ''), played.plan->>'prompt_version')
    FROM runs_testrun played WHERE played.id = c.run_id)"""


def register_prompt_column(sql: str) -> None:
    """Once, when Django starts. `sql` is the version that answered conversation `c`, or "" or null."""
    _COLUMNS.append(sql)


def prompt_sql(evaluation: str = _OF_EVALUATION) -> str:
    """Return SQL for the prompt version of conversation `c`; "" where nobody said.

    `evaluation` is what its evaluation was asked about, as SQL: of the table `e` unless said otherwise, "" for none.
    Not before Django has started: rooms register then.
    """
    columns = [f"nullif({one}, '')" for one in (*_COLUMNS, "c.extra->>'prompt_version'", evaluation, _OF_RUN) if one]
    return f"coalesce({', '.join(columns)}, '')"


def prompts_of(conversation_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the prompt version by conversation, without any evaluation; "" where nobody said.

    One query, none for none.
    """
    if not conversation_ids:
        return {}
    statement = f"SELECT c.id, {prompt_sql('')} FROM runs_conversation c WHERE c.id = ANY(%s)"  # noqa: S608 - our words
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(conversation_ids)])
        return dict(cursor.fetchall())


def prompt_of(conversation_id: uuid.UUID) -> str:
    """The prompt of one conversation. One query."""
    return prompts_of([conversation_id]).get(conversation_id, "")

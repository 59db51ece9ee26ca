"""Several evaluations as columns of one matrix: what each case scored in each of them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import Evaluation
from apps.runs.domain.cases import CASE_SQL
from apps.runs.domain.kind_traits import TREND, sql_list

MOST = 8  # columns that fit beside each other

_CELLS = f"""
SELECT {CASE_SQL} AS name, j.evaluation_id, avg(j.weighted_score), count(*),
  (array_agg(j.conversation_id ORDER BY j.weighted_score NULLS LAST, c.position))[1]
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
WHERE j.evaluation_id = ANY(%s) AND j.status = 'scored' GROUP BY 1, 2
"""  # noqa: S608 - words of our own
_REPLIES = """
SELECT DISTINCT ON (t.conversation_id) t.conversation_id, t.content FROM runs_turn t
JOIN runs_conversation c ON c.id = t.conversation_id AND t.attempt = c.attempt
WHERE t.conversation_id = ANY(%s) AND t.role = 'assistant' AND t.content <> ''
ORDER BY t.conversation_id, t.position DESC
"""
_BY_PROMPT = f"""
SELECT DISTINCT ON (e.subject->>'prompt_version') e.id FROM evaluations_evaluation e
JOIN runs_testrun r ON r.id = e.run_id
WHERE e.status = 'completed' AND r.kind IN {sql_list(TREND)} AND e.config_version_id = %(config)s
  AND coalesce(e.subject->>'prompt_version', '') <> ''
  AND coalesce(r.agent_id::text, e.subject->>'agent', '') = %(agent)s
ORDER BY e.subject->>'prompt_version', e.created_at DESC
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCell:
    """A case in one evaluation: the mean of its `trials`, and the worst of them."""

    score: float | None
    trials: int
    conversation: uuid.UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCase:
    """Case of a comparison.

    `cells` are its scores by evaluation; `fall` is how far the last column is below the best of another run (0 if it is
    not, or without another run: two judges of one run tell nothing about the agent).
    """

    name: str
    cells: Mapping[uuid.UUID, ColumnCell]
    fall: float


def find_columns(ids: Sequence[str]) -> list[Evaluation]:
    """The evaluations in the order they were named. One query. Raises BadInput for too many, NotFound."""
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > MOST:
        raise BadInput(f"{len(wanted)} evaluations do not fit beside each other: choose {MOST} at most.", pointer="/e")
    try:
        keys = [uuid.UUID(one) for one in wanted]
    except ValueError as error:
        raise NotFound(f"{error}: no id of an evaluation.") from error
    evaluations = Evaluation.objects.select_related("run").in_bulk(keys)
    missing = [str(key) for key in keys if key not in evaluations]
    if missing:
        raise NotFound(f"There is no evaluation {missing[0]}.")
    return [evaluations[key] for key in keys]


def compared_cases(evaluations: Sequence[Evaluation]) -> list[ComparedCase]:
    """Every case of any of them, those first that fell most in the last column. One query."""
    ids = [one.pk for one in evaluations]
    by_case: dict[str, dict[uuid.UUID, ColumnCell]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_CELLS, [ids])
        for name, evaluation, score, trials, conversation in cursor.fetchall():
            cell = ColumnCell(score=score, trials=trials, conversation=conversation)
            by_case.setdefault(name, {})[evaluation] = cell
    last = evaluations[-1]
    before = [one.pk for one in evaluations if one.run_id != last.run_id]
    cases = [
        ComparedCase(name=name, cells=cells, fall=_fall(cells, last.pk, before)) for name, cells in by_case.items()
    ]
    return sorted(cases, key=lambda case: (-case.fall, case.name))


def last_replies(conversations: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The agent's last words in each conversation. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_REPLIES, [list(conversations)])
        return dict(cursor.fetchall())


def by_prompt_version(evaluation: Evaluation) -> list[Evaluation]:
    """Return the latest completed evaluation of each prompt version, oldest first, at most eight.

    They are the newest of the same agent under the same config version. Two queries.
    """
    agent = str(evaluation.run.agent_id or evaluation.subject.get("agent") or "")
    with connection.cursor() as cursor:
        cursor.execute(_BY_PROMPT, {"config": evaluation.config_version_id, "agent": agent})
        ids = [row[0] for row in cursor.fetchall()]
    newest = Evaluation.objects.filter(pk__in=ids).select_related("run").order_by("-created_at")[:MOST]
    return list(newest)[::-1]


def _fall(cells: Mapping[uuid.UUID, ColumnCell], newest: uuid.UUID, before: Sequence[uuid.UUID]) -> float:
    last = cells[newest].score if newest in cells else None
    others = [cells[one].score for one in before if one in cells]
    given = [score for score in others if score is not None]
    return max(0.0, max(given) - last) if given and last is not None else 0.0

"""The pairs behind a cell of the matrix, to walk through: changed ones first. Conversations of a hold-out are counted
and never named."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from apps.improvement.drafts.domain.version_matrix import OVERALL
from apps.improvement.drafts.queries.version_comparison import VersionComparison
from apps.improvement.drafts.queries.version_differences import JUDGED, VersionQuestion
from apps.reports.comparisons.domain.comparison import ConversationChange

MAX_PAIRS = 200  # listed; the rest is counted

_PAIRS = f"""
WITH {JUDGED}, kept AS (
  SELECT j.*, CASE WHEN %(criterion)s = 'overall' THEN j.score ELSE s.score END AS value
  FROM judged j LEFT JOIN evaluations_criterionscore s ON s.judgement_id = j.judgement
    AND s.criterion = %(criterion)s AND s.scale = '0-10'
  WHERE j.fingerprint = %(fingerprint)s
), cells AS (
  SELECT version, key, bool_or(sealed) AS sealed, min(scenario) AS scenario, min(persona) AS persona,
    avg(value)::float8 AS value, (array_agg(conversation ORDER BY conversation DESC))[1] AS conversation,
    (array_agg(evaluation_id ORDER BY conversation DESC))[1] AS evaluation
  FROM kept WHERE value IS NOT NULL GROUP BY version, key
), pairs AS (
  SELECT f.scenario, f.persona, f.sealed OR o.sealed AS sealed, f.value AS first, o.value AS other,
    f.conversation AS first_conversation, o.conversation, f.evaluation AS first_evaluation, o.evaluation,
    CASE WHEN o.value - f.value <= -0.5 THEN 'worse' WHEN o.value - f.value >= 0.5 THEN 'better' ELSE 'same' END AS move
  FROM cells f JOIN cells o USING (key) WHERE f.version = %(first)s AND o.version = %(other)s
)
SELECT scenario, persona, move, first, other, first_conversation, conversation, first_evaluation, evaluation,
  count(*) OVER () AS open_pairs, (SELECT count(*) FROM pairs WHERE sealed) AS sealed_pairs
FROM pairs WHERE NOT sealed
ORDER BY CASE move WHEN 'worse' THEN 0 WHEN 'better' THEN 1 ELSE 2 END, abs(other - first) DESC, scenario, persona,
  conversation LIMIT %(most)s
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPairOfCases:
    """One case as both versions played it: the newest conversation of each, and the means of all of them."""

    scenario: str
    persona: str
    change: ConversationChange
    first: float
    other: float
    first_conversation: uuid.UUID
    conversation: uuid.UUID
    first_evaluation: uuid.UUID
    evaluation: uuid.UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionPairs:
    """Pairs of cases of two versions.

    `pairs` are those that may be shown, of `total`; `sealed` more belong to a hold-out where any may be shown.
    """

    pairs: Sequence[PromptPairOfCases]
    total: int
    sealed: int


def version_pairs(comparison: VersionComparison, *, other: str, criterion: str = OVERALL) -> VersionPairs:
    """One version's scores beside the first version's, case by case: the worst first, the better ones last. One
    query."""
    if comparison.judge is None:
        return VersionPairs(pairs=(), total=0, sealed=0)
    question: VersionQuestion = comparison.question
    parameters = {
        **question.parameters,
        "fingerprint": comparison.judge.fingerprint,
        "criterion": criterion,
        "other": other,
        "most": MAX_PAIRS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, parameters)
        rows = cursor.fetchall()
    sealed = next((row.hold_out for row in comparison.rows if row.prompt.version == other), 0)
    return VersionPairs(
        pairs=[
            PromptPairOfCases(
                scenario=row[0],
                persona=row[1],
                change=ConversationChange(row[2]),
                first=row[3],
                other=row[4],
                first_conversation=row[5],
                conversation=row[6],
                first_evaluation=row[7],
                evaluation=row[8],
            )
            for row in rows
        ],
        total=rows[0][9] if rows else 0,
        sealed=rows[0][10] if rows else sealed,
    )

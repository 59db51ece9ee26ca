"""Find the live prompts that need optimization.

One of their evaluations missed its mark, and nothing was released since. The rows tell it, so that it is true at once
and never forgotten.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from apps.evaluations.figures.queries.stored_figures import STORED_SQL
from apps.runs.domain.kind_traits import TREND, sql_list

# The newest evaluation of each live version whose weighted mean lies below its weighted pass mark. Trials are no
# measurement of the live prompt's standing: their live side is played to be compared with.
_MISSED = f"""
WITH judged AS (
  SELECT l.id AS line, l.name, v.id AS prompt, v.version, e.id AS evaluation, e.ended_at,
    coalesce((({STORED_SQL})#>>'{{own,means,"",0}}')::float8, (
      SELECT avg(j.weighted_score) FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
      WHERE j.evaluation_id = e.id AND j.status = 'scored' AND NOT j.by_fallback
        AND c.blame IS DISTINCT FROM 'golden')) AS score,
    (SELECT sum((k ->> 'pass_mark')::float8 * coalesce((k ->> 'weight')::float8, 1))
        / nullif(sum(coalesce((k ->> 'weight')::float8, 1)), 0)
      FROM jsonb_array_elements(e.snapshot -> 'criteria') k WHERE jsonb_typeof(k -> 'pass_mark') = 'number') AS mark
  FROM catalog_promptline l JOIN catalog_promptversion v ON v.id = l.live_id
  JOIN runs_testrun r ON r.subject ->> 'prompt_version' = v.version AND r.kind IN {sql_list(TREND)}
  JOIN evaluations_evaluation e ON e.run_id = r.id AND e.status = 'completed'
  WHERE NOT EXISTS (SELECT 1 FROM improvement_promptdraft d WHERE d.line_id = l.id AND d.released_at >= e.ended_at)
)
SELECT DISTINCT ON (name) name, prompt, version, evaluation, score, mark, ended_at FROM judged
WHERE score < mark - 1e-9 ORDER BY name, ended_at DESC, evaluation
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedMark:
    """A live prompt version and the newest evaluation of it that missed its mark, in points of 0-10."""

    name: str
    prompt_id: uuid.UUID
    version: str
    evaluation_id: uuid.UUID
    score: float
    mark: float
    ended_at: datetime

    @property
    def sentence(self) -> str:
        """The missed mark as a sentence for a list."""
        return f"It scored {self.score:.1f} where {self.mark:.1f} passes, and nothing was released since."


def needing_optimization() -> Mapping[str, MissedMark]:
    """Return the missed marks by the prompt's name. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_MISSED)
        rows = cursor.fetchall()
    return {
        name: MissedMark(
            name=name,
            prompt_id=prompt,
            version=version,
            evaluation_id=evaluation,
            score=score,
            mark=mark,
            ended_at=ended,
        )
        for name, prompt, version, evaluation, score, mark, ended in rows
    }

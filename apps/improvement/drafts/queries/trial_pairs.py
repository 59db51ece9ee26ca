"""The pairs of a trial: the same scenario, persona and seed, as each prompt was scored in it. Built in SQL."""

import json
import uuid
from typing import Any

from django.db import connection

# A score counts where the conversation is the agent's own doing and the judge of all sides gave it: what a fallback
# model, another fingerprint or nobody judged is missing, and never 0.
_JUDGE = """
SELECT j.fingerprint FROM improvement_trialside s
JOIN evaluations_judgement j ON j.evaluation_id = s.evaluation_id
WHERE s.trial_id = %(trial)s AND j.status = 'scored' AND NOT j.by_fallback
GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1
"""
_PAIRS = """
WITH played AS (
  SELECT s.side, c.external_id, c.spec, c.language,
    j.id AS judgement, j.weighted_score AS score
  FROM improvement_trialside s JOIN runs_conversation c ON c.run_id = s.test_run_id
  LEFT JOIN evaluations_judgement j ON j.evaluation_id = s.evaluation_id AND j.conversation_id = c.id
    AND j.status = 'scored' AND NOT j.by_fallback AND j.fingerprint = %(fingerprint)s
    AND (c.blame IS NULL OR c.blame = 'agent_quality')
  WHERE s.trial_id = %(trial)s
), marked AS (
  SELECT p.*, (SELECT jsonb_object_agg(k.criterion, k.score) FROM evaluations_criterionscore k
    WHERE k.judgement_id = p.judgement AND k.score IS NOT NULL AND k.scale = '0-10') AS criteria
  FROM played p
)
SELECT external_id, min(spec ->> 'scenario'), min(coalesce(nullif(spec ->> 'family', ''), spec ->> 'scenario')),
  min(spec ->> 'persona_name'), min(language),
  max(score) FILTER (WHERE side = 'live'), max(score) FILTER (WHERE side = 'draft'),
  max(score) FILTER (WHERE side = 'original'),
  (array_agg(criteria) FILTER (WHERE side = 'live'))[1]::text,
  (array_agg(criteria) FILTER (WHERE side = 'draft'))[1]::text
FROM marked GROUP BY external_id ORDER BY external_id
"""


def trial_pairs(trial_id: uuid.UUID) -> list[dict[str, Any]]:
    """Return the pairs of a trial as `domain.acceptance.decide` takes them. Two queries, whatever the size."""
    with connection.cursor() as cursor:
        cursor.execute(_JUDGE, {"trial": trial_id})
        judge = cursor.fetchone()
        cursor.execute(_PAIRS, {"trial": trial_id, "fingerprint": judge[0] if judge else ""})
        rows = cursor.fetchall()
    return [_pair(row) for row in rows]


def _pair(row: tuple[Any, ...]) -> dict[str, Any]:
    _, scenario, family, persona, language, live, draft, original, live_criteria, draft_criteria = row
    ours, theirs = _read(live_criteria), _read(draft_criteria)
    return {
        "scenario": scenario,
        "family": family,
        "persona": persona or "",
        "language": language,
        "live": live,
        "draft": draft,
        "original": original,
        "criteria": {name: [ours.get(name), theirs.get(name)] for name in dict.fromkeys([*ours, *theirs])},
    }


def _read(criteria: str | None) -> dict[str, float]:
    return dict(json.loads(criteria)) if criteria else {}

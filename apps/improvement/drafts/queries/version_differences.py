"""The scores of a prompt's versions in the same cases, paired and averaged in SQL.

A case is a scenario as it was frozen, with its persona and seed, played by one agent: where the scenario was changed in
between, it is another case. Conversations of a hold-out count only where their trial has spent its look, and only in
means; where somebody narrows the scenarios they are left out, so that no mean says what one of them scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.improvement.drafts.domain.version_matrix import FamilyMean

# The versions' conversations (`played`) and their scores by any judge (`judged`). Runs are found by their subject,
# which is small, and then asked for their plan.
JUDGED = """
played AS (
  SELECT r.plan ->> 'prompt_version' AS version, c.id AS conversation, c.run_id, c.attempt,
    md5(coalesce(r.plan -> 'agent' ->> 'name', '')
      || (c.spec - 'assertions' - 'must_not' - 'family' - 'repeat')::text) AS key,
    c.spec ->> 'scenario' AS scenario, coalesce(nullif(c.spec ->> 'family', ''), c.spec ->> 'scenario') AS family,
    coalesce(c.spec ->> 'persona_name', '') AS persona, coalesce(t.part = 'hold_out', false) AS sealed
  FROM runs_testrun r JOIN runs_conversation c ON c.run_id = r.id
  LEFT JOIN LATERAL (SELECT t.part, t.look FROM improvement_trialside s JOIN improvement_trial t ON t.id = s.trial_id
    WHERE s.test_run_id = r.id LIMIT 1) t ON true
  WHERE r.plan ->> 'kind' = 'battle' AND r.subject ->> 'prompt_version' = ANY(%(versions)s)
    AND r.plan ->> 'prompt_version' = ANY(%(versions)s) AND c.spec ? 'scenario'
    AND c.status IN ('ended', 'failed', 'timeout') AND (c.blame IS NULL OR c.blame = 'agent_quality')
    AND (t.part IS NULL OR t.part <> 'hold_out' OR t.look IS NOT NULL)
    AND (%(scenarios)s::text[] IS NULL OR (c.spec ->> 'scenario' = ANY(%(scenarios)s)
      AND (t.part IS NULL OR t.part <> 'hold_out')))
), judged AS (
  SELECT p.*, j.id AS judgement, j.evaluation_id, j.fingerprint, j.weighted_score AS score, e.config_ref
  FROM played p JOIN evaluations_judgement j ON j.conversation_id = p.conversation AND j.status = 'scored'
    AND NOT j.by_fallback AND j.weighted_score IS NOT NULL
  JOIN evaluations_evaluation e ON e.id = j.evaluation_id
  WHERE %(config)s = '' OR e.config_ref = %(config)s OR split_part(e.config_ref, '@', 1) = %(config)s
)"""
_JUDGES = f"""
WITH {JUDGED}, first AS (SELECT DISTINCT fingerprint, key FROM judged WHERE version = %(first)s)
SELECT version, NULL, '', count(*), 0 FROM played GROUP BY version
UNION ALL
SELECT j.version, j.fingerprint, max(j.config_ref), count(DISTINCT j.conversation), count(DISTINCT f.key)
FROM judged j LEFT JOIN first f USING (fingerprint, key) GROUP BY j.version, j.fingerprint
"""  # noqa: S608 - words of our own
_MEANS = f"""
WITH {JUDGED}, kept AS (SELECT * FROM judged WHERE fingerprint = %(fingerprint)s),
spoken AS (
  SELECT t.conversation_id AS conversation, avg(t.latency_ms) AS latency, 
    avg(length(t.content)) FILTER (WHERE t.content <> '') AS length
  FROM runs_turn t JOIN (SELECT DISTINCT conversation, attempt FROM kept) k
    ON k.conversation = t.conversation_id AND k.attempt = t.attempt
  WHERE t.role = 'assistant' AND t.purpose <> 'nudge' GROUP BY 1
), paid AS (
  SELECT m.conversation_id AS conversation,
    CASE WHEN bool_and(m.cost_usd IS NOT NULL OR m.outcome <> 'ok') THEN sum(m.cost_usd) END AS cost
  FROM budgets_modelcall m WHERE m.purpose = 'agent' AND m.evaluation_id IS NULL
    AND m.run_id IN (SELECT run_id FROM kept) AND m.conversation_id IN (SELECT conversation FROM kept) GROUP BY 1
), measured AS (
  SELECT version, key, family, persona, sealed, 'overall' AS name, score::float8 AS value FROM kept
  UNION ALL
  SELECT k.version, k.key, k.family, k.persona, k.sealed, '=' || s.criterion, s.score FROM kept k
    JOIN evaluations_criterionscore s ON s.judgement_id = k.judgement AND s.score IS NOT NULL AND s.scale = '0-10'
  UNION ALL
  SELECT k.version, k.key, k.family, k.persona, k.sealed, v.name, v.value::float8
  FROM (SELECT DISTINCT version, conversation, key, family, persona, sealed FROM kept) k
    LEFT JOIN spoken USING (conversation) LEFT JOIN paid USING (conversation)
    CROSS JOIN LATERAL (VALUES ('cost_usd', paid.cost::float8), ('latency_ms', spoken.latency::float8),
      ('reply_chars', spoken.length::float8)) AS v(name, value) WHERE v.value IS NOT NULL
), cells AS (
  SELECT version, key, name, min(family) AS family, min(persona) AS persona, bool_or(sealed) AS sealed,
    avg(value) AS value
  FROM measured GROUP BY version, key, name
), pairs AS (
  SELECT o.version, o.name, f.family, f.persona, o.sealed OR f.sealed AS sealed, f.value AS first, o.value AS other
  FROM cells o JOIN cells f USING (key, name) WHERE f.version = %(first)s AND o.version <> %(first)s
), personas AS (
  SELECT version, name, family, avg(first) AS first, avg(other) AS other, count(*) AS pairs,
    count(*) FILTER (WHERE sealed) AS sealed, count(*) FILTER (WHERE other - first <= -0.5) AS worse,
    count(*) FILTER (WHERE other - first >= 0.5) AS better
  FROM pairs GROUP BY version, name, family, persona
)
SELECT version, name, family, sum(pairs)::int, avg(first), avg(other), sum(sealed)::int, sum(worse)::int,
  sum(better)::int
FROM personas GROUP BY version, name, family
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionQuestion:
    """Question about versions of a prompt.

    The others are compared with the first of `versions`, by the judgements of `config`, over `scenarios` (all: None).
    """

    versions: Sequence[str]
    config: str = ""
    scenarios: Sequence[str] | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the queries in this module."""
        scenarios = None if self.scenarios is None else list(self.scenarios)
        return {
            "versions": list(self.versions),
            "first": self.versions[0],
            "config": self.config,
            "scenarios": scenarios,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCases:
    """Count of a version's conversations by one judge.

    `conversations` are those it scored, `shared` the cases in which the first version has its score too. Without a
    fingerprint: how many were played.
    """

    version: str
    fingerprint: str | None
    config: str
    conversations: int
    shared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFamily:
    """One family's means of one version and one measured thing; a criterion's name begins with `=`. `worse` and
    `better` count the pairs that moved by half a point, `sealed` those of a hold-out."""

    version: str
    name: str
    mean: FamilyMean
    sealed: int
    worse: int
    better: int


def judged_cases(question: VersionQuestion) -> list[JudgedCases]:
    """The judges, and the versions that each of them scored. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_JUDGES, question.parameters)
        return [
            JudgedCases(version=version, fingerprint=fingerprint, config=config, conversations=count, shared=shared)
            for version, fingerprint, config, count, shared in cursor.fetchall()
        ]


def version_families(question: VersionQuestion, *, fingerprint: str) -> list[VersionFamily]:
    """Every version but the first against it, by family and what was measured. One query, whose answer grows with
    families and criteria and not with conversations."""
    with connection.cursor() as cursor:
        cursor.execute(_MEANS, {**question.parameters, "fingerprint": fingerprint})
        rows = cursor.fetchall()
    return [
        VersionFamily(
            version=version,
            name=name,
            mean=FamilyMean(family=family, pairs=pairs, first=first, other=other),
            sealed=sealed,
            worse=worse,
            better=better,
        )
        for version, name, family, pairs, first, other, sealed, worse, better in rows
    ]

"""The baseline of an evaluation for which nobody chose one: the latest evaluation that can be compared with it."""

from dataclasses import dataclass

from django.db import connection

from apps.evaluations.models import Evaluation
from apps.runs.domain.cases import CASE_SQL
from apps.runs.domain.kind_traits import BASELINE, sql_list

SHARE = 0.8  # of its cases that a baseline has too: below, the difference is about what was played
LOOKED_AT = 20  # earlier evaluations, the newest
_AGENT = "coalesce(r.agent_id::text, nullif(e.subject->>'agent', ''), r.plan->'agent'->>'name', '')"
_JUDGE = """coalesce(e.sums->'headline'->>4, (SELECT mode() WITHIN GROUP (ORDER BY j.fingerprint)
    FROM evaluations_judgement j WHERE j.evaluation_id = e.id AND j.status = 'scored'))"""

_EARLIER = f"""
WITH ours AS (
  SELECT e.id, e.run_id, e.config_ref, e.created_at, {_AGENT} AS agent, {_JUDGE} AS judge
  FROM evaluations_evaluation e JOIN runs_testrun r ON r.id = e.run_id WHERE e.id = %(evaluation)s
)
SELECT e.id, e.run_id FROM ours o
JOIN evaluations_evaluation e ON e.config_ref = o.config_ref AND e.created_at < o.created_at
JOIN runs_testrun r ON r.id = e.run_id
WHERE e.status = 'completed' AND e.run_id <> o.run_id AND r.kind IN {sql_list(BASELINE)}
  AND {_AGENT} = o.agent AND {_JUDGE} = o.judge
ORDER BY e.created_at DESC LIMIT %(looked_at)s
"""  # noqa: S608 - words of our own
_SHARED = f"""
WITH ours AS (SELECT DISTINCT {CASE_SQL} AS name FROM runs_conversation c WHERE c.run_id = %(run)s)
SELECT t.run_id, (SELECT count(*) FROM ours), (
  SELECT count(*) FROM ours o WHERE EXISTS (
    SELECT 1 FROM runs_conversation c WHERE c.run_id = t.run_id AND {CASE_SQL} = o.name))
FROM unnest(%(runs)s::uuid[]) t(run_id)
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedBaseline:
    """Baseline that is suggested: `shared` of the `cases` of the evaluation were judged there too."""

    evaluation: Evaluation
    shared: int
    cases: int


def suggest_baseline(evaluation: Evaluation) -> SuggestedBaseline | None:
    """Suggest a baseline: the latest completed evaluation of an earlier run of the same kind.

    It has the same agent, evaluator config version and judge (fingerprint), and 80 % of the cases; None without one.
    Three queries at most.
    """
    with connection.cursor() as cursor:
        cursor.execute(_EARLIER, {"evaluation": evaluation.pk, "looked_at": LOOKED_AT})
        earlier = cursor.fetchall()
        if not earlier:
            return None
        cursor.execute(_SHARED, {"run": evaluation.run_id, "runs": [run for _, run in earlier]})
        shared = {run: (cases, both) for run, cases, both in cursor.fetchall()}
    for id, run in earlier:
        cases, both = shared[run]
        if cases and both >= SHARE * cases:
            suggested = Evaluation.objects.select_related("run").get(pk=id)
            return SuggestedBaseline(evaluation=suggested, shared=both, cases=cases)
    return None

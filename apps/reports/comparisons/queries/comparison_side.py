"""One side of a comparison: what an evaluation scored, by the key that pairs it with another's."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from django.db import connection

from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.models import Evaluation
from apps.runs.domain.cases import CASE_SQL
from apps.runs.domain.states import Blame
from apps.statistics.decision import Decision, Measured, decide_conversation, mark_of

_Scored = tuple[float | None, float, float, float | None]  # score, pass mark, weight, what the case must reach

_SIDE = """
SELECT j.id, j.conversation_id, c.external_id, j.fingerprint, j.by_fallback, j.weighted_score,
  {case} AS cluster, md5((c.spec - 'repeat' - 'seed')::text) AS played, c.blame
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
WHERE j.evaluation_id = %s AND j.status = 'scored' ORDER BY c.position
"""
_SIDE_BY_CASE = _SIDE.format(case=CASE_SQL)

_SCORES = """
SELECT s.judgement_id, s.criterion, s.score, s.pass_mark, s.weight, s.must_reach FROM evaluations_criterionscore s
JOIN evaluations_judgement j ON j.id = s.judgement_id
WHERE j.evaluation_id = %s AND j.status = 'scored' AND s.scale = '0-10'
  AND (s.status = 'scored' OR s.unscored_reason <> 'not_applicable')
"""

_WOBBLE = """
SELECT j.conversation_id, stddev_samp(j.weighted_score)
FROM evaluations_judgement j JOIN evaluations_evaluation e ON e.id = j.evaluation_id
WHERE e.run_id = %s AND e.config_version_id = %s AND j.status = 'scored' AND j.weighted_score IS NOT NULL
  AND j.fingerprint = %s AND NOT j.from_cache
GROUP BY j.conversation_id HAVING count(*) > 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseScore:
    """The unit of one side of a comparison: one scored judgement, or all `trials` of one case, averaged. Judgement,
    conversation and name are then those of the trial nearest to the mean. `played` tells what the case was frozen as;
    `passing` is the share of the trials whose verdict is a pass, the judge's noise aside (None: nothing decides)."""

    judgement: uuid.UUID
    conversation: uuid.UUID
    name: str
    cluster: str
    score: float | None
    criteria: Mapping[str, float]
    trials: int = 1
    played: str = ""
    passing: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: what was judged, by whom. `scored` is by the key that pairs (conversation within one run, case
    across runs); `left_out` were by a fallback."""

    evaluation: Evaluation
    label: str
    fingerprints: Sequence[str]
    criteria: Sequence[str]
    marks: Mapping[str, float]
    scored: Mapping[str, CaseScore]
    left_out: int

    @property
    def weights(self) -> dict[str, float]:
        """The weights of all its criteria, scored or not."""
        return {criterion["name"]: criterion["weight"] for criterion in self.evaluation.snapshot["criteria"]}

    def totals(self, weights: Mapping[str, float] | None = None) -> dict[str, float | None]:
        """Each conversation's score by key: the stored weighted one, or the mean over `weights` where given."""
        if weights is None:
            return {key: one.score for key, one in self.scored.items()}
        return {
            key: weighted_mean({name: one.criteria.get(name) for name in weights}, weights) if weights else None
            for key, one in self.scored.items()
        }


def read_side(evaluation: Evaluation, *, label: str, by_conversation: bool) -> Side:
    """The scored judgements, by conversation id (two evaluations of one run) or by case, with the trials of a case
    averaged. Two queries.

    What a fallback model judged is left out: two sides are compared by one judge each.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [evaluation.id])
        scores: dict[uuid.UUID, dict[str, _Scored]] = {}
        for judgement, criterion, *values in cursor.fetchall():
            scores.setdefault(judgement, {})[criterion] = tuple(values)
        cursor.execute(_SIDE_BY_CASE, [evaluation.id])
        rows = cursor.fetchall()
    comparable = [row for row in rows if not row[4]]
    blocking = blocking_of(evaluation.snapshot)
    results = []
    for judgement, conversation, name, _print, _fallback, score, cluster, played, blame in comparable:
        found = scores.get(judgement, {})
        results.append(
            CaseScore(
                judgement=judgement,
                conversation=conversation,
                name=name,
                cluster=cluster,
                score=score,
                played=played,
                criteria={criterion: value for criterion, (value, *_) in found.items() if value is not None},
                passing=_passing(score, found, blocking, agent_failed=blame == Blame.AGENT_QUALITY),
            )
        )
    return Side(
        evaluation=evaluation,
        label=label,
        fingerprints=sorted({row[3] for row in comparable}),
        criteria=[criterion["name"] for criterion in evaluation.snapshot["criteria"]],
        marks={criterion: mark for found in scores.values() for criterion, (_, mark, *_) in found.items()},
        left_out=len(rows) - len(comparable),
        scored={str(result.conversation): result for result in results} if by_conversation else _cases(results),
    )


def _passing(
    score: float | None, found: Mapping[str, _Scored], blocking: Collection[str], *, agent_failed: bool
) -> float | None:
    """1 where the conversation passes by its one definition, 0 where it does not. Pure."""
    scored = {name: one for name, one in found.items() if one[0] is not None}
    mark = mark_of({name: one[1] for name, one in scored.items()}, {name: one[2] for name, one in scored.items()})
    if score is None or mark is None:
        return None
    stops = [Measured(name=name, score=one[0], mark=one[1]) for name, one in found.items() if name in blocking]
    stops += [Measured(name=name, score=one[0], mark=one[3]) for name, one in scored.items() if one[3] is not None]
    verdict = decide_conversation(Measured(name="", score=score, mark=mark), stops, agent_failed=agent_failed)
    return float(verdict.decision is Decision.PASS)


def _cases(results: Sequence[CaseScore]) -> dict[str, CaseScore]:
    """One for each case: the mean over its trials, of the score and of each criterion where it was scored."""
    by_case: dict[str, list[CaseScore]] = {}
    for result in results:
        by_case.setdefault(result.cluster, []).append(result)
    return {case: trials[0] if len(trials) == 1 else _averaged(case, trials) for case, trials in by_case.items()}


def _averaged(case: str, trials: Sequence[CaseScore]) -> CaseScore:
    scores = [trial.score for trial in trials if trial.score is not None]
    score = fsum(scores) / len(scores) if scores else None
    names = dict.fromkeys(name for trial in trials for name in trial.criteria)
    nearest = min(trials, key=lambda trial: abs((trial.score or 0.0) - (score or 0.0)))
    means = {}
    for name in names:
        values = [trial.criteria[name] for trial in trials if name in trial.criteria]
        means[name] = fsum(values) / len(values)
    passing = [trial.passing for trial in trials if trial.passing is not None]
    share = fsum(passing) / len(passing) if passing else None
    return replace(nearest, name=case, score=score, criteria=means, trials=len(trials), passing=share)


def repeatability(side: Side) -> dict[uuid.UUID, float]:
    """Return the standard deviation of each conversation's score over repeated judgings.

    They are by this very judge; cached answers are no second judging. One query.
    """
    if len(side.fingerprints) != 1:
        return {}
    row = side.evaluation
    with connection.cursor() as cursor:
        cursor.execute(_WOBBLE, [row.run_id, row.config_version_id, side.fingerprints[0]])
        return dict(cursor.fetchall())

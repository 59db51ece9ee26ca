"""Compare several evaluators that judged one run.

It shows where they agree, where they say the opposite, with the evidence of both, and how consistent each is.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from apps.core.errors import BadInput, NotFound
from apps.core.plurals import many
from apps.evaluations.models import CriterionScore, Evaluation
from apps.reports.comparisons.domain.evaluators import (
    Contradiction,
    EvaluatorConsistency,
    PairAgreement,
    RatedCriterion,
    Ratings,
    SelfSpread,
    agreements,
    consistency,
    contradictions,
    evaluators_sentence,
    joined,
    most_consistent,
)
from apps.reports.comparisons.queries.comparison_side import Side, read_side
from apps.runs.models import TestRun

MOST, SHOWN, SEED = 6, 50, 20_261_126  # any number: the same rows give the same intervals

# A score here is the plain mean over the criteria that all evaluators share, so that 5 and 9 criteria are of one scale.
_ANSWERS = """
WITH answer AS (
  SELECT j.evaluation_id, j.id, j.conversation_id, o.place, avg((o.one->>'score')::float8) AS score, count(*) AS given
  FROM evaluations_judgement j JOIN evaluations_criterionscore s ON s.judgement_id = j.id
  CROSS JOIN LATERAL jsonb_array_elements(s.opinions) WITH ORDINALITY AS o(one, place)
  WHERE j.evaluation_id = ANY(%(ids)s) AND j.status = 'scored' AND NOT j.by_fallback AND s.criterion = ANY(%(criteria)s)
    AND s.status = 'scored' AND s.scale = '0-10' AND o.one->>'purpose' = 'judge' AND o.one->>'score' IS NOT NULL
  GROUP BY 1, 2, 3, 4
)
SELECT a.evaluation_id, a.conversation_id, var_samp(a.score), count(*) - 1 FROM answer a
WHERE a.given = (SELECT count(*) FROM evaluations_criterionscore s WHERE s.judgement_id = a.id
  AND s.criterion = ANY(%(criteria)s) AND s.status = 'scored' AND s.scale = '0-10')
GROUP BY 1, 2 HAVING count(*) > 1
"""
# Judged again by the same version and the same judge; an answer that was kept from before is no second one.
_JUDGED_AGAIN = """
SELECT min(e.config_version_id::text), j.fingerprint, j.conversation_id, var_samp(x.score), count(*) - 1
FROM evaluations_evaluation e JOIN evaluations_judgement j ON j.evaluation_id = e.id
CROSS JOIN LATERAL (SELECT avg(s.score) AS score, count(*) AS given FROM evaluations_criterionscore s
  WHERE s.judgement_id = j.id AND s.criterion = ANY(%(criteria)s) AND s.status = 'scored' AND s.scale = '0-10') x
WHERE e.run_id = %(run)s AND j.status = 'scored' AND NOT j.from_cache AND NOT j.by_fallback AND x.given > 0
GROUP BY e.config_version_id, j.fingerprint, j.conversation_id, x.given HAVING count(*) > 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """One of them: what it judged, its mean over the shared criteria, and how far it is from itself."""

    evaluation: Evaluation
    label: str
    criteria: int
    scored: int
    mean: float | None
    consistency: EvaluatorConsistency


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """One evaluator's opinion on a contradiction. `turns` are those that it quotes."""

    label: str
    evaluation: uuid.UUID
    score: float
    mark: float
    reason: str
    evidence: Sequence[dict[str, Any]]
    turns: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownContradiction:
    """Contradiction of two evaluators: the lower score and the higher one. `turns` are quoted by either."""

    conversation: uuid.UUID
    name: str
    criterion: str
    apart: float
    low: Opinion
    high: Opinion
    turns: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorComparison:
    """The whole answer. `shared` are the criteria that all have; of `reworded` ones the text differs."""

    run: TestRun
    sentence: str
    evaluators: Sequence[Evaluator]
    shared: Sequence[str]
    reworded: Sequence[str]
    only: Sequence[tuple[str, Sequence[str]]]
    pairs: Sequence[PairAgreement]
    contradictions: Sequence[ShownContradiction]
    total: int
    best: int | None


def evaluators_of_run(run_id: uuid.UUID) -> list[Evaluation]:
    """The newest completed evaluation of each config version that judged the run, oldest first. One query."""
    rows = Evaluation.objects.filter(run=run_id, status="completed").order_by("-created_at", "-id")
    newest: dict[uuid.UUID, Evaluation] = {}
    for row in rows:
        newest.setdefault(row.config_version_id, row)
    return list(newest.values())[:MOST][::-1]


def compare_evaluators(run_id: uuid.UUID, named: Sequence[uuid.UUID] = ()) -> EvaluatorComparison:
    """Compare evaluators over the conversations of one run: those named, else the newest evaluation of each version.

    What a fallback model judged is left out. Where only one judged the run, the sentence says so. Two queries an
    evaluator and five more, whatever the size. Raises NotFound for a run or an evaluation of it that is not there,
    BadInput where fewer than two or more than MOST are named.
    """
    run = TestRun.objects.filter(pk=run_id).first()
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    rows = _named(run_id, named) if named else evaluators_of_run(run_id)
    if named and not 2 <= len(rows) <= MOST:
        message = f"{many(len(rows), 'evaluation')} cannot be compared: name two to {MOST}."
        raise BadInput(message, code="too_few_evaluators" if len(rows) < 2 else "too_many", pointer="/evaluations")
    sides = [read_side(row, label=label, by_conversation=True) for row, label in zip(rows, _labels(rows), strict=True)]
    shared = [name for side in sides[:1] for name in side.criteria if all(name in other.criteria for other in sides)]
    ratings = [_ratings(side, shared) for side in sides]
    spreads = _spreads(run_id, sides, shared)
    pairs, found = agreements(ratings, shared), contradictions(ratings)
    figures = [consistency(spread, seed=SEED) for spread in spreads]
    best = most_consistent(spreads, seed=SEED)
    labels = [side.label for side in sides]
    return EvaluatorComparison(
        run=run,
        sentence=evaluators_sentence(labels, pairs, figures, best, criteria=len(shared)),
        evaluators=[_evaluator(*both) for both in zip(sides, ratings, figures, strict=True)],
        shared=shared,
        reworded=[name for name in shared if len({_wording(side.evaluation, name) for side in sides}) > 1],
        only=[(side.label, [name for name in side.criteria if name not in shared]) for side in sides],
        pairs=pairs,
        contradictions=_shown(found[:SHOWN], sides, ratings),
        total=len(found),
        best=best,
    )


def _named(run_id: uuid.UUID, named: Sequence[uuid.UUID]) -> list[Evaluation]:
    rows = {row.pk: row for row in Evaluation.objects.filter(run=run_id, pk__in=named)}
    for one in named:
        if one not in rows:
            raise NotFound(f"There is no evaluation {one} of this run.")
    return [rows[one] for one in dict.fromkeys(named)]


def _labels(rows: Sequence[Evaluation]) -> list[str]:
    """The config versions; numbered where one judged twice."""
    refs = [row.config_ref for row in rows]
    return [ref if refs.count(ref) == 1 else f"{ref} ({at})" for at, ref in enumerate(refs, 1)]


def _ratings(side: Side, shared: Sequence[str]) -> Ratings:
    return {
        (key, name): RatedCriterion(score=one.criteria[name], mark=side.marks[name])
        for key, one in side.scored.items()
        for name in shared
        if name in one.criteria
    }


def _evaluator(side: Side, ratings: Ratings, figure: EvaluatorConsistency) -> Evaluator:
    scores = [rating.score for rating in ratings.values()]
    return Evaluator(
        evaluation=side.evaluation,
        label=side.label,
        criteria=len(side.criteria),
        scored=len(side.scored),
        mean=sum(scores) / len(scores) if scores else None,
        consistency=figure,
    )


def _wording(row: Evaluation, name: str) -> str:
    one = next(each for each in row.snapshot["criteria"] if each["name"] == name)
    return repr([one.get("description"), sorted((one.get("scoring_guide") or {}).items())])


def _spreads(run_id: uuid.UUID, sides: Sequence[Side], shared: Sequence[str]) -> list[dict[str, SelfSpread]]:
    """Return each evaluator's spread by conversation.

    It comes from repeated answers within a judgement and from judgements made again. Two queries.
    """
    asked: dict[str, Any] = {"ids": [one.evaluation.pk for one in sides], "criteria": list(shared), "run": run_id}
    with connection.cursor() as cursor:
        cursor.execute(_ANSWERS, asked)
        answers = cursor.fetchall()
        cursor.execute(_JUDGED_AGAIN, asked)
        again = cursor.fetchall()
    spreads = []
    for side in sides:
        row, prints = side.evaluation, set(side.fingerprints)
        mine = [(str(key), _spread(*rest)) for id, key, *rest in answers if id == row.pk]
        mine += [
            (str(key), _spread(*rest))
            for version, fingerprint, key, *rest in again
            if version == str(row.config_version_id) and fingerprint in prints
        ]
        spreads.append(joined(mine))
    return spreads


def _spread(variance: float, degrees: int) -> SelfSpread:
    return SelfSpread(variance=float(variance), degrees=int(degrees))


def _shown(
    found: Sequence[Contradiction], sides: Sequence[Side], ratings: Sequence[Ratings]
) -> list[ShownContradiction]:
    """Return the contradictions with the reasons and quotes of both. One query."""
    places = [(contradiction, place) for contradiction in found for place in (contradiction.low, contradiction.high)]
    judgements = {sides[place].scored[one.conversation].judgement for one, place in places}
    said = {
        (row.judgement_id, row.criterion): row
        for row in CriterionScore.objects.filter(
            judgement__in=judgements, criterion__in={contradiction.criterion for contradiction in found}
        ).only("judgement_id", "criterion", "reason", "evidence")
    }
    shown_contradictions = []
    for contradiction in found:
        low, high = (
            _opinion(contradiction, place, sides, ratings, said) for place in (contradiction.low, contradiction.high)
        )
        case = sides[contradiction.low].scored[contradiction.conversation]
        shown_contradictions.append(
            ShownContradiction(
                conversation=case.conversation,
                name=case.name,
                criterion=contradiction.criterion,
                apart=contradiction.apart,
                low=low,
                high=high,
                turns=sorted({*low.turns, *high.turns}),
            )
        )
    return shown_contradictions


def _opinion(
    contradiction: Contradiction,
    place: int,
    sides: Sequence[Side],
    ratings: Sequence[Ratings],
    said: dict[Any, CriterionScore],
) -> Opinion:
    side, rating = sides[place], ratings[place][(contradiction.conversation, contradiction.criterion)]
    row = said.get((side.scored[contradiction.conversation].judgement, contradiction.criterion))
    evidence = list(row.evidence) if row else []
    turns = {int(quote["turn"]) for quote in evidence if isinstance(quote.get("turn"), int)}
    return Opinion(
        label=side.label,
        evaluation=side.evaluation.pk,
        score=rating.score,
        mark=rating.mark,
        reason=row.reason if row else "",
        evidence=evidence,
        turns=sorted(turns),
    )

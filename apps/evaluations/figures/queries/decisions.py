"""Count how many conversations of an evaluation pass, fail and are undecided.

The database adds them up, apps.statistics.decision decides. The database groups equal cases (score, mark, width and
what the blocking criteria got), Python decides each group: a large evaluation has thousands of conversations, and few
cases that differ.
"""

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from django.db import connection

from apps.evaluations.domain.fallback_rule import fallback_counts
from apps.evaluations.domain.missing_rule import LOST, missing_counts
from apps.evaluations.domain.null_rule import excused_of
from apps.evaluations.figures.domain.rating_scale import RatingScale
from apps.evaluations.figures.domain.uncertainty import MEDIAN_OF_THREE
from apps.evaluations.models import Evaluation
from apps.statistics.decision import (
    CANNOT_TELL,
    NO_TITLES,
    Decision,
    Measured,
    Overall,
    decide,
    decide_conversation,
    decide_evaluation,
    too_little_measured,
)

PANEL = '[{"purpose": "panel"}]'
WORDS = (Decision.PASS.value, Decision.FAIL.value, Decision.UNDECIDED.value)

# `width` is the arithmetic of domain/doubt.py: `half_width` of one answer's error, wider where this score's own
# standard error is.
MEASURED = """
WITH n AS (
  SELECT * FROM jsonb_to_recordset(%(noises)s::jsonb)
    AS x(evaluation uuid, criterion text, reach_r float8, sd_r float8, reach_p float8, sd_p float8)
), setup AS (
  SELECT * FROM jsonb_to_recordset(%(setups)s::jsonb)
    AS x(evaluation uuid, with_fallback bool, independent bool, reach float8, sd float8, blocking text[],
      excused text[], missing_counts bool)
), each AS (
  SELECT p.evaluation, p.reach, p.sd, p.independent,
    greatest(CASE WHEN s.criterion = ANY(p.blocking) THEN s.pass_mark END, s.must_reach) AS stop_mark,
    s.judgement_id, s.criterion, s.score, s.scale, s.pass_mark, s.weight, s.opinions, j.weighted_score,
    coalesce(c.blame = 'agent_quality', false) AS agent_failed,
    coalesce(n.reach_r * greatest(n.sd_r * CASE WHEN s.opinions @> %(panel)s THEN %(of_three)s
      ELSE 1 / sqrt(s.answers) END, coalesce(s.standard_error, 0)), 0) AS by_repeats,
    coalesce(n.reach_p * greatest(n.sd_p * CASE WHEN s.opinions @> %(panel)s THEN %(of_three)s ELSE 1 END,
      coalesce(s.standard_error, 0)), 0) AS by_panel
  FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
  JOIN runs_conversation c ON c.id = j.conversation_id
  JOIN setup p ON p.evaluation = j.evaluation_id
  LEFT JOIN n ON n.evaluation = j.evaluation_id AND n.criterion = s.criterion
  WHERE j.evaluation_id = ANY(%(evaluations)s) AND j.status = 'scored' AND s.status = 'scored'
    AND (p.with_fallback OR NOT j.by_fallback) AND c.blame IS DISTINCT FROM 'golden'
), w AS (
  SELECT *, greatest(by_repeats, by_panel) AS width FROM each
), beside AS (
  SELECT judgement_id, count(*) AS n FROM w WHERE %(repeats)s AND reach IS NOT NULL AND scale = '0-10' GROUP BY 1
), answer AS (
  SELECT w.judgement_id, o.place, sum((o.one->>'score')::float8 * w.weight) / nullif(sum(w.weight), 0) AS score,
    count(*) AS given
  FROM w CROSS JOIN LATERAL jsonb_array_elements(w.opinions) WITH ORDINALITY AS o(one, place)
  WHERE %(repeats)s AND w.reach IS NOT NULL AND w.scale = '0-10'
    AND o.one->>'purpose' = 'judge' AND o.one->>'score' IS NOT NULL
  GROUP BY 1, 2
), own AS (
  SELECT a.judgement_id, count(*) AS answers, stddev_samp(a.score) / sqrt(count(*)) AS error
  FROM answer a JOIN beside b ON b.judgement_id = a.judgement_id WHERE a.given = b.n GROUP BY 1
), whole AS (
  SELECT w.evaluation, w.judgement_id, sum(score * weight) / sum(weight) AS score,
    sum(pass_mark * weight) / sum(weight) AS mark,
    CASE WHEN min(reach) IS NOT NULL THEN greatest(
        min(reach) * greatest(min(sd) / sqrt(greatest(min(own.answers), 1)), coalesce(min(own.error), 0)),
        sum(by_panel * weight) / sum(weight))
      WHEN bool_or(independent) THEN sqrt(sum((width * weight) ^ 2)) / sum(weight)
      ELSE sum(width * weight) / sum(weight) END AS width,
    coalesce(jsonb_agg(jsonb_build_array(criterion, w.score, stop_mark, width) ORDER BY criterion)
      FILTER (WHERE stop_mark IS NOT NULL), '[]')
    || coalesce((SELECT jsonb_agg(jsonb_build_array(u.criterion, NULL, u.pass_mark, 0) ORDER BY u.criterion)
      FROM evaluations_criterionscore u JOIN setup p ON p.evaluation = w.evaluation
      WHERE u.judgement_id = w.judgement_id
        AND u.score IS NULL
        AND (u.criterion = ANY(p.blocking)
            AND (u.unscored_reason <> 'not_applicable' OR NOT u.criterion = ANY(p.excused))
          OR p.missing_counts AND u.unscored_reason = ANY(%(lost)s))), '[]') AS blocking,
    bool_or(agent_failed) AS agent_failed
  FROM w LEFT JOIN own ON own.judgement_id = w.judgement_id
  WHERE scale = '0-10' AND weighted_score IS NOT NULL GROUP BY w.evaluation, w.judgement_id HAVING sum(weight) > 0
)
"""
"""The start of a statement: `w` has a row for each counted score, `whole` one for each counted conversation, whose
`blocking` holds what may keep it from passing: blocking criteria, those of which its case says what must not happen
again, and those that the judge's answer lost. Its parameters are those of `measured_parameters`."""
# Without a verdict: the judge's answer could not be read, no judge answered, a fallback did that does not count, or
# each criterion that applies was lost.
_DECIDED = """
SELECT evaluation, 'score', criterion, score, pass_mark, width, NULL, false, count(*) FROM w GROUP BY 1, 3, 4, 5, 6
UNION ALL
SELECT evaluation, 'whole', NULL, score, mark, width, blocking::text, agent_failed, count(*) FROM whole
GROUP BY 1, 4, 5, 6, 7, 8
UNION ALL
SELECT j.evaluation_id, 'missing', NULL, NULL, NULL, NULL, NULL, false, count(*)
FROM evaluations_judgement j JOIN setup p ON p.evaluation = j.evaluation_id
JOIN runs_conversation c ON c.id = j.conversation_id
WHERE p.missing_counts AND j.evaluation_id = ANY(%(evaluations)s) AND c.blame IS DISTINCT FROM 'golden'
  AND (j.status IN ('parse_error', 'model_error')
    OR j.status = 'scored' AND (j.by_fallback AND NOT p.with_fallback
      OR j.weighted_score IS NULL AND EXISTS (SELECT FROM evaluations_criterionscore u
        WHERE u.judgement_id = j.id AND u.unscored_reason = ANY(%(lost)s))))
GROUP BY 1
UNION ALL
SELECT j.evaluation_id, 'lost', u.criterion, NULL, NULL, NULL, NULL, false, count(*)
FROM evaluations_criterionscore u JOIN evaluations_judgement j ON j.id = u.judgement_id
JOIN setup p ON p.evaluation = j.evaluation_id JOIN runs_conversation c ON c.id = j.conversation_id
WHERE p.missing_counts AND j.evaluation_id = ANY(%(evaluations)s) AND j.status = 'scored'
  AND (p.with_fallback OR NOT j.by_fallback) AND c.blame IS DISTINCT FROM 'golden'
  AND u.unscored_reason = ANY(%(lost)s)
GROUP BY 1, 3
"""
_GROUPS = f"{MEASURED}{_DECIDED}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCounts:
    """Decisions of an evaluation, counted.

    `whole` counts conversations, `criteria` the scores of each criterion, by decision. `blocked` and `unsure` count
    conversations that a blocking criterion fails, or leaves undecided, `lost` those of which the judge's answer on a
    criterion could not be used, by criterion. `missing` of the `expected` conversations should have a verdict and have
    none. `sparse` names the criteria, of `of_criteria`, that were scored nowhere, or in under half of the conversations
    they apply to. `mark` is the mean of the conversations' marks.
    """

    whole: Mapping[str, int]
    criteria: Mapping[str, Mapping[str, int]]
    blocked: Mapping[str, int]
    unsure: Mapping[str, int]
    mark: float | None
    agent_failed: int = 0
    missing: int = 0
    expected: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    sparse: Sequence[str] = ()
    of_criteria: int = 0

    def overall(
        self, *, status: str, score: float | None, error: str = "", titles: Mapping[str, str] = NO_TITLES
    ) -> Overall:
        """The overall decision of the evaluation with this `status`, mean `score` and `error`. Pure."""
        return decide_evaluation(
            status=status,
            score=score,
            mark=self.mark,
            blocked=self.blocked,
            undecided=self.unsure,
            agent_failed=self.agent_failed,
            missing=self.missing,
            expected=self.expected,
            sparse=self.sparse,
            of_criteria=self.of_criteria,
            error=error,
            titles=titles,
        )

    @property
    def pass_rate(self) -> float | None:
        """Passes of the conversations that have a verdict; None without any, and where too few have one."""
        judged = sum(self.whole.values())
        if not judged or too_little_measured(self.missing, self.expected):
            return None
        return self.whole[Decision.PASS.value] / judged


def blocking_of(snapshot: Mapping[str, Any]) -> list[str]:
    """The blocking criteria of a stored snapshot. Pure."""
    return [str(criterion["name"]) for criterion in snapshot["criteria"] if criterion.get("blocking")]


def marked_criteria(snapshot: Mapping[str, Any]) -> set[str]:
    """Return the criteria whose pass mark lies on the scale of their scores.

    They are all on 0-10, and those on a scale of their own for which somebody gave one. The others neither pass nor
    fail. Pure.
    """
    scales = snapshot["parameters"].get("imported_scales", {})
    return {
        str(criterion["name"])
        for criterion in snapshot["criteria"]
        if _on_scale(criterion, scales.get(criterion["name"]))
    }


def _on_scale(criterion: Mapping[str, Any], scale: Mapping[str, Any] | None) -> bool:
    if scale is None:
        return True
    own = RatingScale.from_json(scale)
    low, high = (own.points[0], own.points[-1]) if own.ordered else (0, len(own.points) - 1)
    return bool(low < criterion["pass_mark"] <= high)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseOfJudge:
    """Noise of one evaluation's judge: how much it differs from itself.

    `criteria` and the `whole` score are as the statement reads them (evaluations.queries.uncertainty). `independent`:
    each criterion was asked about by itself.
    """

    criteria: Sequence[Mapping[str, Any]] = ()
    whole: Mapping[str, float] | None = None
    independent: bool = False


NO_NOISE = NoiseOfJudge()


def count_decisions(evaluation: Evaluation, noise: NoiseOfJudge = NO_NOISE) -> DecisionCounts:
    """Read and decided now: one query, about 10 µs for each criterion score."""
    return count_decisions_of_each([(evaluation, noise)])[evaluation.pk]


def count_decisions_of_each(
    evaluations: Sequence[tuple[Evaluation, NoiseOfJudge]],
) -> dict[uuid.UUID, DecisionCounts]:
    """Count the decisions of several evaluations at once: one query, none for none."""
    if not evaluations:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_GROUPS, measured_parameters(evaluations))
        rows: dict[uuid.UUID, list[Sequence[Any]]] = {one.pk: [] for one, _ in evaluations}
        for evaluation_id, *row in cursor.fetchall():
            rows[evaluation_id].append(row)
    return {one.pk: _count(rows[one.pk], one) for one, _ in evaluations}


def measured_parameters(evaluations: Sequence[tuple[Evaluation, NoiseOfJudge]]) -> dict[str, Any]:
    """The parameters of a statement that begins with MEASURED. Pure."""
    setups = [_setup(evaluation, noise) for evaluation, noise in evaluations]
    noises = [{"evaluation": str(one.pk), **row} for one, noise in evaluations for row in noise.criteria]
    return {
        "noises": json.dumps(noises),
        "setups": json.dumps(setups),
        "panel": PANEL,
        "of_three": MEDIAN_OF_THREE**0.5,
        "evaluations": [one.pk for one, _ in evaluations],
        "repeats": any(setup["reach"] is not None for setup in setups),
        "lost": [reason.value for reason in LOST],
    }


def stops_of(blocking: str | None) -> list[Measured]:
    """The results of one conversation's blocking criteria, as MEASURED's `whole.blocking` holds it. Pure."""
    return [_measured(*load) for load in json.loads(blocking or "[]")]


def _setup(evaluation: Evaluation, noise: NoiseOfJudge) -> dict[str, Any]:
    return {
        "evaluation": str(evaluation.pk),
        "with_fallback": fallback_counts(evaluation.options, evaluation.snapshot),
        "independent": noise.independent,
        "reach": noise.whole["reach_r"] if noise.whole else None,
        "sd": noise.whole["sd_r"] if noise.whole else None,
        "blocking": blocking_of(evaluation.snapshot),
        "excused": excused_of(evaluation.options, evaluation.snapshot),
        "missing_counts": missing_counts(evaluation.options),
    }


def _count(rows: Iterable[Sequence[Any]], evaluation: Evaluation) -> DecisionCounts:
    marked, blocks = marked_criteria(evaluation.snapshot), frozenset(blocking_of(evaluation.snapshot))
    whole, criteria = dict.fromkeys(WORDS, 0), dict[str, dict[str, int]]()
    scored, lost, blocked, unsure = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    marks: list[float] = []
    conversations = failed = missing = unanswered = 0
    for kind, name, score, mark, width, blocking, agent_failed, n in rows:
        if kind == "missing":
            unanswered += n
        elif kind == "lost":
            lost[name] += n
        elif kind == "score":
            scored[name] += n
            if name in marked:
                criteria.setdefault(name, dict.fromkeys(WORDS, 0))[decide(score, mark, width).value] += n
        else:
            stops = stops_of(blocking)
            measured = Measured(name="", score=score, mark=mark, width=width)
            verdict = decide_conversation(measured, stops, agent_failed=agent_failed)
            whole[verdict.decision.value] += n
            conversations += n
            failed += n if agent_failed else 0
            marks.append(mark * n)
            blocked.update(dict.fromkeys(verdict.blockers, n))
            undecided = [stop for stop in stops if decide(stop.score, stop.mark, stop.width) in CANNOT_TELL]
            unanswered_of = {stop.name for stop in undecided if stop.score is None} - blocks
            unsure.update(dict.fromkeys(sorted({stop.name for stop in undecided} - unanswered_of), n))
            missing += n if unanswered_of and verdict.decision is Decision.UNDECIDED else 0
    names = [str(criterion["name"]) for criterion in evaluation.snapshot["criteria"]]
    lacking = conversations and missing_counts(evaluation.options)
    return DecisionCounts(
        whole=whole, criteria=criteria, blocked=dict(blocked), unsure=dict(unsure), lost=dict(lost),
        mark=fsum(marks) / conversations if conversations else None,
        agent_failed=failed, missing=missing + unanswered, expected=conversations + unanswered,
        sparse=[one for one in names if not scored[one] or scored[one] < lost[one]] if lacking else [],
        of_criteria=len(names) if lacking else 0,
    )  # fmt: skip


def _measured(name: str, score: float | None, mark: float, width: float) -> Measured:
    return Measured(name=name, score=score, mark=mark, width=width)

"""One side of a comparison: what an evaluation scored, by the key that pairs it with another's."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.models import Evaluation

_SIDE = """
SELECT j.id, j.conversation_id, c.external_id, j.fingerprint, j.by_fallback, j.weighted_score,
  coalesce(c.spec->>'golden_session', (c.spec->>'scenario') || '×' || coalesce(c.spec->>'persona_name', ''),
    c.external_id) AS cluster
FROM evaluations_judgement j JOIN runs_conversation c ON c.id = j.conversation_id
WHERE j.evaluation_id = %s AND j.status = 'scored'
"""

_SCORES = """
SELECT s.judgement_id, s.criterion, s.score, s.pass_mark FROM evaluations_criterionscore s
JOIN evaluations_judgement j ON j.id = s.judgement_id
WHERE j.evaluation_id = %s AND j.status = 'scored' AND s.status = 'scored' AND s.scale = '0-10'
"""

_WOBBLE = """
SELECT j.conversation_id, stddev_samp(j.weighted_score)
FROM evaluations_judgement j JOIN evaluations_evaluation e ON e.id = j.evaluation_id
WHERE e.run_id = %s AND e.config_version_id = %s AND j.status = 'scored' AND j.weighted_score IS NOT NULL
  AND j.fingerprint = %s
GROUP BY j.conversation_id HAVING count(*) > 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One scored judgement of a side."""

    judgement: uuid.UUID
    conversation: uuid.UUID
    name: str
    cluster: str
    score: float | None
    criteria: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: what was judged, by whom. `scored` is by the key that pairs; `left_out` were by a fallback."""

    evaluation: Evaluation
    label: str
    fingerprints: Sequence[str]
    criteria: Sequence[str]
    marks: Mapping[str, float]
    scored: Mapping[str, Scored]
    left_out: int

    @property
    def weights(self) -> dict[str, float]:
        """Of all its criteria, scored or not."""
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
    """The scored judgements, by conversation id (two evaluations of one run) or by its name. Two queries.

    What a fallback model judged is left out unless the version lets it into the mean.
    """
    allowed = bool(evaluation.snapshot["parameters"].get("allow_fallback_in_mean"))
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, [evaluation.id])
        scores: dict[uuid.UUID, dict[str, float]] = {}
        marks: dict[str, float] = {}
        for judgement, criterion, score, mark in cursor.fetchall():
            scores.setdefault(judgement, {})[criterion] = score
            marks[criterion] = mark
        cursor.execute(_SIDE, [evaluation.id])
        rows = cursor.fetchall()
    kept = [row for row in rows if allowed or not row[4]]
    return Side(
        evaluation=evaluation,
        label=label,
        fingerprints=sorted({row[3] for row in kept}),
        criteria=[criterion["name"] for criterion in evaluation.snapshot["criteria"]],
        marks=marks,
        left_out=len(rows) - len(kept),
        scored={
            (str(conversation) if by_conversation else name): Scored(
                judgement=judgement,
                conversation=conversation,
                name=name,
                cluster=cluster,
                score=score,
                criteria=scores.get(judgement, {}),
            )
            for judgement, conversation, name, _print, _fallback, score, cluster in kept
        },
    )


def wobble(side: Side) -> dict[uuid.UUID, float]:
    """The standard deviation of each conversation's score over repeated judgings by this very judge. One query."""
    if len(side.fingerprints) != 1:
        return {}
    row = side.evaluation
    with connection.cursor() as cursor:
        cursor.execute(_WOBBLE, [row.run_id, row.config_version_id, side.fingerprints[0]])
        return dict(cursor.fetchall())

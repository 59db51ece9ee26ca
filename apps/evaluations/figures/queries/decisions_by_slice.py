"""Decide by one judge's scores, by criterion and slice.

A slice is of a persona, language, prompt version, kind or scenario. The database groups the scores, and
apps.statistics.decision decides, as in `decisions`.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction

from apps.evaluations.figures.queries.decisions import (
    MEASURED,
    NO_NOISE,
    NoiseOfJudge,
    marked_criteria,
    measured_parameters,
)
from apps.evaluations.figures.queries.slice_columns import NAMES, slices_selected
from apps.evaluations.models import Evaluation
from apps.statistics.decision import TOLERANCE, Decision, decide

Counts = Mapping[Decision, int]
CellCounts = Mapping[tuple[str, str], Counts]  # by (slice, criterion)

_SETS = ", ".join(f"({name})" for name in NAMES)
_PLACES = " ".join(f"WHEN {2 ** len(NAMES) - 1 - 2 ** (len(NAMES) - 1 - at)} THEN {at}" for at in range(len(NAMES)))
# Scores without width on one side of their mark are decided alike: the one nearest to it stands for all of them.
_COUNTED = f"""
SELECT CASE grouping({", ".join(NAMES)}) {_PLACES} END, coalesce({", ".join(NAMES)}), criterion,
  coalesce(wide, CASE WHEN reaches THEN min(score) ELSE max(score) END), pass_mark, width, count(*)
FROM cut GROUP BY criterion, wide, reaches, pass_mark, width, GROUPING SETS ({_SETS})
"""  # noqa: S608 - words of our own


def decisions_by_slice(
    evaluation: Evaluation, fingerprint: str, noise: NoiseOfJudge = NO_NOISE
) -> Mapping[str, CellCounts]:
    """Count the decisions of each cell by dimension, from the scores of the judge with this fingerprint.

    Read now: one query, about 15 µs for each criterion score. Criteria without a pass mark on their scale are left out.
    """
    cut = f""", cut AS (
      SELECT w.criterion, w.score, w.pass_mark, w.width, CASE WHEN w.width <> 0 THEN w.score END AS wide,
        w.width = 0 AND w.score >= w.pass_mark - %(tolerance)s AS reaches, {slices_selected()}
      FROM w JOIN evaluations_judgement j ON j.id = w.judgement_id JOIN runs_conversation c ON c.id = j.conversation_id
      JOIN evaluations_evaluation e ON e.id = j.evaluation_id WHERE j.fingerprint = %(judge)s
    )"""  # noqa: S608 - as above
    given = {**measured_parameters([(evaluation, noise)]), "judge": fingerprint, "tolerance": TOLERANCE}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL work_mem = '64MB'")  # five groupings: on disk they take twice as long
        cursor.execute(MEASURED + cut + _COUNTED, given)
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
        cursor.execute("SET LOCAL work_mem TO DEFAULT")
    marked = marked_criteria(evaluation.snapshot)
    decisions: dict[str, defaultdict[tuple[str, str], dict[Decision, int]]] = {
        name: defaultdict(dict) for name in NAMES
    }
    for place, group, criterion, score, mark, width, n in rows:
        if criterion in marked and group:
            counts = decisions[NAMES[place]][group, criterion]
            decision = decide(score, mark, width)
            counts[decision] = counts.get(decision, 0) + n
    return {name: dict(cells) for name, cells in decisions.items()}

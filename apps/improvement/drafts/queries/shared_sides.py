"""Find the live side of a draft's trial that an earlier draft of the same round has played.

One optimization tries its drafts one after the other against one live prompt, over the same scenarios, personas and
seeds. Its selection only chooses among them, so the live prompt plays once for all; a hold-out never shares.
"""

import uuid
from dataclasses import dataclass

from django.db import connection

from apps.evaluations.domain.states import EvaluationStatus
from apps.improvement.drafts.domain.trial_states import SideName
from apps.improvement.drafts.models import Trial, TrialSide
from apps.improvement.holdout.domain.parts import Part
from apps.runs.domain.states import RunStatus

# What two runs are played with, but for the prompt: agent and connection, simulator, and each conversation's spec.
_SAME = """
SELECT count(*) = 2 AND count(DISTINCT r.plan - ARRAY['name', 'prompt_version', 'prompt_text']) = 1
  AND count(DISTINCT (SELECT md5(string_agg(c.external_id || c.spec::text, '' ORDER BY c.external_id))
    FROM runs_conversation c WHERE c.run_id = r.id)) = 1
FROM runs_testrun r WHERE r.id = ANY(%(runs)s)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSide:
    """A side that was played and judged already."""

    run: uuid.UUID
    evaluation: uuid.UUID


def side_to_share(row: Trial, side: TrialSide) -> SharedSide | None:
    """Return the side of an earlier trial of the same optimization that played this prompt over the same.

    None where there is none, or where it was stopped. One query.
    """
    if row.part == Part.HOLD_OUT or side.side == SideName.DRAFT or not row.budget_name:
        return None
    side_key = (
        "part",
        "budget_name",
        "agent",
        "scenarios",
        "personas",
        "repeats",
        "seed",
        "evaluator_config",
        "further_configs",
    )
    same = {f"trial__{name}": getattr(row, name) for name in side_key}
    rows = TrialSide.objects.filter(prompt=side.prompt_id, test_run__isnull=False, **same).exclude(trial=row.pk)
    rows = rows.exclude(side=SideName.DRAFT).exclude(test_run__status__in=(RunStatus.CANCELLED, RunStatus.FAILED))
    stopped = (EvaluationStatus.CANCELLED, EvaluationStatus.FAILED)
    runs = rows.exclude(evaluation__status__in=stopped).order_by("id").values_list("test_run", "evaluation").first()
    return SharedSide(run=runs[0], evaluation=runs[1]) if runs and runs[0] and runs[1] else None


def play_the_same(one: uuid.UUID, other: uuid.UUID | None) -> bool:
    """Tell whether two runs differ in their prompt alone. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_SAME, {"runs": [one, other]})
        return bool(cursor.fetchone()[0])

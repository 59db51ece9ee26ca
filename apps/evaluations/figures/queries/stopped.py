"""Find judged conversations that are stopped whatever their weighted score.

"Worst first" shows them before all others.
"""

import uuid
from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.figures.queries.stored_figures import stored_of
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.runs.domain.states import Blame
from apps.statistics.decision import TOLERANCE

BELOW = Q(score__lt=F("pass_mark") - TOLERANCE)
HAPPENED_AGAIN = Q(must_reach__isnull=False, score__lt=F("must_reach") - TOLERANCE)


def stopped_by(snapshot: Mapping[str, Any]) -> Q:
    """Return the SQL condition for judgements with this snapshot that are stopped. No query.

    That is: a blocking criterion scored below its mark, something happened that must not happen again, or the agent
    itself failed. A caller that decides row by row may call one undecided, where the judge's noise reaches the mark.
    """
    agent_failed = Q(conversation__blame=Blame.AGENT_QUALITY)
    stops = HAPPENED_AGAIN
    if blocking := blocking_of(snapshot):
        stops |= BELOW & Q(criterion__in=blocking)
    return Q(Exists(CriterionScore.objects.filter(stops, judgement=OuterRef("pk")))) | agent_failed


def stopped_count(evaluation: Evaluation, *, scored: int) -> int:
    """Count the scored judgements of an evaluation that are stopped.

    No query where the count is stored or cached, else one.
    """
    if stored := stored_of(evaluation):
        return int(stored["stopped"])
    return cached_aggregate("stopped", evaluation, scored, lambda: read_stopped(evaluation))


def read_stopped(evaluation: Evaluation) -> int:
    """Return how many scored judgements of an evaluation are stopped, counted now. One query."""
    rows = Judgement.objects.filter(evaluation=evaluation, status="scored")
    return rows.filter(stopped_by(evaluation.snapshot)).count()


def stopped_among(judgements: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of these judgements, of any evaluations, that are stopped. Two queries."""
    rows = Judgement.objects.filter(pk__in=judgements)
    evaluations = Evaluation.objects.filter(pk__in=rows.values("evaluation")).only("snapshot")
    chosen = Q(pk__in=[])
    for evaluation in evaluations:
        chosen |= Q(evaluation=evaluation.pk) & stopped_by(evaluation.snapshot)
    return set(rows.filter(chosen).values_list("pk", flat=True))

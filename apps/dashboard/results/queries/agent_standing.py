"""Decide every agent's status by its newest evaluation: one definition for Home and every other page."""

import uuid
from collections.abc import Collection, Mapping, Sequence

from apps.dashboard.domain.measured import split_of
from apps.dashboard.results.domain.agent_standing import AgentStanding
from apps.dashboard.results.domain.changes import MeasuredAgent, failing_criteria
from apps.dashboard.results.queries.scores import Tally
from apps.evaluations.figures.queries.aggregate_cache import VERDICTS, cached_aggregates
from apps.evaluations.figures.queries.decisions import DecisionCounts
from apps.evaluations.figures.queries.uncertainty import verdict_counts_of_each
from apps.evaluations.models import Evaluation


def agent_standings(
    newest: Sequence[MeasuredAgent], tallies: Mapping[uuid.UUID, Tally]
) -> dict[uuid.UUID, AgentStanding]:
    """Return the agents' status by evaluation; `tallies` has the evaluations' counts. Costs as `counted_verdicts`."""
    found = counted_verdicts({one.id: tallies[one.id] for one in newest if one.id in tallies})
    return {one.id: _standing(one, tallies[one.id], found[one.id]) for one in newest if one.id in found}


def counted_verdicts(tallies: Mapping[uuid.UUID, Tally]) -> dict[uuid.UUID, DecisionCounts]:
    """Return the counts of verdicts by evaluation.

    No query where all are stored; at most five for those that are neither stored nor were counted lately, about 10 µs
    for each criterion score.
    """

    def read(ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, DecisionCounts]:
        return verdict_counts_of_each(list(Evaluation.objects.filter(pk__in=list(ids)).defer("sums")))

    stored = {pk: DecisionCounts(**one.decided) for pk, one in tallies.items() if one.decided}
    others = {pk: (one.version, one.scored) for pk, one in tallies.items() if pk not in stored}
    return stored | cached_aggregates(VERDICTS, others, read)


def _standing(one: MeasuredAgent, tally: Tally, counted: DecisionCounts) -> AgentStanding:
    whole = one.means.get("")
    overall = counted.overall(
        status="completed", score=tally.score
    )  # no others are asked for (results.queries.agent_changes)
    return AgentStanding(
        evaluation=one.id,
        agent=one.agent,
        config=one.config,
        kind=one.kind,
        overall=overall,
        split=split_of(counted.whole, total=tally.total, cases=whole.cases if whole else 0),
        agent_failed=counted.agent_failed,
        score=tally.score,
        mark=counted.mark,
        failing=failing_criteria(one),
    )

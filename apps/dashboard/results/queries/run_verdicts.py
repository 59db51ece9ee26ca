"""The verdicts of a run's evaluations, and which of them are bad news."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from apps.dashboard.results.domain.agent_standing import AgentStanding, worry_title
from apps.dashboard.results.queries.agent_changes import measured_evaluations
from apps.dashboard.results.queries.agent_standing import agent_standings
from apps.dashboard.results.queries.scores import Tally, tallies
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.models import Evaluation

_FAILED = (EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdicts:
    """Verdicts of a run.

    `standings` are those of the completed evaluations by id; `phrases` are the bad news of the newest evaluation of
    each version, for the page's first sentence.
    """

    standings: Mapping[uuid.UUID, AgentStanding] = field(default_factory=dict)
    phrases: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvaluations:
    """The evaluations of a run, newest first, with their counts and verdicts."""

    rows: Sequence[Evaluation]
    tallies: Mapping[uuid.UUID, Tally]
    verdicts: RunVerdicts

    @property
    def newest_scored(self) -> Evaluation | None:
        """The newest evaluation with a score: lists show its verdicts."""
        scored = (row for row in self.rows if row.pk in self.tallies and self.tallies[row.pk].scored)
        return next(scored, None)


def run_evaluations(run_id: uuid.UUID, *, titles: Mapping[str, str]) -> RunEvaluations:
    """Return the evaluations of a run with counts and verdicts.

    At most nine queries, four where all were counted lately.
    """
    rows = list(Evaluation.objects.filter(run=run_id).defer("snapshot", "sums").order_by("-created_at"))
    counts = tallies(row.pk for row in rows)
    return RunEvaluations(rows=rows, tallies=counts, verdicts=run_verdicts(rows, counts, titles=titles))


def run_verdicts(
    evaluations: Sequence[Evaluation], counts: Mapping[uuid.UUID, Tally], *, titles: Mapping[str, str]
) -> RunVerdicts:
    """Return the verdicts of one run's evaluations, newest first.

    At most seven queries, two where all were counted lately.
    """
    completed = [one.pk for one in evaluations if one.status == EvaluationStatus.COMPLETED]
    standings = agent_standings(list(measured_evaluations(completed).values()), counts)
    newest: dict[uuid.UUID, Evaluation] = {}
    for evaluation in evaluations:
        newest.setdefault(evaluation.config_version_id, evaluation)
    phrases = (_phrase(one, standings.get(one.pk), titles) for one in newest.values())
    return RunVerdicts(standings=standings, phrases=[phrase for phrase in phrases if phrase])


def _phrase(evaluation: Evaluation, standing: AgentStanding | None, titles: Mapping[str, str]) -> str:
    if evaluation.status in _FAILED:
        return f"judging with {evaluation.config_ref} failed"
    title = worry_title(standing, titles) if standing else ""
    return f"{title} by {evaluation.config_ref}" if title else ""

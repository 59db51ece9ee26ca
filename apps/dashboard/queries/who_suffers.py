"""What the page "Who suffers" shows: heat maps of personas and languages, and how reliable the agent is for each."""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.dashboard.domain.heat_looks import heat_headline, slices_sentence
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.models import Evaluation
from apps.evaluations.queries.results import counts_of, find_evaluation
from apps.reports.domain.heat_map import LEAST_IN_CELL, HeatMap
from apps.reports.domain.reliability import PassShare, Reliability, ks_of, reliability, usual_trials
from apps.reports.queries.reliability import groups_of, heat_map_of, reliability_by, repeated_cases, undecided_of
from apps.reports.queries.slices import slices_of
from apps.statistics.reliability import LEAST_SCENARIOS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityRow:
    """One persona or language: its pass rate over scenarios (k = 1), and pass^k and pass@k of the usual k."""

    name: str
    found: Reliability
    rate: PassShare
    hat: PassShare
    at: PassShare


@dataclass(frozen=True, slots=True, kw_only=True)
class SufferingPart:
    """Personas or languages. `by` is the field of the matrix that they filter; `sentence` says which of them scores
    lower than the others, or that none does for sure."""

    by: str
    title: str
    heat: HeatMap
    rows: Sequence[ReliabilityRow]
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoSuffersPage:
    """`k` is the commonest number of trials of a case, 0 without any; `undecided` and `not_measured` conversations
    are no trials."""

    evaluation: Evaluation
    headline: Headline
    parts: Sequence[SufferingPart]
    overall: ReliabilityRow | None
    live: bool
    k: int
    undecided: int
    not_measured: int
    least: int = LEAST_IN_CELL
    least_scenarios: int = LEAST_SCENARIOS


def who_suffers_page(evaluation_id: uuid.UUID, *, titles: Mapping[str, str] = NAMES) -> WhoSuffersPage:
    """All of the page: four queries (eleven where the judge's noise is read), whatever the size. Raises NotFound."""
    evaluation = find_evaluation(evaluation_id, related=("run",))
    counts = counts_of(evaluation.pk)
    found = groups_of(evaluation, scored=counts["scored"])
    cases = repeated_cases(found)[""]
    ks = ks_of(cases)
    k = usual_trials(Counter(one.trials for one in cases if one.trials))
    overall = reliability(cases, ks)
    claims = slices_of(evaluation.pk, scored=counts["scored"])
    parts = [
        SufferingPart(
            by=by,
            title=title,
            heat=heat_map_of(evaluation, found, by),
            rows=[_row(name, one, k) for name, one in reliability_by(found, ks, by) if one.trials],
            sentence=slices_sentence(claims[by], by),
        )
        for by, title in (("persona", "Personas"), ("language", "Languages"))
    ]
    live = evaluation.status in EVALUATION_ACTIVE
    return WhoSuffersPage(
        evaluation=evaluation,
        headline=heat_headline(
            parts[0].heat,
            parts[1].heat,
            live=live,
            titles=titles,
            least=LEAST_IN_CELL,
        ),
        parts=parts,
        overall=_row("", overall, k) if k else None,
        live=live,
        k=k,
        undecided=(undecided := undecided_of(found)),
        not_measured=sum(counts.values()) - overall.trials - undecided,
    )


def _row(name: str, found: Reliability, k: int) -> ReliabilityRow:
    return ReliabilityRow(name=name, found=found, rate=found.hat[1], hat=found.hat[k], at=found.at[k])

"""The content of the page of slices: customers for whom the agent is worse, heat maps by dimension, reliability for
each."""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.slice_sentences import (
    WORDS,
    left_out_sentence,
    slices_headline,
    slices_sentence,
    worst_claim,
)
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.figures.queries.results import counts_of, find_evaluation
from apps.evaluations.models import Evaluation
from apps.reports.slices.domain.heat_map import MIN_IN_CELL, HeatLevel, HeatMap
from apps.reports.slices.domain.reliability import PassShare, Reliability, ks_of, reliability, usual_trials
from apps.reports.slices.domain.slices import SliceClaim, SliceDimension
from apps.reports.slices.queries.reliability import groups_of, reliability_by, repeated_cases, undecided_of
from apps.reports.slices.queries.slices import MAX_SCENARIOS, Slices, slices_of
from apps.statistics.reliability import MIN_SCENARIOS

_RELIABLE = (SliceDimension.PERSONA, SliceDimension.LANGUAGE)
_ALWAYS = (*_RELIABLE, SliceDimension.SCENARIO)  # the others are shown where there are two


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityRow:
    """One persona or language: its pass rate over scenarios (k = 1), and pass^k and pass@k of the usual k."""

    name: str
    found: Reliability
    rate: PassShare
    hat: PassShare
    at: PassShare


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicePart:
    """One dimension. `filters`: the matrix can be filtered by it, so its cells are links; `sentence` says which slice
    scores lower than the others, or that none does for sure."""

    by: SliceDimension
    title: str
    heat: HeatMap
    claims: Sequence[SliceClaim]
    rows: Sequence[ReliabilityRow]
    sentence: str
    filters: bool

    @property
    def tells(self) -> bool:
        """Tell whether there are slices to hold against each other, with enough conversations in one."""
        levels = {cell.level for row in self.heat.rows for cell in row.cells}
        return len(self.heat.rows) > 1 and bool(levels - {HeatLevel.TOO_FEW})

    @property
    def worst_only(self) -> int:
        """The number of rows shown where that is not all; else 0."""
        return MAX_SCENARIOS if len(self.heat.rows) == MAX_SCENARIOS else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstSlice:
    """The slice of the first line, as the matrix is asked for it."""

    by: SliceDimension
    name: str
    conversations: int

    @property
    def query(self) -> str:
        return urlencode({self.by.value: self.name})


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicesPage:
    """The content of the page of slices.

    `k` is the commonest number of trials of a case, 0 without any. `undecided` and `not_measured` conversations are no
    trials.
    """

    evaluation: Evaluation
    headline: Headline
    left_out: str
    worst: WorstSlice | None
    parts: Sequence[SlicePart]
    overall: ReliabilityRow | None
    live: bool
    k: int
    undecided: int
    not_measured: int
    least: int = MIN_IN_CELL
    least_scenarios: int = MIN_SCENARIOS

    @property
    def compared(self) -> Sequence[SlicePart]:
        """The dimensions with two slices and a cell that shows something; all dimensions if none has one."""
        return [part for part in self.parts if part.tells] or self.parts

    @property
    def quiet(self) -> Sequence[SlicePart]:
        """The parts that the page folds.

        They have one slice, which is the whole, or too few conversations in every cell.
        """
        return [part for part in self.parts if part not in self.compared]


def slices_page(evaluation_id: uuid.UUID) -> SlicesPage:
    """Return the content of the page of slices. Raises NotFound.

    Six queries whatever the size, fourteen where the judge's noise is read.
    """
    evaluation = find_evaluation(evaluation_id, related=("run",))
    counts = counts_of(evaluation)
    groups = groups_of(evaluation, scored=counts["scored"])
    cases = repeated_cases(groups)[""]
    ks = ks_of(cases)
    k = usual_trials(Counter(case.trials for case in cases if case.trials))
    overall = reliability(cases, ks)
    slices = slices_of(evaluation, scored=counts["scored"])
    live = evaluation.status in EVALUATION_ACTIVE
    reliable = {by: [_row(*one, k) for one in reliability_by(groups, ks, by) if one[1].trials] for by in _RELIABLE}
    return SlicesPage(
        evaluation=evaluation,
        headline=slices_headline(slices.claims, slices.cells, live=live),
        left_out=left_out_sentence(other_judges=slices.other_judges, by_fallback=slices.by_fallback),
        worst=_worst(slices),
        parts=[part for by in SliceDimension if (part := _part(by, slices, reliable.get(by, []))).heat.rows],
        overall=_row("", overall, k) if k else None,
        live=live,
        k=k,
        undecided=(undecided := undecided_of(groups)),
        not_measured=sum(counts.values()) - overall.trials - undecided,
    )


def _worst(slices: Slices) -> WorstSlice | None:
    claim = worst_claim(slices.claims)
    if claim is None or claim[0] not in _ALWAYS:  # the matrix is not filtered by the others
        return None
    return WorstSlice(by=claim[0], name=claim[1].group, conversations=claim[1].n)


def _part(by: SliceDimension, slices: Slices, rows: Sequence[ReliabilityRow]) -> SlicePart:
    heat = slices.cells[by]
    is_told = by in _ALWAYS or len(heat.rows) > 1
    claims = slices.claims.get(by, ())
    return SlicePart(
        by=by,
        title=f"{WORDS[by].capitalize()}s",
        heat=heat if is_told else HeatMap(criteria=(), rows=()),
        claims=claims,
        rows=rows,
        sentence=slices_sentence(claims, by),
        filters=by in _ALWAYS,
    )


def _row(name: str, found: Reliability, k: int) -> ReliabilityRow:
    return ReliabilityRow(name=name, found=found, rate=found.hat[1], hat=found.hat[k], at=found.at[k])

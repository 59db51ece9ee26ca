"""Versions of one prompt against the first of them: a matrix of version x criterion, from means of families. Pure.

A cell that cannot be filled says why by a name, and is never 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import fsum, inf

from apps.reports.comparisons.domain.comparison import WORTH, Difference, with_outcomes
from apps.statistics.looks import clusters_needed
from apps.statistics.paired import pairs_needed, sign_flip_p
from apps.statistics.sign_flip_bounds import flip_bounds

OVERALL = "overall"
COST, LATENCY, LENGTH = "cost_usd", "latency_ms", "reply_chars"
MEASURES = (COST, LATENCY, LENGTH)
LEVEL = 0.025  # on either side: an interval of 95 %
SEED = 20_261_124  # any number: the same rows give the same intervals
_EXACT_UP_TO = 20  # families: some 10 ms a cell; a matrix may have a hundred


class VersionStanding(StrEnum):
    """The standing of a version in its prompt: played where nobody names one, written to be tried, or kept."""

    LIVE = "live"
    DRAFT = "draft"
    RECORDED = "recorded"


class MissingVersion(StrEnum):
    """Reason why a version stands beside the first one without a figure."""

    NOT_PLAYED = "not_played"
    NOT_JUDGED = "not_judged"
    OTHER_JUDGE = "other_judge"
    NO_SHARED_CASES = "no_shared_cases"


class MissingFigure(StrEnum):
    """Reason why a cell has no difference, or a difference without an interval."""

    NOT_SCORED = "not_scored"
    NOT_MEASURED = "not_measured"
    TOO_FEW_FAMILIES = "too_few_families"


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyMean:
    """The means of one family of scenarios on one criterion: the mean of its `pairs` on either side, each persona
    counting once."""

    family: str
    pairs: int
    first: float
    other: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceCell:
    """One version and one criterion. `difference.mean` is the version minus the first one."""

    difference: Difference
    missing: MissingFigure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFigures:
    """One version: the weighted mean, each criterion in the order of the matrix, and what a reply costs, takes and is
    long."""

    overall: DifferenceCell
    criteria: Sequence[DifferenceCell]
    measures: Sequence[DifferenceCell]


def matrix_row(means: Mapping[str, Sequence[FamilyMean]], criteria: Sequence[str]) -> VersionFigures:
    """The row of one version, from the means by what was measured. Outcomes of the overall score and of the criteria
    are corrected for having asked about all of them (Holm); measures are shown without one. 10 ms a cell at most."""
    names = (OVERALL, *criteria)
    overall, *others = with_outcomes([_difference(name, means.get(name, ())) for name in names])
    return VersionFigures(
        overall=_cell(overall),
        criteria=[_cell(one) for one in others],
        measures=[_cell(_difference(name, means.get(name, ()))) for name in MEASURES],
    )


def worst_first(rows: Sequence[Mapping[str, DifferenceCell]], criteria: Sequence[str]) -> list[str]:
    """The criteria, that with the largest loss in any row first; those that nobody could compare last."""

    def loss(name: str) -> float:
        means = [row[name].difference.mean for row in rows if name in row]
        return min((mean for mean in means if mean is not None), default=inf)

    return sorted(criteria, key=lambda name: (loss(name), criteria.index(name)))


def _difference(name: str, means: Sequence[FamilyMean]) -> Difference:
    if not means:
        return Difference(name=name, pairs=0, clusters=0)
    ordered = sorted(means, key=lambda mean: mean.family)
    deltas = [one.other - one.first for one in ordered]
    n = len(ordered)
    bounds = flip_bounds(deltas, level=LEVEL, seed=SEED, exact_up_to=_EXACT_UP_TO) if n >= clusters_needed(1) else None
    interval = (bounds.low, bounds.high) if bounds and bounds.low > -inf else None
    chance = sign_flip_p(deltas, seed=SEED)
    pairs = sum(one.pairs for one in ordered)
    difference = Difference(
        name=name,
        pairs=pairs,
        clusters=n,
        trials=(pairs, pairs),
        mean_a=fsum(one.first for one in ordered) / n,
        mean_b=fsum(one.other for one in ordered) / n,
        mean=fsum(deltas) / n,
        interval=interval,
        chance=chance,
        adjusted=chance,
    )
    return replace(difference, needed=_needed(deltas, interval))


def _needed(deltas: Sequence[float], interval: tuple[float, float] | None) -> int | None:
    """About how many more families it takes to tell."""
    low, high = interval or (0.0, 0.0)
    more = pairs_needed(deltas, effect=max(WORTH, low, -high))
    return None if more is None else max(clusters_needed(1), more) - len(deltas)


def _cell(difference: Difference) -> DifferenceCell:
    if difference.mean is None:
        unmeasured = difference.name in MEASURES
        missing = MissingFigure.NOT_MEASURED if unmeasured else MissingFigure.NOT_SCORED
        return DifferenceCell(difference=difference, missing=missing)
    few = difference.interval is None
    return DifferenceCell(difference=difference, missing=MissingFigure.TOO_FEW_FAMILIES if few else None)

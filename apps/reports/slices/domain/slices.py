"""Find the slice of customers that does worse than all the others: claims on the weighted score.

Pure. One-sided (worse), one slice against the rest, within the scenarios that they share: a moderated t of the
scenarios' differences, whose variance borrows from the other slices (Smyth 2004). Where slices share no scenario,
Welch's t over scenario means (1947). Holm (1979) over the slices of one dimension. Simulated (`python -m
benchmarks.slice_claims`, 500 each), 12 slices of which none is worse: a false one in 4 of 100 evaluations; one that is
1 point lower (sd 1.5) is found in 22, 53 and 91 of 100 at 10, 20 and 40 conversations a slice.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, fsum, log2, sqrt

from apps.statistics.moderated import VariancePrior, moderated_mean, variance_prior
from apps.statistics.paired import sign_flip_loss_p
from apps.statistics.student import two_sided_p

LEVEL = 0.05
OWN_SCENARIOS = 10  # of a slice that shares none with the others, and of the others
MIN_DIFFERENCE = 0.05  # points: what would be written as 0.0 is no difference
_SEED = 7
_DECIMALS = 9  # a mean of equal scores differs from another by rounding alone


class SliceDimension(StrEnum):
    """The dimensions that divide conversations into slices. A scenario is one cluster, however often it was played: it
    claims nothing."""

    PERSONA = "persona"
    LANGUAGE = "language"
    PROMPT_VERSION = "prompt_version"
    KIND = "kind"
    SCENARIO = "scenario"


CLAIMING = tuple(one for one in SliceDimension if one is not SliceDimension.SCENARIO)


class SliceState(StrEnum):
    WORSE = "worse"
    NOT_SHOWN = "not_shown"
    TOO_FEW = "too_few"


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceScore:
    """The mean score of `n` conversations of one scenario and slice."""

    scenario: str
    group: str
    score: float
    n: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceClaim:
    """One slice against the rest. `difference` is its mean minus theirs, over `scenarios`, with its 95 % interval; None
    where nothing can be compared. `p` is one-sided and not yet adjusted; it alone, adjusted, makes the state."""

    group: str
    n: int
    scenarios: int
    mean: float
    difference: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    state: SliceState = SliceState.TOO_FEW


def scenarios_needed(slices: int) -> int:
    """Below so many shared scenarios nothing is claimed: 7, 8 and 10 for 5, 12 and 30 slices. So few could not show
    anything by the signs of their differences alone, which assume least."""
    return max(7, ceil(log2(slices / LEVEL)))


def slice_claims(scores: Iterable[SliceScore], *, level: float = LEVEL) -> list[SliceClaim]:
    """Every named slice, the claimed ones first, then the worst. Fewer than two slices claim nothing: []. Some 0.2 ms a
    slice of 40 scenarios."""
    by_group = _by_group(score for score in scores if score.group)
    if len(by_group) < 2:
        return []
    rests = _rests(by_group)
    needed = scenarios_needed(len(by_group))
    differences = {group: _differences(by_group[group], rests[group]) for group in by_group}
    enough = {group: difference for group, difference in differences.items() if len(difference) >= needed}
    prior = _prior(list(enough.values()), len(by_group))
    claims = []
    for group, own in by_group.items():
        if group in enough:
            measured = _within(enough[group], prior)
        elif not differences[group] and min(len(own), len(rests[group])) >= OWN_SCENARIOS:
            measured = _apart(_means(own), _means(rests[group]))
        else:
            measured = None
        claims.append(_claim(group, own, len(differences[group]) or len(own), measured))
    worse = _shown({claim.group: claim.p for claim in claims if claim.p is not None}, level)
    named_claims = [_named(claim, worse) for claim in claims]
    return sorted(
        named_claims, key=lambda claim: (claim.state is not SliceState.WORSE, claim.difference or 0.0, claim.group)
    )


Cells = Mapping[str, tuple[float, int]]  # scenario: sum of scores, and of how many
_Measured = tuple[float, tuple[float, float] | None, float]  # difference, interval, p


def _by_group(scores: Iterable[SliceScore]) -> dict[str, Cells]:
    by_group: defaultdict[str, defaultdict[str, tuple[float, int]]] = defaultdict(lambda: defaultdict(lambda: (0.0, 0)))
    for score in scores:
        total, n = by_group[score.group][score.scenario]
        by_group[score.group][score.scenario] = (total + score.score * score.n, n + score.n)
    return {group: dict(cells) for group, cells in by_group.items()}


def _rests(by_group: Mapping[str, Cells]) -> dict[str, Cells]:
    """Return for each group the cells of all other groups together."""
    every: defaultdict[str, tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for cells in by_group.values():
        for scenario, (total, n) in cells.items():
            before, counted = every[scenario]
            every[scenario] = (before + total, counted + n)
    return {
        group: {
            scenario: (total - cells.get(scenario, (0.0, 0))[0], left)
            for scenario, (total, n) in every.items()
            if (left := n - cells.get(scenario, (0.0, 0))[1])
        }
        for group, cells in by_group.items()
    }


def _differences(own: Cells, rest: Cells) -> list[float]:
    """The differences over the scenarios that both have."""
    return [round(_mean(own[one]) - _mean(rest[one]), _DECIMALS) for one in sorted(own.keys() & rest.keys())]


def _means(cells: Cells) -> list[float]:
    return [_mean(cell) for cell in cells.values()]


def _mean(cell: tuple[float, int]) -> float:
    return cell[0] / cell[1]


def _prior(samples: Sequence[Sequence[float]], slices: int) -> VariancePrior | None:
    """The common variance of the slices' differences. The last slice's differences follow from all the others."""
    variances = [(_variance(sample), len(sample) - 1) for sample in samples]
    degrees = sum(one for _, one in variances)
    return variance_prior(variances, most=degrees * (slices - 1) / slices)


def _within(differences: Sequence[float], prior: VariancePrior | None) -> _Measured:
    if prior is None:  # nobody's differences vary at all: their signs are all there is
        return differences[0], None, sign_flip_loss_p(differences, seed=_SEED) or 1.0
    mean = moderated_mean(differences, prior)
    return mean.mean, mean.interval(), mean.loss_p


def _apart(own: Sequence[float], rest: Sequence[float]) -> _Measured:
    """Welch's: the difference of the means and the one-sided chance of one at least as low."""
    a, b = fsum(own) / len(own), fsum(rest) / len(rest)
    va, vb = _variance(own) / len(own), _variance(rest) / len(rest)
    difference, variance = a - b, va + vb
    if variance == 0.0:  # scores without any spread are no measurement of one
        return difference, None, 1.0
    degrees = variance**2 / (va**2 / (len(own) - 1) + vb**2 / (len(rest) - 1))
    tail = two_sided_p(difference / sqrt(variance), degrees) / 2
    return difference, None, tail if difference < 0 else 1.0 - tail


def _variance(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _claim(group: str, own: Cells, scenarios: int, measured: _Measured | None) -> SliceClaim:
    total, n = fsum(each for each, _ in own.values()), sum(each for _, each in own.values())
    difference, interval, p = measured or (None, None, None)
    return SliceClaim(
        group=group, n=n, scenarios=scenarios, mean=total / n, difference=difference, interval=interval, p=p
    )


def _shown(chances: Mapping[str, float], level: float) -> frozenset[str]:
    """Holm's: the smallest against level / k, and so on, until one is not shown."""
    shown = list[str]()
    for place, (group, p) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        if p > level / (len(chances) - place):
            break
        shown.append(group)
    return frozenset(shown)


def _named(claim: SliceClaim, worse: frozenset[str]) -> SliceClaim:
    if claim.difference is None or claim.p is None:
        return claim
    shown = claim.group in worse and claim.difference <= -MIN_DIFFERENCE
    return replace(claim, state=SliceState.WORSE if shown else SliceState.NOT_SHOWN)

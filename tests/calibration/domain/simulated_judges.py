"""Simulated judges whose errors are known. People label some conversations, which is all that a correction is shown of
them; the judge alone scores the others. Counted is how often an interval holds the truth."""

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from random import Random

from apps.statistics.correction import Moments, ppi_of_moments, rogan_gladen_interval
from apps.statistics.quantiles import wilson

GOAL = (0.93, 0.97)
NOISE = 3.0  # standard errors: what 132 cells, each of some hundred judges, may show by chance
Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedJudge:
    """What nobody but the test knows of a judge. Scores of 0-10 are 8 for a pass and 3 for a fail, give or take
    `noise`, and `bias` points too high."""

    rate: float
    sensitivity: float
    specificity: float
    bias: float
    noise: float

    def passes(self, truth: bool, chance: Random) -> bool:
        return chance.random() < (self.sensitivity if truth else 1 - self.specificity)

    def score(self, truth: float, chance: Random) -> float:
        return truth + self.bias + chance.gauss(0, self.noise)


def drawn(chance: Random) -> SimulatedJudge:
    return SimulatedJudge(
        rate=chance.uniform(0.15, 0.9),
        sensitivity=chance.uniform(0.75, 0.98),
        specificity=chance.uniform(0.65, 0.95),
        bias=chance.uniform(-1.5, 1.5),
        noise=chance.uniform(0.5, 2.0),
    )


def rate_of(judge: SimulatedJudge, *, labels: int, conversations: int, chance: Random) -> Counter[str]:
    """Whether the corrected and the raw interval of the pass rate hold the true one."""
    said = Counter(
        (truth, judge.passes(truth, chance)) for truth in (chance.random() < judge.rate for _ in range(labels))
    )
    passed = sum(judge.passes(chance.random() < judge.rate, chance) for _ in range(conversations))
    corrected = rogan_gladen_interval(
        passed,
        conversations,
        true_passes=said[True, True],
        human_passes=said[True, True] + said[True, False],
        true_fails=said[False, False],
        human_fails=said[False, True] + said[False, False],
    )
    raw = wilson(passed, conversations)
    found = Counter({"raw rate": raw[0] <= judge.rate <= raw[1], "rate undefined": corrected is None})
    if corrected is not None:
        found["corrected rate"] = corrected.low <= judge.rate <= corrected.high
    return found


def mean_of(judge: SimulatedJudge, *, labels: int, conversations: int, chance: Random) -> Counter[str]:
    """The same of the mean of scores, which people would give without the judge's bias and noise."""
    truth = 3 + 5 * judge.rate

    def people() -> float:
        return (8.0 if chance.random() < judge.rate else 3.0) + chance.gauss(0, 0.5)

    alone = Moments.of([judge.score(people(), chance) for _ in range(conversations)])
    errors = Moments.of([label - judge.score(label, chance) for label in (people() for _ in range(labels))])
    corrected = ppi_of_moments(judge=alone, errors=errors)
    half = Z_95 * sqrt(alone.variance / alone.n)
    return Counter(
        {
            "raw mean": abs(alone.mean - truth) <= half,
            "corrected mean": corrected is not None and corrected.low <= truth <= corrected.high,
        }
    )


def coverage(*, judges: int, labels: int, conversations: int, seed: int) -> dict[str, float]:
    """Shares of judges whose interval held the truth; a corrected rate that is undefined is no hit and is counted."""
    chance = Random(seed)
    total: Counter[str] = Counter()
    for _ in range(judges):
        judge = drawn(chance)
        total += rate_of(judge, labels=labels, conversations=conversations, chance=chance)
        total += mean_of(judge, labels=labels, conversations=conversations, chance=chance)
    names = ("corrected rate", "raw rate", "corrected mean", "raw mean", "rate undefined")
    return {name: total[name] / judges for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Judges of one true rate, known by so many labels of the smaller class. `held` of `given` intervals."""

    smaller: int
    rate: float
    judges: int
    given: int
    held: int

    @property
    def share(self) -> float | None:
        return self.held / self.given if self.given else None

    @property
    def below_goal(self) -> bool:
        error = sqrt(GOAL[0] * (1 - GOAL[0]) / self.given) if self.given else 0.0
        return self.share is not None and self.share < GOAL[0] - NOISE * error


def cell_of(smaller: int, rate: float, *, judges: int, labels: int, conversations: int, seed: int) -> Cell:
    """The smaller class is what is rarer: passes below a true rate of one half, else fails."""
    import numpy as np  # noqa: PLC0415 - only this table draws many

    chance = np.random.default_rng([seed, smaller, round(100 * rate)])
    human_passes, human_fails = (smaller, labels - smaller) if rate < 0.5 else (labels - smaller, smaller)
    sensitivity, specificity = chance.uniform(0.7, 0.995, judges), chance.uniform(0.65, 0.995, judges)
    drawn_counts = (
        chance.binomial(conversations, rate * sensitivity + (1 - rate) * (1 - specificity)),
        chance.binomial(human_passes, sensitivity),
        chance.binomial(human_fails, specificity),
    )
    found = [
        rogan_gladen_interval(
            passed,
            conversations,
            true_passes=right,
            human_passes=human_passes,
            true_fails=strict,
            human_fails=human_fails,
        )
        for passed, right, strict in zip(*(counts.tolist() for counts in drawn_counts), strict=True)
    ]
    intervals = [one for one in found if one is not None]
    return Cell(
        smaller=smaller,
        rate=rate,
        judges=judges,
        given=len(intervals),
        held=sum(one.low <= rate <= one.high for one in intervals),
    )

"""Frozen cases graded again and again by a judge of known noise, whose noise is learned from the repeats of that very
grading: who passes once and fails once, by the rule and by taking a single score at its word."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import variance

from apps.catalog.configs.domain.judging_rules import ERROR_RATE
from apps.evaluations.figures.domain.uncertainty import Decision, Source, doubt, flipped_share, pooled

MARK = 6.0
ROWS = (
    ("scores from 2 to 10", 0.3, 0.0),
    ("scores from 2 to 10", 0.8, 0.0),
    ("scores from 2 to 10", 1.5, 0.0),
    ("scores from 2 to 10, whole points", 0.8, 1.0),
    ("around the mark, 5 to 7", 0.8, 0.0),
    ("exactly on the mark", 0.8, 0.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Shares of the cases. `taken_at_its_word`: one answer, no interval."""

    cases: str
    noise: float
    flipped: float
    undecided: float
    taken_at_its_word: float


def graded(
    truths: Sequence[float], *, noise: float, step: float, repeats: int, chance: Random
) -> list[tuple[Decision, Decision]]:
    """One grading: what the rule says of each case, and what its first answer says alone."""
    answers = [[_given(truth, noise, step, chance) for _ in range(repeats)] for truth in truths]
    known = pooled([(variance(many), repeats - 1) for many in answers], Source.REPEATS)
    noises = [known] if known else []
    return [
        (
            doubt(sum(many) / repeats, MARK, noises=noises, answers=repeats).decision,
            doubt(many[0], MARK, noises=[]).decision,
        )
        for many in answers
    ]


def row(name: str, *, noise: float, step: float, cases: int, gradings: int, repeats: int, seed: int) -> Row:
    chance = Random(seed)
    low, high = {"s": (2.0, 10.0), "a": (5.0, 7.0), "e": (MARK, MARK)}[name[0]]
    truths = [chance.uniform(low, high) for _ in range(cases)]
    runs = [graded(truths, noise=noise, step=step, repeats=repeats, chance=chance) for _ in range(gradings)]
    by_rule = {case: [run[case][0] for run in runs] for case in range(cases)}
    alone = {case: [run[case][1] for run in runs] for case in range(cases)}
    undecided = sum(one is Decision.UNDECIDED for many in by_rule.values() for one in many)
    return Row(
        cases=name,
        noise=noise,
        flipped=flipped_share(by_rule) or 0.0,
        undecided=undecided / (cases * gradings),
        taken_at_its_word=flipped_share(alone) or 0.0,
    )


def _given(truth: float, noise: float, step: float, chance: Random) -> float:
    score = min(10.0, max(0.0, chance.gauss(truth, noise)))
    return round(score / step) * step if step else score


def allowed(cases: int) -> float:
    """5 %, and two standard errors of a share of so many cases."""
    return ERROR_RATE + 2 * float((ERROR_RATE * (1 - ERROR_RATE) / cases) ** 0.5)

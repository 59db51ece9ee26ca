"""How often a slice is called worse that is not, and how often one is found that is?

    python -m benchmarks.slice_claims [--simulations 500] [--seed 1] [--shape normal|top|spread|own]

Evaluations are simulated: so many slices of so many conversations, each of its own scenario that all slices share, sd
1.5 a conversation; in the second figure one slice is 1 point lower. False is the share of evaluations with any claim of
a slice that is not lower. `--shape top` rounds scores to halves and lets them crowd at 10, `spread` gives one slice
twice the sd of the others, `own` gives each slice scenarios of its own. Exit 0 where false ones are at most the stated
5 % and two standard errors.
"""

import argparse
import random
import sys
from math import sqrt

from apps.reports.slices.domain.slices import LEVEL, SliceScore, SliceState, slice_claims

SD, LOSS = 1.5, 1.0


SHAPES = ("normal", "top", "spread", "own")


def evaluation(dice: random.Random, *, slices: int, n: int, loss: float, shape: str) -> list[SliceScore]:
    return [
        SliceScore(
            scenario=f"s{scenario} of {group}" if shape == "own" else f"s{scenario}",
            group=f"g{group}",
            score=_score(dice, group, shape) - (loss if group == 0 else 0.0),
        )
        for scenario in range(n)
        for group in range(slices)
    ]


def _score(dice: random.Random, group: int, shape: str) -> float:
    if shape == "top":
        return min(10.0, max(0.0, round(2 * dice.gauss(8.5, SD)) / 2))
    return dice.gauss(7.0, 2 * SD if shape == "spread" and group == 1 else SD)


def rates(*, slices: int, n: int, simulations: int, seed: int, shape: str) -> tuple[float, float]:
    """(false, found)."""
    dice = random.Random(seed)
    false = found = 0
    for _ in range(simulations):
        claimed = slice_claims(evaluation(dice, slices=slices, n=n, loss=0.0, shape=shape))
        false += any(one.state is SliceState.WORSE for one in claimed)
        claimed = slice_claims(evaluation(dice, slices=slices, n=n, loss=LOSS, shape=shape))
        found += any(one.state is SliceState.WORSE and one.group == "g0" for one in claimed)
    return false / simulations, found / simulations


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shape", choices=SHAPES, default="normal")
    options = parser.parse_args()
    most = LEVEL + 2 * sqrt(LEVEL * (1 - LEVEL) / options.simulations)
    worst = 0.0
    print(f"{'slices':>7}{'n':>5}{'false':>8}{'found':>8}   at most {most:.3f} false")
    for slices in (5, 12, 30):
        for n in (10, 20, 40):
            false, found = rates(
                slices=slices, n=n, simulations=options.simulations, seed=options.seed, shape=options.shape
            )
            worst = max(worst, false)
            print(f"{slices:>7}{n:>5}{false:>8.3f}{found:>8.3f}", flush=True)
    return 0 if worst <= most else 1


if __name__ == "__main__":
    sys.exit(main())

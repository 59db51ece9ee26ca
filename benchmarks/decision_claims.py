"""How often does the decision about a draft say "better" at a true difference of 0, 0.5 and 1, and how often does the
interval that it shows hold the truth?

    python -m benchmarks.decision_claims [--trials 2000] [--families 12] [--seed 1]

Every trial goes through `apps.improvement.domain.acceptance.decide` itself, at the first look: no short cut. A family's
difference is the mean of two personas, whose pairs scatter by 1.2 and are correlated by .3 within the family. Printed
for each true difference: how often "better" was said with its binomial 95 % interval (Wilson 1927), beside the stated
rate of false claims, and how often the shown interval held the truth beside its stated confidence.

Exit 0 when the interval of the claims at 0 reaches down to the stated rate, and that of each coverage up to the stated
confidence.
"""

import argparse
import random
import sys
import time
from dataclasses import dataclass
from math import sqrt
from typing import Any

from apps.improvement.domain.acceptance import AcceptanceVerdict, decide
from apps.statistics.looks import level_of_look
from apps.statistics.quantiles import wilson

PAIR_SD, CORRELATION, PERSONAS = 1.2, 0.3, ("aunt", "cousin")
LIVE, DIFFERENCES = 6.0, (0.0, 0.5, 1.0)


@dataclass(slots=True, kw_only=True)
class ClaimCount:
    """Of so many trials at one true difference."""

    difference: float
    trials: int
    better: int = 0
    blocked: int = 0
    shown: int = 0
    held: int = 0


def pairs(chance: random.Random, *, families: int, difference: float) -> list[dict[str, Any]]:
    """One trial's pairs: each family played by two personas."""
    found = []
    for number in range(families):
        shared = chance.gauss(0, 1)
        for persona in PERSONAS:
            own = sqrt(CORRELATION) * shared + sqrt(1 - CORRELATION) * chance.gauss(0, 1)
            found.append({
                "scenario": f"s{number}", "persona": persona, "language": "en", "live": LIVE,
                "draft": LIVE + difference + PAIR_SD * own,
            })  # fmt: skip
    return found


def counted(*, difference: float, trials: int, families: int, seed: int) -> ClaimCount:
    chance = random.Random(f"{seed}/{families}/{difference}")
    count = ClaimCount(difference=difference, trials=trials)
    for _ in range(trials):
        found = decide(pairs(chance, families=families, difference=difference), look=1)
        count.better += found.verdict is AcceptanceVerdict.BETTER
        count.blocked += found.verdict is AcceptanceVerdict.BLOCKED
        if found.interval is not None:
            low, high = found.interval
            count.shown += 1
            count.held += (low is None or low <= difference) and (high is None or difference <= high)
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--families", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    level, started, holds = level_of_look(1), time.monotonic(), True
    print(f"{options.trials} trials of {options.families} families, look 1: {level:.2%} false claims are stated, and")
    print(f"{1 - 2 * level:.2%} for the interval.\n")
    print(f"{'true':>6}  {'better':<28}{'blocked':>8}   {'interval holds the truth'}")
    for difference in DIFFERENCES:
        one = counted(
            difference=difference, trials=options.trials, families=options.families, seed=options.seed
        )  # fmt: skip
        claims, truth = wilson(one.better, one.trials), wilson(one.held, one.shown)
        holds = holds and (difference > 0 or claims[0] <= level) and truth[1] >= 1 - 2 * level
        better = f"{one.better / one.trials:.2%} ({claims[0]:.2%} to {claims[1]:.2%})"
        held = f"{one.held / one.shown:.2%} ({truth[0]:.2%} to {truth[1]:.2%}) of {one.shown}"
        print(f"{difference:>6}  {better:<28}{one.blocked / one.trials:>8.2%}   {held}", flush=True)
    print(f"\n{time.monotonic() - started:.0f} s; {'as stated' if holds else 'NOT AS STATED'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())

"""How often is a draft called better that is not, how often is a gain found, and are losses blocked?

    python -m benchmarks.acceptance_rates [--simulations 600] [--processes 2] [--seed 1] [--quick]

A family's difference (the mean of two personas) scatters by .967: pairs by 1.2, correlated by .3 within a family. The
rates come from the sign-flip test that the decision inverts, once a hold-out for all three looks; every tenth hold-out
also goes through the decision itself (apps.improvement.domain.acceptance.decide) at every look, which must say the
same. Printed for each look and number of families: the share called better at a true difference of 0 (95 % Wilson
interval) beside the stated level, at 0.6 and at 1.2, and how often the interval holds the truth beside its stated
confidence. Then what `decide` blocks: a draft 1.6 below the live prompt on one criterion of five or on all of them,
and three drafts in a row that are each 0.9 below the one before, the first live prompt being played anew each time.

Exit 0 when no claim rate at 0 lies above its level, no coverage below its confidence (beyond chance, which is three
standard deviations: eighteen rates are looked at), the decision agrees, and at least 9 of 10 drafts are blocked at
-1.6 on all criteria and by the third round of -0.9.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from typing import Any

from apps.improvement.domain.acceptance import Acceptance, AcceptanceVerdict, decide
from apps.statistics.looks import level_of_look
from apps.statistics.paired import sign_flip_loss_p
from apps.statistics.quantiles import wilson

FAMILIES, LOOKS, GAINS = (12, 16, 24), (1, 2, 3), (0.0, 0.6, 1.2)
DECIDED = 10  # every tenth
FAMILY_SD, CRITERION_SD, CORRELATION = 0.967, 1.5, 0.5
BEYOND_CHANCE = 0.9973  # three standard deviations
CRITERIA = ("politeness", "accuracy", "flow", "payment", "language")
LOSS, ROUND_LOSS, ROUNDS = -1.6, -0.9, 3
LIVE = 7.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateCell:
    """One row of simulations. `kind` is gain, one_criterion, all_criteria or rounds."""

    kind: str
    families: int
    gain: float = 0.0
    simulations: int = 600
    seed: int = 1


@dataclass(slots=True, kw_only=True)
class RateCount:
    """By look, how many were called better and had the truth in their interval; how many were blocked, and how often
    the decision said otherwise than the test."""

    cell: RateCell
    better: dict[int, int]
    covered: dict[int, int]
    blocked: int = 0
    disagreed: int = 0


def simulated(cell: RateCell) -> RateCount:
    """All simulations of a cell."""
    chance = random.Random(f"{cell.seed}/{cell.kind}/{cell.families}/{cell.gain}")
    count = RateCount(cell=cell, better=dict.fromkeys(LOOKS, 0), covered=dict.fromkeys(LOOKS, 0))
    for number in range(cell.simulations):
        if cell.kind == "gain":
            one_gain(count, chance, decided=number % DECIDED == 0)
        else:
            found = rounds(cell, chance) if cell.kind == "rounds" else one_loss(cell, chance)
            count.blocked += found.verdict is AcceptanceVerdict.BLOCKED
    return count


def one_gain(count: RateCount, chance: random.Random, *, decided: bool) -> None:
    """A hold-out whose families gain `gain` on average, at every look."""
    gain = count.cell.gain
    drafts = [LIVE + chance.gauss(gain, FAMILY_SD) for _ in range(count.cell.families)]
    gains = [draft - LIVE for draft in drafts]
    by_chance, below, above = (
        loss_p(-one for one in gains),
        loss_p(gain - one for one in gains),
        loss_p(one - gain for one in gains),
    )
    for look in LOOKS:
        level = level_of_look(look)
        better, covered = by_chance <= level, min(below, above) > level
        count.better[look] += better
        count.covered[look] += covered
        if decided:
            found = decide([pair(at, LIVE, draft) for at, draft in enumerate(drafts)], look=look)
            held = found.interval is not None and found.interval[0] <= gain <= found.interval[1]
            count.disagreed += (found.verdict is AcceptanceVerdict.BETTER, held) != (better, covered)


def loss_p(differences: Iterable[float]) -> float:
    return sign_flip_loss_p(list(differences), seed=0) or 0.0


def one_loss(cell: RateCell, chance: random.Random) -> Acceptance:
    """A hold-out that loses `gain` on one criterion, or on all of them."""
    return decide([judged_pair(at, cell, chance) for at in range(cell.families)], look=1)


def judged_pair(at: int, cell: RateCell, chance: random.Random) -> dict[str, Any]:
    shared, criteria = chance.gauss(0, 1), {}
    for name in CRITERIA:
        hit = cell.kind == "all_criteria" or name == "payment"
        own = sqrt(CORRELATION) * shared + sqrt(1 - CORRELATION) * chance.gauss(0, 1)
        criteria[name] = [LIVE, LIVE + CRITERION_SD * own + (cell.gain if hit else 0.0)]
    draft = sum(both[1] for both in criteria.values()) / len(criteria)
    return {**pair(at, LIVE, draft), "criteria": criteria}


def rounds(cell: RateCell, chance: random.Random) -> Acceptance:
    """Drafts in a row, each `gain` below the one before; the first that is blocked, else the last."""
    for number in range(1, ROUNDS + 1):
        pairs = []
        for at in range(cell.families):
            live, original = LIVE + (number - 1) * cell.gain, LIVE + chance.gauss(0, FAMILY_SD / 2)
            pairs.append({**pair(at, live, live + chance.gauss(cell.gain, FAMILY_SD)), "original": original})
        found = decide(pairs, look=1)
        if found.verdict is AcceptanceVerdict.BLOCKED:
            break
    return found


def pair(at: int, live: float, draft: float) -> dict[str, Any]:
    return {"scenario": f"s{at}", "persona": "", "language": "en", "live": live, "draft": draft}


def print_gains(counts: Sequence[RateCount]) -> bool:
    """The table of claims; whether every rate holds."""
    heads = ("families", "look", "level", "better at 0", "at 0.6", "at 1.2", "interval holds the truth", "stated")
    print("\n{:>8}{:>6}{:>8}   {:<24}{:>8}{:>8}   {:<28}{}".format(*heads))
    holds = not any(one.disagreed for one in counts)
    for families in FAMILIES:
        row = {one.cell.gain: one for one in counts if one.cell.kind == "gain" and one.cell.families == families}
        n = row[0.0].cell.simulations
        for look in LOOKS:
            level, covered = level_of_look(look), sum(one.covered[look] for one in row.values())
            claims, truth = wilson(row[0.0].better[look], n), wilson(covered, n * len(row))
            least = wilson(row[0.0].better[look], n, confidence=BEYOND_CHANCE)[0]
            most = wilson(covered, n * len(row), confidence=BEYOND_CHANCE)[1]
            holds = holds and least <= level and most >= 1 - 2 * level
            false = f"{row[0.0].better[look] / n:.1%} ({claims[0]:.1%} to {claims[1]:.1%})"
            power = [f"{row[gain].better[look] / n:.1%}" for gain in GAINS[1:]]
            held = f"{covered / (n * len(row)):.1%} ({truth[0]:.1%} to {truth[1]:.1%})"
            rates = f"{false:<24}{power[0]:>8}{power[1]:>8}   {held:<28}{1 - 2 * level:.2%}"
            print(f"{families:>8}{look:>6}{level:>8.2%}   {rates}")
    decided = sum(len(LOOKS) * -(-one.cell.simulations // DECIDED) for one in counts if one.cell.kind == "gain")
    print(f"the decision said otherwise than the test {sum(one.disagreed for one in counts)} times of {decided}")
    return holds


def print_blocks(counts: Sequence[RateCount]) -> bool:
    """The table of blocks; whether what must be blocked is."""
    words = {
        "one_criterion": f"{LOSS:g} on one criterion of five",
        "all_criteria": f"{LOSS:g} on all criteria",
        "rounds": f"{ROUNDS} rounds of {ROUND_LOSS:g}, blocked by the last",
    }
    print("\nblocked")
    blocks = [one for one in counts if one.cell.kind in words]
    for one in blocks:
        share = one.blocked / one.cell.simulations
        print(f"  {words[one.cell.kind]:<38}{one.cell.families:>4} families{share:>8.1%}")
    return all(one.blocked >= 0.9 * one.cell.simulations for one in blocks if one.cell.kind != "one_criterion")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=600)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="60 simulations: whether it works, not what it measures")
    options = parser.parse_args()
    n, started = 60 if options.quick else options.simulations, time.monotonic()
    cells = [
        RateCell(kind="gain", families=families, gain=gain, simulations=n, seed=options.seed)
        for families in reversed(FAMILIES)
        for gain in GAINS
    ]
    cells += [
        RateCell(kind=kind, families=families, gain=gain, simulations=n, seed=options.seed)
        for families in (12, 16)
        for kind, gain in (("one_criterion", LOSS), ("all_criteria", LOSS), ("rounds", ROUND_LOSS))
    ]
    with ProcessPoolExecutor(options.processes) as pool:
        counts = list(pool.map(simulated, cells))
    print(f"{n} simulations each, {options.processes} processes, seed {options.seed}")
    holds = print_gains(counts)
    blocks = print_blocks(counts)
    print(f"\n{time.monotonic() - started:.0f} s; {'all as stated' if holds and blocks else 'NOT AS STATED'}")
    return 0 if holds and blocks else 1


if __name__ == "__main__":
    sys.exit(main())

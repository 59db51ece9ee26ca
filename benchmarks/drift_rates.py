"""How often a steady judge is said to have moved by who looks after every new pair, and what a real shift takes.

`python -m benchmarks.drift_rates [--rounds 2000]`: differences of two judges in whole points, `before` pairs of earlier
evaluations, then up to 300 new ones; a plain 99 % normal interval (Welch) beside the code that runs. Then fifty
evaluations of 40 pairs, each against all before it. A minute.
"""

import argparse
from collections.abc import Callable, Iterator
from math import sqrt
from random import Random
from statistics import median

from apps.statistics.drift import FEWEST, WORTH, shift_between
from apps.statistics.sequential import ArmCell

PAIRS, EVALUATIONS, EACH = 300, 50, 40
Draw = Callable[[Random], float]


def whole(deviation: float, shift: float = 0.0) -> Draw:
    return lambda chance: round(chance.gauss(shift, deviation))


def rare(chance: Random) -> float:
    """Two judges who agree but for one conversation in twenty."""
    return 6 if chance.random() < 0.05 else 0


def plain(before: ArmCell, after: ArmCell) -> bool:
    """The fixed interval that is looked at again and again."""
    error = sqrt(sum(side.deviations / (side.n - 1) / side.n for side in (before, after)))
    return abs(after.mean - before.mean) >= max(WORTH, 2.576 * error)


def always(before: ArmCell, after: ArmCell) -> bool:
    shift = shift_between(before, after)
    return shift is not None and shift.sure


def growing(cell: ArmCell, values: Iterator[float]) -> Iterator[ArmCell]:
    for value in values:
        cell = ArmCell(n=cell.n + 1, total=cell.total + value, squares=cell.squares + value * value)
        yield cell


def first_call(before: ArmCell, values: Iterator[float], calls: Callable[[ArmCell, ArmCell], bool]) -> int | None:
    """After how many new pairs a shift is claimed; None: after none."""
    looks = growing(ArmCell(), values)
    return next((after.n for after in looks if after.n >= FEWEST and calls(before, after)), None)


def rates(draw: Draw, later: Draw, *, before: int, rounds: int) -> list[list[int | None]]:
    """The first call of the plain interval and of ours, on the same pairs."""
    found: list[list[int | None]] = [[], []]
    for seed in range(rounds):
        chance = Random(seed)
        earlier = ArmCell.of(draw(chance) for _ in range(before))
        values = [later(chance) for _ in range(PAIRS)]
        for calls, each in zip((plain, always), found, strict=True):
            each.append(first_call(earlier, iter(values), calls))
    return found


def accused(draw: Draw, *, rounds: int) -> list[int]:
    """Of steady judges, how many were called by either in one of fifty evaluations at least."""
    found = [0, 0]
    for seed in range(rounds):
        chance = Random(seed)
        values = [[draw(chance) for _ in range(EACH)] for _ in range(EVALUATIONS)]
        totals = [ArmCell.of(one for each in values[:n] for one in each) for n in range(1, EVALUATIONS)]
        for place, calls in enumerate((plain, always)):
            found[place] += any(
                first_call(before, iter(each), calls) for before, each in zip(totals, values[1:], strict=True)
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    print(f"No shift, {rounds} series of {PAIRS} new pairs, a look after each: called by plain 99 %, by ours")
    kinds = {"deviation 0.7": whole(0.7), "deviation 1.5": whole(1.5), "one in twenty by 6": rare}
    for name, draw in kinds.items():
        for before in (20, 100):
            both = rates(draw, draw, before=before, rounds=rounds)
            shares = [sum(one is not None for one in each) / rounds for each in both]
            print(f"  {name}, {before} before: " + ", ".join(f"{share:.2%}" for share in shares))
    few = max(1, rounds // 20)
    print(f"No shift, {few} judges of {EVALUATIONS} evaluations with {EACH} pairs: called at least once")
    for name, draw in kinds.items():
        print(f"  {name}: " + ", ".join(f"{one / few:.1%}" for one in accused(draw, rounds=few)))
    print("A shift of 1 point: median of new pairs until it is called, and how many are called within 300")
    for deviation in (1.0, 1.5):
        both = rates(whole(deviation), whole(deviation, 1.0), before=100, rounds=few)
        for name, each in zip(("plain", "ours"), both, strict=True):
            calls = median(one or PAIRS + 1 for one in each)
            print(f"  deviation {deviation:g}, 100 before, {name}: {calls:g} ({sum(map(bool, each)) / few:.0%})")


if __name__ == "__main__":
    main()

"""How often anchors cry wolf in 26 weeks in which nobody moved, and how soon they find a judge that did.

`python -m benchmarks.anchor_rates [--rounds 500]`: judges with an sd of 0.7 a grading, tested by the code that runs.
"""

import argparse
import random
from collections import Counter
from statistics import median

from apps.production.sampling.domain.anchor_test import (
    BASELINE,
    WEEKS,
    CustomerStratum,
    attribute_drift,
    judge_shift,
    mean_by_anchor,
)
from apps.production.sampling.domain.customer_mix import by_request, by_stratum
from apps.production.sampling.domain.states import DriftCause

ANCHORS, SD, OWN_SD, MONTH = 40, 0.7, 1.2, 4
MIX = {"en · whatsapp": 0.72, "sw · whatsapp": 0.2, "en · web": 0.08}


def graded(chance: random.Random, truth: dict[str, float], shift: float = 0.0) -> dict[str, float]:
    return {anchor: value + shift + chance.gauss(0, SD) for anchor, value in truth.items()}


def first_week(chance: random.Random, shift: float) -> int | None:
    """The week, from 1, in which a shift is claimed; None: in none of 26."""
    truth = {str(n): chance.gauss(7, 1) for n in range(ANCHORS)}
    baseline = mean_by_anchor([graded(chance, truth) for _ in range(BASELINE)])
    for week in range(1, WEEKS + 1):
        found = judge_shift(baseline, graded(chance, truth, shift))
        if found is not None and found.shown:
            return week
    return None


def cells(chance: random.Random, weekly: int, mix: dict[str, float], shift: float) -> dict[str, CustomerStratum]:
    """Four weeks, of which so many are judged a week."""
    found = {}
    for place, (name, share) in enumerate(mix.items()):
        n = max(2, round(4 * weekly * share))
        scores = [chance.gauss(7.5 - 1.5 * place + shift, OWN_SD) for _ in range(n)]
        mean = sum(scores) / n
        variance = sum((one - mean) ** 2 for one in scores) / (n - 1)
        found[name] = CustomerStratum(population=n * 20, n=n, mean=mean, variance=variance)
    return found


REQUESTS = {"booking": 0.6, "price": 0.3, "complaint": 0.1}
CROSS = {"booking": 0.35, "price": 0.3, "complaint": 0.35}


def by_requests(
    chance: random.Random, shares: dict[str, float], agent: float
) -> dict[tuple[str, str], CustomerStratum]:
    """Four weeks of 100 judged a week, by language, channel and kind of request: complaints score 3 points lower."""
    found = {}
    for stratum, share in MIX.items():
        for place, (kind, part) in enumerate(shares.items()):
            n = max(1, round(400 * share * part))
            scores = [chance.gauss(8 - 1.5 * place + agent, OWN_SD) for _ in range(n)]
            mean = sum(scores) / n
            variance = sum((one - mean) ** 2 for one in scores) / max(1, n - 1)
            found[stratum, kind] = CustomerStratum(population=n * 20, n=n, mean=mean, variance=variance)
    return found


def mover_by_request(chance: random.Random, *, agent: float, shares: dict[str, float], alone: bool) -> DriftCause:
    """`alone`: by language and channel, as before kinds were counted."""
    truth = {str(n): chance.gauss(7, 1) for n in range(ANCHORS)}
    baseline = mean_by_anchor([graded(chance, truth) for _ in range(BASELINE)])
    shift = judge_shift(baseline, mean_by_anchor([graded(chance, truth) for _ in range(MONTH)]))
    before, after = by_requests(chance, REQUESTS, 0.0), by_requests(chance, shares, agent)
    months = (by_stratum(before), by_stratum(after)) if alone else by_request(before, after)
    return attribute_drift(shift, *months).mover


def mover(chance: random.Random, *, judge: float, agent: float, mix: dict[str, float], weekly: int = 100) -> DriftCause:
    truth = {str(n): chance.gauss(7, 1) for n in range(ANCHORS)}
    baseline = mean_by_anchor([graded(chance, truth) for _ in range(BASELINE)])
    shift = judge_shift(baseline, mean_by_anchor([graded(chance, truth, judge) for _ in range(MONTH)]))
    return attribute_drift(shift, cells(chance, weekly, MIX, 0.0), cells(chance, weekly, mix, judge + agent)).mover


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=500)
    rounds = parser.parse_args().rounds
    for shift in (0.0, 0.3, 0.5):
        chance = random.Random(f"anchors {shift}")
        weeks = [first_week(chance, shift) for _ in range(rounds)]
        found = [week for week in weeks if week is not None]
        share, soon = len(found) / rounds, sum(week <= 4 for week in found) / rounds
        print(
            f"shift {shift}: claimed within 26 weeks {share:.3f}, by week 4 {soon:.3f}, "
            f"median week {median(found) if found else '–'} ({rounds} rounds)"
        )
    other = {"en · whatsapp": 0.42, "sw · whatsapp": 0.5, "en · web": 0.08}
    cases = {
        "nobody": (0.0, 0.0, MIX),
        "judge -0.5": (-0.5, 0.0, MIX),
        "agent -0.5": (0.0, -0.5, MIX),
        "customers": (0.0, 0.0, other),
        "judge -0.5, agent +0.5": (-0.5, 0.5, MIX),
    }
    for name, (judge, agent, mix) in cases.items():
        chance = random.Random(f"who {name}")
        counts = Counter(mover(chance, judge=judge, agent=agent, mix=mix).value for _ in range(rounds))
        print(f"{name}: " + ", ".join(f"{word} {n / rounds:.3f}" for word, n in counts.most_common()))
    for name, (agent, shares) in {
        "nobody": (0.0, REQUESTS),
        "agent -0.5": (-0.5, REQUESTS),
        "more complaints": (0.0, CROSS),
    }.items():
        for alone in (False, True):
            chance = random.Random(f"requests {name}")
            counts = Counter(
                mover_by_request(chance, agent=agent, shares=shares, alone=alone).value for _ in range(rounds)
            )
            how = "language and channel alone" if alone else "kind of request"
            print(f"{name}, by {how}: " + ", ".join(f"{word} {n / rounds:.3f}" for word, n in counts.most_common()))


if __name__ == "__main__":
    main()

"""How often a canary goes back that is no worse, and how soon one that is: simulated conversations under the product's
rules.

    python -m benchmarks.rollout_rates --simulations 1000

A canary of 5 % in 20 callers, looked at every ten minutes for 72 hours, at 2,000 and 5,000 conversations a day: with a
loss of one point and of half a point, with none, and with a gain of half a point. Scores have a deviation of 1.5 and
callers differ by 1; 15 % are handed to a person, 10 % are rated and 10 % of these thumbs down; cost and latency are
log-normal with a deviation of 0.5. Judged are each canary conversation and one stable one of the same caller; the other
metrics read all of stable.

Then the shapes that a judge or a price list makes: scores of two values (some a point or six lower), or of one; costs
and latencies of one value, and twice that.

All simulations are looked at together, by the formulas of `apps/statistics/sequential.py` on arrays. Every rollback,
and a thousand other looks, are asked of `rollout_rules.read_metric` again: another answer ends the program. Prints a
line a case: the share rolled back within 24 hours and within 72, hours and judged canary conversations until then
(medians of the first 24 hours), which metric did it, and the share that could be promoted after 24 hours, and after 72.
"""

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any

import numpy as np

from apps.production.rollouts.domain.rules import ALPHA, CALLED_AT, LEAST, RULES, MetricRule, MetricVerdict, read_metric
from apps.statistics.sequential import ArmCell, rounding_variance

CALLERS, SHARE, LOOKS_AN_HOUR = 20, 0.05, 6
_SPREAD = (1.5, 0.0, 0.0, 0.5, 0.5)  # of score, cost and latency
_RATES = {1: (0.1, 0.1), 2: (1.0, 0.15)}  # metric: the share for which it is known, the rate
_CHECKED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutCase:
    """Where `constant`, costs and latencies are all the same, and a score is 8 or, in `rare` of all, `gap` lower; the
    canary's are `loss` lower, and it costs and lasts so many `times` as much."""

    name: str
    a_day: int
    loss: float = 0.0
    constant: bool = False
    rare: float = 0.0
    gap: float = 0.0
    times: tuple[float, float] = (1.0, 1.0)

    @property
    def worse(self) -> bool:
        return self.loss > 0 or max(self.times) > 1


CASES: tuple[dict[str, Any], ...] = (
    {"name": "loss of 1", "loss": 1.0},
    {"name": "no difference"},
    {"name": "gain of 0.5", "loss": -0.5},
    {"name": "loss of 0.5", "loss": 0.5},
    {"name": "one value, no difference", "constant": True},
    {"name": "a point lower in 1 %, no difference", "constant": True, "rare": 0.01, "gap": 1},
    {"name": "six lower in 1 %, no difference", "constant": True, "rare": 0.01, "gap": 6},
    {"name": "six lower in 10 %, no difference", "constant": True, "rare": 0.1, "gap": 6},
    {"name": "a point lower in half, no difference", "constant": True, "rare": 0.5, "gap": 1},
    {"name": "one value, loss of 1", "constant": True, "loss": 1.0},
    {"name": "one value, loss of 6", "constant": True, "loss": 6.0},
    {"name": "one value, twice the cost", "constant": True, "times": (2.0, 1.0)},
    {"name": "one value, twice as slow", "constant": True, "times": (1.0, 2.0)},
    {"name": "twice the cost", "times": (2.0, 1.0)},
    {"name": "twice as slow", "times": (1.0, 2.0)},
)


def arrivals(case: RolloutCase, rng: Any, offsets: Any, sums: Any) -> None:
    """Add what came between two looks to `sums`: simulation × metric × caller × arm × (n, total, squares)."""
    mean = case.a_day / 24 / LOOKS_AN_HOUR / CALLERS * np.array([1 - SHARE, SHARE])
    came = rng.poisson(mean, (len(sums), CALLERS, 2))
    open_stable = sums[:, 2, :, 0, 0] + came[:, :, 0]  # of transfer, which every conversation has
    judged = came.copy()
    canary = sums[:, 0, :, 1, 0] + came[:, :, 1]
    judged[:, :, 0] = np.minimum(canary, open_stable) - sums[:, 0, :, 0, 0]
    loss = case.loss * np.array([0, 1])
    if case.constant:
        _add_two_values(sums[:, 0], judged, 8 - loss, case.gap, rng.binomial(judged, case.rare))
    else:
        _add_values(sums[:, 0], judged, 7 + offsets[:, :, None] - loss, _SPREAD[0], rng)
    for metric, (known, rate) in _RATES.items():
        n = rng.binomial(came, known)
        k = rng.binomial(n, rate)
        sums[:, metric] += np.stack([n, k, k], axis=-1)
    for metric, times in zip((3, 4), case.times, strict=True):
        logs = np.log(times) * np.array([0, 1]) + np.zeros(came.shape)
        _add_values(sums[:, metric], came, logs, 0.0 if case.constant else _SPREAD[metric], rng)


def _add_values(sums: Any, n: Any, level: Any, spread: float, rng: Any) -> None:
    """So many normal values: their sum, and the sum of squares by their own distributions."""
    total = n * level + np.sqrt(n) * spread * rng.standard_normal(n.shape)
    deviations = np.where(n > 1, spread**2 * rng.chisquare(np.maximum(n - 1, 1)), 0.0)
    sums += np.stack([n, total, deviations + np.where(n, total**2 / np.maximum(n, 1), 0.0)], axis=-1)


def _add_two_values(sums: Any, n: Any, high: Any, gap: float, low_n: Any) -> None:
    """So many values, `low_n` of them `gap` below the others."""
    low, high_n = high - gap, n - low_n
    sums += np.stack([n, high_n * high + low_n * low, high_n * high**2 + low_n * low**2], axis=-1)


def looked_at(sums: Any, rule: MetricRule) -> tuple[Any, Any]:
    """Of simulation × caller × arm × 3: (worse, within) of each simulation."""
    n = sums[..., 0]
    both = (n[:, :, 0] > 0) & (n[:, :, 1] > 0)
    mean = sums[..., 1] / np.maximum(n, 1)
    h = np.where(both, n[:, :, 0] * n[:, :, 1] / np.maximum(n.sum(-1), 1), 0.0)
    weight = np.maximum(h.sum(1), 1e-12)
    harm = (h * (mean[:, :, 1] - mean[:, :, 0])).sum(1) / weight * (-1 if rule.higher_is_better else 1)
    used = np.where(both[:, :, None], n, 0).sum(1)
    size = used.sum(1)
    free = size - 2 * both.sum(1)
    if rule.rate:
        share = (np.where(both[:, :, None], sums[..., 1], 0).sum((1, 2)) + 1) / (size + 2)
        spread = share * (1 - share)
    else:
        own = np.maximum(sums[..., 2] - sums[..., 1] ** 2 / np.maximum(n, 1), 0)
        pooled = np.where(both[:, :, None], own, 0).sum((1, 2)) / np.maximum(free, 1)
        spread = np.maximum(pooled, rounding_variance(rule.step))
    variance = np.maximum(spread / weight, 1e-12)
    known = (used.min(1) >= LEAST) & (free >= LEAST)
    wide = variance + rule.tau**2
    evidence = 0.5 * np.log(variance / wide) + harm**2 * rule.tau**2 / (2 * variance * wide) + np.log(2)
    evidence += np.log(_chance(harm * rule.tau / np.sqrt(variance * wide)))
    width = np.sqrt(variance * wide / rule.tau**2 * (2 * np.log(1 / (2 * ALPHA)) + np.log(wide / variance)))
    worse = known & (evidence >= np.log(CALLED_AT))
    return worse, known & ~worse & (harm + width < rule.margin)


def _chance(z: Any) -> Any:
    """The normal distribution's, never 0."""
    return np.array([max(erfc(-one / sqrt(2)) / 2, 1e-300) for one in z])


def verdict_of(sums: Any, metric: Any) -> MetricVerdict:
    """The product's own, of caller × arm × 3."""
    cells = [[ArmCell(n=int(n), total=float(t), squares=float(q)) for n, t, q in caller] for caller in sums]
    return read_metric(metric, [(stable, canary) for stable, canary in cells]).verdict


def simulated(case: RolloutCase, simulations: int, seed: int) -> dict[str, Any]:
    """What so many rollouts came to."""
    rng = np.random.default_rng([seed, case.a_day, int(case.loss * 10) + 100, *case.name.encode()])
    offsets = rng.normal(0, 1, (simulations, CALLERS))
    sums = np.zeros((simulations, len(RULES), CALLERS, 2, 3))
    ended = np.full(simulations, np.inf)
    canary_then, by = np.zeros(simulations), Counter[str]()
    checked, promotable = 0, dict[int, float]()
    for look in range(1, 72 * LOOKS_AN_HOUR + 1):
        arrivals(case, rng, offsets, sums)
        for place, (metric, rule) in enumerate(RULES.items()):
            worse, within = looked_at(sums[:, place], rule)
            for one in np.flatnonzero(worse & np.isinf(ended)):
                assert verdict_of(sums[one, place], metric) is MetricVerdict.WORSE, (look, one, metric)
                ended[one], canary_then[one] = look / LOOKS_AN_HOUR, sums[one, 0, :, 1, 0].sum()
                by[metric.value] += look <= 24 * LOOKS_AN_HOUR
            if checked < _CHECKED and look % 20 == 0:
                one = int(rng.integers(simulations))
                found = verdict_of(sums[one, place], metric)
                assert (found is MetricVerdict.WORSE, found is MetricVerdict.WITHIN) == (worse[one], within[one])
                checked += 1
            if place == 0 and look in (24 * LOOKS_AN_HOUR, 72 * LOOKS_AN_HOUR):
                promotable[look // LOOKS_AN_HOUR] = float((within & np.isinf(ended)).mean())
    back = ended <= 24
    allowed = ALPHA + 2 * sqrt(ALPHA * (1 - ALPHA) / simulations)
    return {
        "case": case.name,
        "a_day": case.a_day,
        "simulations": simulations,
        "rolled_back_24h": float(back.mean()),
        "rolled_back_72h": float((ended <= 72).mean()),
        "median_hours": float(np.median(ended[back])) if back.any() else None,
        "median_canary_judged": float(np.median(canary_then[back])) if back.any() else None,
        "by": dict(by),
        "promotable": promotable,
        "allowed_where_no_worse": round(allowed, 4),
        "holds": bool(case.worse or (ended <= 72).mean() <= allowed),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--a-day", type=int, nargs="+", default=[2000, 5000], help="conversations of stable and canary")
    options = parser.parse_args()
    began, holds = time.perf_counter(), True
    for a_day in options.a_day:
        for case in CASES:
            found = simulated(RolloutCase(a_day=a_day, **case), options.simulations, options.seed)
            holds = holds and found["holds"]
            print(json.dumps(found), flush=True)
    print(f"{time.perf_counter() - began:.0f} s; wrong rollbacks {'within' if holds else 'ABOVE'} what is allowed")


if __name__ == "__main__":
    main()

"""Measure how reliable an agent is over repeats: pass^k, pass@k, and the agreement of repeats. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum

from apps.statistics.paired import by_cluster
from apps.statistics.reliability import pass_at_k, pass_hat_k, scenario_interval

_KS = (1, 2, 4, 8)  # those of the published tables (Yao et al. 2024)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedCase:
    """One scenario × persona: `passed` of its `trials` passed. Trials that are undecided, and those that failed for
    reasons outside the agent, are no trials."""

    scenario: str
    trials: int
    passed: int

    @property
    def consistent(self) -> bool:
        """Tell whether all its repeats agree."""
        return self.passed in (0, self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassShare:
    """The mean of pass^k or pass@k over `scenarios` (None without any), with its 95 % interval (None: too few)."""

    mean: float | None
    interval: tuple[float, float] | None
    scenarios: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """Of one group of cases. `hat` and `at` are pass^k and pass@k by k. `consistent` of the `repeated` cases (two
    trials or more) came out alike every time."""

    scenarios: int
    cases: int
    trials: int
    passed: int
    repeated: int
    consistent: int
    hat: dict[int, PassShare] = field(default_factory=dict)
    at: dict[int, PassShare] = field(default_factory=dict)


def ks_of(cases: Iterable[RepeatedCase]) -> list[int]:
    """Return the k to report: 1, 2, 4 and 8, and the commonest number of trials.

    The first four count as far as any case has so many trials.
    """
    trials = Counter(case.trials for case in cases if case.trials)
    most = max(trials, default=0)
    usual = usual_trials(trials)
    return sorted({*(k for k in _KS if k <= most), *([usual] if usual else [])})


def usual_trials(trials: Counter[int]) -> int:
    """The commonest number of trials, the larger of two; 0 without any."""
    return max(trials, key=lambda n: (trials[n], n), default=0)


def reliability(cases: Sequence[RepeatedCase], ks: Sequence[int]) -> Reliability:
    """Compute pass^k and pass@k over repeated cases; those with fewer than k trials are left out of k.
    Cases of one scenario (its personas) are averaged first, since they are alike: intervals count scenarios."""
    played = [case for case in cases if case.trials]
    repeated = [case for case in played if case.trials > 1]
    return Reliability(
        scenarios=len({case.scenario for case in played}),
        cases=len(played),
        trials=sum(case.trials for case in played),
        passed=sum(case.passed for case in played),
        repeated=len(repeated),
        consistent=sum(case.consistent for case in repeated),
        hat={k: _share(played, k, pass_hat_k) for k in ks},
        at={k: _share(played, k, pass_at_k) for k in ks},
    )


def _share(cases: Sequence[RepeatedCase], k: int, measure: Callable[[int, int, int], float | None]) -> PassShare:
    values = [(case.scenario, measure(case.trials, case.passed, k)) for case in cases]
    means = list(by_cluster((scenario, value) for scenario, value in values if value is not None).values())
    mean = fsum(means) / len(means) if means else None
    return PassShare(mean=mean, interval=scenario_interval(means), scenarios=len(means))

"""Every question that a gate asks of paired cases, as one list.

They are the score, the share that passes, each criterion, each check, and score and share in each language.

A case is a cluster: its repeats are averaged on either side first. A metric's values pair by case, and only what was
measured by the same judge on both sides pairs at all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from apps.gates.domain.side import CheckFact, GateSide, GateTrial
from apps.statistics.decision import Decision

SCORE = "score"
PASSED = "passed"
LATENCY = "agent:latency"
TOKENS = "agent:tokens"
TOOL_CALLS = "agent:tool_calls"
DOUBLED_CALLS = "agent:doubled_calls"  # the share of conversations without one
COSTS = (LATENCY, TOKENS, TOOL_CALLS)  # less is better, and a better answer may be worth more
_SOUND = (Decision.PASS, Decision.FAIL)
_Value = Callable[[GateTrial], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedValues:
    """One question's values by case digest. `share`: of trials that pass, on 0-1; else points of `scale`.

    `primary` questions are about the whole, the others about a part of it. `margin` is in the
    values' own unit, where it is not that of the scores.
    """

    metric: str
    language: str = ""
    share: bool = False
    scale: float = 10.0
    primary: bool = False
    margin: float | None = None
    lower_is_better: bool = False
    baseline: Mapping[str, float] = field(default_factory=dict)
    candidate: Mapping[str, float] = field(default_factory=dict)


def paired_values(baseline: GateSide, candidate: GateSide, *, criteria: Sequence[str]) -> list[PairedValues]:
    """All questions in a fixed order; those without a pair are left out. Every check is compared, one that stops by
    itself too: its points may fall while it holds. `criteria` are those that may be compared. Pure."""
    sides = (baseline.by_case(), candidate.by_case())
    values = [
        _pairs(sides, _score, metric=SCORE, primary=True),
        _pairs(sides, _passed, metric=PASSED, share=True, scale=1.0, primary=True),
        *(_pairs(sides, _criterion(name), metric=name) for name in _several(criteria)),
    ]
    languages = sorted({trial.language for trial in candidate.counted})
    for language in _several(languages):
        part = tuple(_in_language(side, language) for side in sides)
        values.append(_pairs(part, _score, metric=SCORE, language=language))
        values.append(_pairs(part, _passed, metric=PASSED, language=language, share=True, scale=1.0))
    for name, measured_by, scale, graded in _checks(baseline, candidate):
        values.append(_pairs(sides, _check(name, measured_by), metric=f"check:{name}", share=True, scale=1.0))
        if graded:
            values.append(_pairs(sides, _check_score(name, measured_by), metric=f"check:{name}:score", scale=scale))
    return [value for value in values if value.baseline]


def _several(names: Sequence[str]) -> Sequence[str]:
    """A part that is the whole is no further question."""
    return names if len(names) > 1 else ()


def _pairs(
    sides: Sequence[Mapping[str, Sequence[GateTrial]]],
    value: _Value,
    *,
    metric: str,
    language: str = "",
    share: bool = False,
    scale: float = 10.0,
    primary: bool = False,
) -> PairedValues:
    means = [
        {digest: mean for digest, trials in side.items() if (mean := _mean(trials, value)) is not None}
        for side in sides
    ]
    both = sorted(means[0].keys() & means[1].keys())
    return PairedValues(
        metric=metric,
        language=language,
        share=share,
        scale=scale,
        primary=primary,
        baseline={digest: means[0][digest] for digest in both},
        candidate={digest: means[1][digest] for digest in both},
    )


def case_means(side: GateSide, value: Callable[[GateTrial], float | None]) -> dict[str, float]:
    """The value of each case that has one, over its trials that count. Pure."""
    return {digest: mean for digest, trials in side.by_case().items() if (mean := _mean(trials, value)) is not None}


def _mean(trials: Sequence[GateTrial], value: _Value) -> float | None:
    values = [mean_value for trial in trials if (mean_value := value(trial)) is not None]
    return sum(values) / len(values) if values else None


def _score(trial: GateTrial) -> float | None:
    return trial.score


def _passed(trial: GateTrial) -> float | None:
    return None if trial.passed is None else float(trial.passed)


def _criterion(name: str) -> _Value:
    return lambda trial: trial.criteria.get(name)


def _facts(trial: GateTrial, name: str, measured_by: str) -> list[CheckFact]:
    """The results of one question: of a judge's check its own; of the others all those of the check's name."""
    return [
        fact
        for key, fact in trial.checks.items()
        if fact.measured_by == measured_by and _question(key, measured_by) == name
    ]


def _question(name: str, measured_by: str) -> str:
    """The question of a check. A check that no judge grades is one question for all its subjects: each alone would be
    too small."""
    return name if measured_by else name.partition("/")[0]


def _check(name: str, measured_by: str) -> _Value:
    def value(trial: GateTrial) -> float | None:
        sound = [fact for fact in _facts(trial, name, measured_by) if fact.outcome in _SOUND]
        return float(all(fact.outcome is Decision.PASS for fact in sound)) if sound else None

    return value


def _check_score(name: str, measured_by: str) -> _Value:
    def value(trial: GateTrial) -> float | None:
        return next((fact.score for fact in _facts(trial, name, measured_by)), None)

    return value


def _checks(baseline: GateSide, candidate: GateSide) -> list[tuple[str, str, float, bool]]:
    """Checks that both sides have, with who measured them: (name, measured_by, scale, whether scores are graded)."""
    kinds: list[dict[tuple[str, str], tuple[float, bool]]] = []
    for side in (baseline, candidate):
        of_side: dict[tuple[str, str], tuple[float, bool]] = {}
        for trial in side.counted:
            for name, fact in trial.checks.items():
                question = (_question(name, fact.measured_by), fact.measured_by)
                scored = bool(fact.measured_by) and _graded(fact)  # a rule's score says what its outcome says
                of_side[question] = (fact.scale, of_side.get(question, (0.0, False))[1] or scored)
        kinds.append(of_side)
    both = sorted(kinds[0].keys() & kinds[1].keys())
    return [(name, by, kinds[1][name, by][0], kinds[0][name, by][1] or kinds[1][name, by][1]) for name, by in both]


def _graded(fact: CheckFact) -> bool:
    """Tell whether the score says more than pass or fail: all or nothing is the same question once more."""
    return fact.score is not None and fact.score not in (0.0, fact.scale)


def _in_language(side: Mapping[str, Sequence[GateTrial]], language: str) -> dict[str, list[GateTrial]]:
    by_case = {digest: [trial for trial in trials if trial.language == language] for digest, trials in side.items()}
    return {digest: trials for digest, trials in by_case.items() if trials}

"""Failures that must not happen again in a case, as checks of its conversations: the score of a criterion against a
mark. Pure.

A pull request cannot make it easier: of what both sides were played with, each criterion's higher mark holds for both.
Where a curator accepted what the change alters, the candidate's own marks hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.core.plurals import many
from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.side import CheckFact, GateSide, GateTrial
from apps.statistics.decision import Decision

MUST_NOT = "MustNotHappenAgain"
SCALE = 10.0
SHOWN = 5  # names in a sentence
Marks = Mapping[str, Mapping[str, float]]  # {digest of the case: {criterion: mark}}


def held_to_must_not(
    candidate: GateSide, baseline: GateSide | None, *, own: bool = False
) -> tuple[GateSide, GateSide | None]:
    """Both sides with a check `MustNotHappenAgain/<criterion>` for each mark; it fails where the score is below.
    `own`: the candidate's marks alone."""
    marks = _marks([candidate] if own or baseline is None else [candidate, baseline])
    return _checked(candidate, marks), None if baseline is None else _checked(baseline, marks)


def not_played(candidate: GateSide, baseline: GateSide | None) -> list[str]:
    """Scenarios in which something must not happen again, and that the baseline alone has played."""
    here = {trial.digest for trial in candidate.trials}
    missing_cases = {
        trial.scenario for trial in (baseline.trials if baseline else ()) if trial.must_not and trial.digest not in here
    }
    return sorted(missing_cases)


def not_played_reasons(scenarios: Sequence[str]) -> list[GateReason]:
    """Return the reason against a gate whose run left out must-not scenarios of the baseline; [] for none."""
    if not scenarios:
        return []
    sentence = (
        f"{many(len(scenarios), 'scenario')} with something that must not happen again ({_named(scenarios)}) "
        "stood in the baseline and was not played: play it, or let a curator archive it."
    )
    return [GateReason(code=GateReasonCode.MUST_NOT_GONE, sentence=sentence)]


def unscored_reasons(candidate: GateSide) -> list[GateReason]:
    """The reason for failures of which nobody could tell whether they happen again: it decides nothing and is shown all
    the same."""
    reasons = sorted(
        {
            f"{trial.case}: {name.partition('/')[2]}"
            for trial in candidate.counted
            for name, fact in trial.checks.items()
            if is_must_not(name) and fact.outcome is Decision.UNMEASURABLE
        }
    )
    if not reasons:
        return []
    sentence = (
        f"The judge did not score what must not happen again in {many(len(reasons), 'place')}: {_named(reasons)}."
    )
    return [GateReason(code=GateReasonCode.MUST_NOT_UNSCORED, sentence=sentence)]


def is_must_not(name: str) -> bool:
    """Tell whether a check is one of these."""
    return name.startswith(f"{MUST_NOT}/")


def by_uncertified(name: str, uncertified: Sequence[str]) -> bool:
    """Tell whether a check rests on a criterion that the judge has no certificate for."""
    return is_must_not(name) and name.partition("/")[2] in uncertified


def _marks(sides: Sequence[GateSide]) -> Marks:
    marks_by_case: dict[str, dict[str, float]] = {}
    for trial in (trial for side in sides for trial in side.trials):
        for name, mark in trial.must_not.items():
            marks = marks_by_case.setdefault(trial.digest, {})
            marks[name] = max(mark, marks.get(name, mark))
    return marks_by_case


def _checked(side: GateSide, marks: Marks) -> GateSide:
    return replace(side, trials=[_with_checks(trial, marks.get(trial.digest, {})) for trial in side.trials])


def _with_checks(trial: GateTrial, marks: Mapping[str, float]) -> GateTrial:
    if not marks:
        return trial
    facts = {f"{MUST_NOT}/{name}": _fact(trial.criteria.get(name), mark) for name, mark in sorted(marks.items())}
    failed = any(fact.outcome is Decision.FAIL for fact in facts.values())
    return replace(trial, checks={**trial.checks, **facts}, passed=False if failed else trial.passed)


def _fact(score: float | None, mark: float) -> CheckFact:
    if score is None:
        return CheckFact(outcome=Decision.UNMEASURABLE, scale=SCALE, reason="the judge gave no score")
    outcome = Decision.FAIL if score < mark else Decision.PASS
    return CheckFact(
        outcome=outcome, score=score, scale=SCALE, reason=f"{score:g} of 10; below {mark:g} must not happen again"
    )


def _named(names: Sequence[str]) -> str:
    return listed(names, SHOWN)

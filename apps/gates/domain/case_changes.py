"""The change of every case between the two sides, the worst first."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import CaseChange, GateReasonCode
from apps.gates.domain.hard_failures import HardFailure
from apps.gates.domain.metric_titles import check_title, criterion_title
from apps.gates.domain.side import GateSide, GateTrial, trials_by_case
from apps.statistics.decision import Decision

SHOWN_CHECKS, MAX_WHY = 2, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCase:
    """A case that changed, with the conversation of each side that shows it best ("" without one).
    `difference` is of mean scores; `why` names its failed hard assertions, else those that only the baseline met."""

    digest: str
    case: str
    language: str
    change: CaseChange
    difference: float | None
    baseline: str
    candidate: str
    why: str = ""


def changed_cases(
    candidate: GateSide, baseline: GateSide | None, failures: Sequence[HardFailure], *, margin: float
) -> list[ChangedCase]:
    """Cases that changed, or in which something hard fails; each once. Without a baseline only the latter. Pure."""
    after = trials_by_case(candidate)
    before = trials_by_case(baseline) if baseline else {}
    why = {digest: _why(failures, digest) for digest in {failure.digest for failure in failures}}
    cases = []
    for digest in sorted(after.keys() | before.keys()):
        here, there = after.get(digest, []), before.get(digest, [])
        change = _change(here, there, margin) if baseline else None
        if digest in why and change not in (CaseChange.LOST, CaseChange.WORSE):
            change = CaseChange.LOST
        if change is None:
            continue
        shown = _worst(here) or _worst(there)
        cases.append(
            ChangedCase(
                digest=digest,
                case=shown.case if shown else digest[:12],
                language=shown.language if shown else "",
                change=change,
                difference=_difference(here, there),
                baseline=_conversation(there),
                candidate=_conversation(here),
                why=why.get(digest) or (_lost_checks(here, there) if change is CaseChange.LOST else ""),
            )
        )
    order = list(CaseChange)
    return sorted(cases, key=lambda case: (not case.why, order.index(case.change), case.difference or 0.0, case.case))


def _lost_checks(here: Sequence[GateTrial], there: Sequence[GateTrial]) -> str:
    """The assertions that fail for the candidate and hold for the baseline, with what they found."""
    held = {name for trial in there for name, fact in trial.checks.items() if fact.outcome is Decision.PASS}
    lost: dict[str, str] = {}
    for trial in here:
        for name, fact in trial.checks.items():
            if fact.outcome is Decision.FAIL and name in held:
                lost.setdefault(name, fact.reason)
    sentences = [f"{check_title(name)}: {reason}" for name, reason in lost.items()]
    return "; ".join(sentences[:SHOWN_CHECKS])[:MAX_WHY]


def _change(here: Sequence[GateTrial], there: Sequence[GateTrial], margin: float) -> CaseChange | None:
    if not here or not there:
        return CaseChange.NEW if here else CaseChange.GONE
    passed = (_passes(there), _passes(here))
    if passed[0] is not None and passed[1] is not None and passed[0] is not passed[1]:
        return CaseChange.GAINED if passed[1] else CaseChange.LOST
    difference = _difference(here, there)
    if difference is None:
        usable = [any(one.counts and (one.score is not None or one.checks) for one in side) for side in (here, there)]
        return None if all(usable) else CaseChange.LEFT_OUT
    if abs(difference) < margin:
        return None
    return CaseChange.BETTER if difference > 0 else CaseChange.WORSE


def _passes(trials: Sequence[GateTrial]) -> bool | None:
    known = [trial.passed for trial in trials if trial.counts and trial.passed is not None]
    return sum(known) * 2 >= len(known) if known else None


def _difference(here: Sequence[GateTrial], there: Sequence[GateTrial]) -> float | None:
    means = []
    for side in (here, there):
        scores = [trial.score for trial in side if trial.counts and trial.score is not None]
        if not scores:
            return None
        means.append(sum(scores) / len(scores))
    return round(means[0] - means[1], 6)


def _worst(trials: Sequence[GateTrial]) -> GateTrial | None:
    """The trial that fails, else the lowest score."""
    return min(
        trials,
        key=lambda trial: (trial.passed is not False, 11.0 if trial.score is None else trial.score),
        default=None,
    )


def _conversation(trials: Sequence[GateTrial]) -> str:
    worst = _worst(trials)
    return worst.conversation if worst else ""


def _named(failure: HardFailure) -> str:
    if failure.code is GateReasonCode.BLOCKING_CRITERION:
        return criterion_title(failure.name, {})
    return check_title(failure.name) if failure.name else "the agent failed"


def _why(failures: Sequence[HardFailure], digest: str) -> str:
    ours = [failure for failure in failures if failure.digest == digest]
    names = listed((_named(failure) for failure in ours), 3)
    label, reason = next(
        ((_named(failure).partition(": ")[0], failure.why) for failure in ours if failure.why), ("", "")
    )
    reason = reason.removeprefix(f"{label}: ")
    return f"{names}{': ' + reason if reason else ''}"

"""Failures that stop a pull request whatever the averages say: hard assertions, blocking criteria, an agent that
failed."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.gates.domain.confirmation import Confirmation, FailedCheck, is_hard_at_once
from apps.gates.domain.gate_states import GateReasonCode, HardRule
from apps.gates.domain.lost_cases import LossState, LostCase
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.metric_titles import Titles, check_title, criterion_title
from apps.gates.domain.must_not import by_uncertified
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import TRANSPORT, GateSide, GateTrial
from apps.statistics.decision import Decision

SHOWN = 5  # names in a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class HardFailure:
    """One hard failure in a case.

    `name` is the check or the criterion, "" for an agent that failed. `known`: it failed for the baseline too.
    """

    code: GateReasonCode
    name: str
    digest: str
    case: str
    why: str = ""
    known: bool = False


def hard_failures(
    candidate: GateSide, baseline: GateSide | None, policy: GatePolicy, *, uncertified: Sequence[str] = ()
) -> list[HardFailure]:
    """One for each case and what fails in it, in a fixed order. What an uncertified judge says blocks nobody. Pure."""
    before = {
        (hard_failure.code, hard_failure.name, hard_failure.digest)
        for trial in (baseline.counted if baseline else ())
        for hard_failure in _of_trial(trial, policy, uncertified)
    }
    failures: dict[tuple[GateReasonCode, str, str], HardFailure] = {}
    for trial in candidate.counted:
        for hard_failure in _of_trial(trial, policy, uncertified):
            key = (hard_failure.code, hard_failure.name, hard_failure.digest)
            known = key in before
            failures.setdefault(
                key,
                HardFailure(
                    code=hard_failure.code,
                    name=hard_failure.name,
                    digest=hard_failure.digest,
                    case=hard_failure.case,
                    why=hard_failure.why,
                    known=known,
                ),
            )
    return sorted(failures.values(), key=lambda failure: (failure.known, failure.code, failure.name, failure.case))


def stopping(failures: Sequence[HardFailure], policy: GatePolicy) -> list[HardFailure]:
    """Return the failures that block the gate under this policy."""
    return [failure for failure in failures if not (failure.known and policy.hard is HardRule.NEW)]


def lost_failures(losses: Sequence[LostCase]) -> list[HardFailure]:
    """Cases in which the candidate's agent was lost twice where the baseline's was not: they count as failed. Pure."""
    return [
        HardFailure(
            code=GateReasonCode.AGENT_LOST,
            name="",
            digest=loss.digest,
            case=loss.case,
            why="the agent was lost, and again when the case was played once more",
        )
        for loss in losses
        if loss.state is LossState.AGAIN and loss.blame == TRANSPORT
    ]


def confirmed_failures(failed: Sequence[FailedCheck]) -> list[HardFailure]:
    """Return the failures that further plays on both sides attribute to the change. Pure."""
    return [
        HardFailure(
            code=GateReasonCode.HARD_ASSERTION,
            name=check.name,
            digest=check.digest,
            case=check.case,
            why=check.why[:300],
        )
        for check in failed
        if check.confirmation is Confirmation.CONFIRMED
    ]


def _named(failure: HardFailure, titles: Titles) -> str:
    if failure.code is GateReasonCode.BLOCKING_CRITERION:
        return criterion_title(failure.name, titles)
    return check_title(failure.name) if failure.name else failure.case


def hard_reasons(failures: Sequence[HardFailure], titles: Titles) -> list[GateReason]:
    """One sentence for each kind."""
    words = {
        GateReasonCode.AGENT_FAILED: "The agent itself failed",
        GateReasonCode.AGENT_LOST: "The agent was lost twice, and the baseline's was not,",
        GateReasonCode.BLOCKING_CRITERION: "Blocking criteria fail",
        GateReasonCode.HARD_ASSERTION: "Hard assertions fail",
    }
    reasons = []
    for code, what in words.items():
        ours = [failure for failure in failures if failure.code is code]
        if ours:
            cases = len({failure.digest for failure in ours})
            names = ", ".join(sorted({_named(failure, titles) for failure in ours})[:SHOWN])
            known = sum(failure.known for failure in ours)
            before = f" ({known} of them failed for the baseline too)" if known else ""
            many = f"{cases} case{'' if cases == 1 else 's'}"
            reasons.append(GateReason(code=code, sentence=f"{what} in {many}: {names}{before}."))
    return reasons


def _of_trial(trial: GateTrial, policy: GatePolicy, uncertified: Sequence[str]) -> list[HardFailure]:
    failures = []
    if trial.agent_failed:
        failures.append(_failure(GateReasonCode.AGENT_FAILED, "", trial, "the agent broke off"))
    for name in trial.blockers:
        if name not in uncertified:
            failures.append(_failure(GateReasonCode.BLOCKING_CRITERION, name, trial, "below its pass mark"))
    for name, fact in trial.checks.items():
        hard = fact.outcome is Decision.FAIL and is_hard_at_once(name, fact, policy)
        if hard and not by_uncertified(name, uncertified):
            failures.append(_failure(GateReasonCode.HARD_ASSERTION, name, trial, fact.reason))
    return failures


def _failure(code: GateReasonCode, name: str, trial: GateTrial, why: str) -> HardFailure:
    return HardFailure(code=code, name=name, digest=trial.digest, case=trial.case, why=why[:300])

"""A failing assertion of an agent that samples: chance, or the change? Six more plays on both sides tell.

An agent that misses a tool in q of its conversations fails one of n assertions somewhere with 1 - (1 - q)^n, change or
no change. So what fails for the candidate and not for the baseline is suspected, and its case is played again on both
sides. The play that raised the suspicion is no evidence: of many cases the one that failed was picked. It is confirmed,
and hard, where among the new plays the candidate fails so much more often than the baseline that an exact test, at
`alpha` divided by the number of suspects, does not call it chance: alone suspected, three of six against none; beside
others, four or five. So a change without effect is stopped by this with `alpha` at most, whatever q is.

What must not happen again (domain/must_not) is no question of who brought it: a person said that it stops. It is played
until the candidate has three conversations of the case, so that one slip of an agent that samples stops nothing, and is
confirmed where it happens in two of them at least, be it for the baseline too (`hard: "new"` lets that pass).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import GateReasonCode, HardRule
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.metric_titles import check_title
from apps.gates.domain.must_not import is_must_not
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import CheckFact, GateSide, GateTrial
from apps.statistics.decision import Decision
from apps.statistics.proportions import higher_by_chance_p

PLAYS = 6  # again, on either side
SUSPECT = 1 / 2  # of the candidate's first plays fail at least
BASELINE_FAILS = 1 / 5  # of the baseline's first plays, at most
MUST_NOT_PLAYS, MUST_NOT_PASSES = 3, 1 / 3  # what must not happen again is the candidate's alone to pass
SHOWN = 5


class Confirmation(StrEnum):
    """State of a failure that is played again on both sides.

    `open`: not played again yet. `confirmed`: the candidate fails more often than an agent that samples would, and the
    baseline does not. `refuted`: this is not so. `unknown`: it was played again, and there are still too few
    conversations.
    """

    OPEN = "open"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """A check that failed for the candidate in one case. `passes` of `plays`, candidate and baseline, of those that
    tell."""

    name: str
    digest: str
    case: str
    reason: str
    confirmation: Confirmation
    passes: tuple[int, int]
    plays: tuple[int, int]
    missing: int = 0

    @property
    def why(self) -> str:
        """The reason in words, for the table of cases."""
        (here, there), (ours, theirs) = self.passes, self.plays
        return f"passes {here} of {ours}, the baseline's {there} of {theirs}: {self.reason}"


def is_hard_at_once(name: str, fact: CheckFact, policy: GatePolicy) -> bool:
    """Tell whether a failing check stops without being played again: it was declared hard, or it fails on a fact."""
    plain = name.partition("/")[0]
    if plain in policy.soft_checks:
        return False
    return plain in policy.hard_checks or (fact.fact and not fact.measured_by)


def is_to_confirm(name: str, fact: CheckFact, policy: GatePolicy) -> bool:
    """Tell whether a failing check has to be confirmed: no judge grades it, and nobody declared what it is."""
    declared = {*policy.soft_checks, *policy.hard_checks}
    return not fact.measured_by and not fact.fact and name.partition("/")[0] not in declared


def failed_checks(candidate: GateSide, baseline: GateSide | None, policy: GatePolicy) -> list[FailedCheck]:
    """The candidate's failures that have to be confirmed, one for each check and case, in the candidate's order.
    Pure."""
    theirs = baseline.by_case() if baseline else {}
    failing = [
        (name, fact, trials, theirs.get(digest, []))
        for digest, trials in candidate.by_case().items()
        for name, fact in _failing(trials, policy).items()
    ]
    suspects = sum(not is_must_not(name) and _is_suspect(name, here, there) for name, _, here, there in failing)
    level = policy.alpha / max(1, suspects)
    return [
        _must_not(name, fact, here, there, whoever=policy.hard is not HardRule.NEW)
        if is_must_not(name)
        else _suspected(name, fact, here, there, level=level)
        for name, fact, here, there in failing
    ]


def _failing(trials: Sequence[GateTrial], policy: GatePolicy) -> dict[str, CheckFact]:
    return {
        name: fact
        for trial in trials
        for name, fact in trial.checks.items()
        if fact.outcome is Decision.FAIL and is_to_confirm(name, fact, policy)
    }


def _suspected(
    name: str, fact: CheckFact, here: Sequence[GateTrial], there: Sequence[GateTrial], *, level: float
) -> FailedCheck:
    """Decide whether replays confirm a failed check. `level` is the chance of error that is allowed."""
    ours, theirs = _outcomes(name, _again(here)), _outcomes(name, _again(there))
    missing = PLAYS - min(len(ours), len(theirs))
    if not _is_suspect(name, here, there):
        confirmation, ours, theirs = Confirmation.REFUTED, _outcomes(name, here), _outcomes(name, there)
    elif missing > 0:
        confirmation = _unplayed(here, there)
    else:
        chance = higher_by_chance_p(ours.count(False), len(ours), theirs.count(False), len(theirs))
        confirmation = Confirmation.CONFIRMED if chance <= level else Confirmation.REFUTED
    return _failed(name, fact, here, confirmation, ours, theirs, missing)


def _is_suspect(name: str, here: Sequence[GateTrial], there: Sequence[GateTrial]) -> bool:
    """Tell whether the first plays say that the change may have brought it.

    Without a first play nothing speaks against.
    """
    ours = _outcomes(name, [trial for trial in here if not trial.replay])
    theirs = _outcomes(name, [trial for trial in there if not trial.replay])
    return ours.count(False) >= SUSPECT * len(ours) and theirs.count(False) <= BASELINE_FAILS * len(theirs)


def _must_not(
    name: str, fact: CheckFact, here: Sequence[GateTrial], there: Sequence[GateTrial], *, whoever: bool
) -> FailedCheck:
    """Decide whether replays confirm something that must not happen.

    With `whoever` it stops the gate even where the baseline fails in it too.
    """
    ours, theirs = _outcomes(name, here), _outcomes(name, there)
    missing = MUST_NOT_PLAYS - (len(ours) if whoever else min(len(ours), len(theirs)))
    sound = whoever or all(theirs)
    if not sound or ours.count(True) > MUST_NOT_PASSES * max(MUST_NOT_PLAYS, len(ours)):
        confirmation = Confirmation.REFUTED
    else:
        confirmation = Confirmation.CONFIRMED if missing <= 0 else _unplayed(here, there)
    return _failed(name, fact, here, confirmation, ours, theirs, missing)


def _unplayed(here: Sequence[GateTrial], there: Sequence[GateTrial]) -> Confirmation:
    return Confirmation.UNKNOWN if _again([*here, *there]) else Confirmation.OPEN


def _failed(
    name: str,
    fact: CheckFact,
    here: Sequence[GateTrial],
    confirmation: Confirmation,
    ours: Sequence[bool],
    theirs: Sequence[bool],
    missing: int,
) -> FailedCheck:
    return FailedCheck(
        name=name,
        digest=here[0].digest,
        case=here[0].case,
        reason=fact.reason,
        confirmation=confirmation,
        passes=(ours.count(True), theirs.count(True)),
        plays=(len(ours), len(theirs)),
        missing=missing if confirmation is Confirmation.OPEN else 0,
    )


def _again(trials: Sequence[GateTrial]) -> list[GateTrial]:
    return [trial for trial in trials if trial.replay]


def _outcomes(name: str, trials: Sequence[GateTrial]) -> list[bool]:
    facts = [trial.checks[name] for trial in trials if name in trial.checks]
    return [fact.outcome is Decision.PASS for fact in facts if fact.outcome in (Decision.PASS, Decision.FAIL)]


def open_reasons(failed: Sequence[FailedCheck]) -> list[GateReason]:
    """Return the reasons for failed checks that are still open or unknown."""
    ours = all(is_must_not(check.name) for check in failed if check.confirmation is Confirmation.OPEN)
    where = "and must not: it stops where two plays of three fail" if ours else "where the baseline passes"
    words = {
        Confirmation.OPEN: (GateReasonCode.TO_CONFIRM, f"{where}: play them again on both sides"),
        Confirmation.UNKNOWN: (GateReasonCode.TO_CONFIRM, "and could not be played often enough on both sides"),
    }
    return [
        _reason(code, failed, confirmation, what)
        for confirmation, (code, what) in words.items()
        if any(check.confirmation is confirmation for check in failed)
    ]


def refuted_reasons(failed: Sequence[FailedCheck]) -> list[GateReason]:
    """Return the reason that names the failures which the replays did not confirm, or which the baseline has too.

    They do not fail the gate by themselves: they count in the share of cases alone. Empty where there are none.
    """
    if not any(check.confirmation is Confirmation.REFUTED for check in failed):
        return []
    what = "for the baseline too, or in too few plays to blame the change: it counts in the share of cases alone"
    return [_reason(GateReasonCode.NOT_CONFIRMED, failed, Confirmation.REFUTED, what)]


def _reason(code: GateReasonCode, failed: Sequence[FailedCheck], confirmation: Confirmation, what: str) -> GateReason:
    ours = [check for check in failed if check.confirmation is confirmation]
    cases = sorted({check.case for check in ours})
    names = ", ".join(sorted({check_title(check.name.partition("/")[0]) for check in ours})[:SHOWN])
    many = f"{len(cases)} case{'' if len(cases) == 1 else 's'}"
    return GateReason(
        code=code, sentence=f"{names[:1].upper()}{names[1:]} fails in {many} ({listed(cases, SHOWN)}), {what}."
    )

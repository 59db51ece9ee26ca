"""A failing assertion of an agent that samples: chance, or the change? Played five times on both sides, it is known.

An agent that misses a tool in q of its conversations fails one of n assertions somewhere with 1 - (1 - q)^n, change or
no change. So a case that fails for the candidate and not for the baseline is played again until either side has five
conversations. It is confirmed, and hard, where the candidate fails three of five and the baseline one at most: how
often that happens to a change without effect says `chance_of_a_false_stop`.

What must not happen again (domain/must_not) is no question of who brought it: a person said that it stops. It is played
until the candidate has three conversations of the case, so that one slip of an agent that samples stops nothing, and is
confirmed where it happens in two of them at least, be it for the baseline too (`hard: "new"` lets that pass).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.gates.domain.gate_states import GateReasonCode, HardRule
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.metric_titles import check_title
from apps.gates.domain.must_not import is_must_not
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import CheckFact, GateSide, GateTrial
from apps.statistics.decision import Decision

PLAYS = 5  # on either side
MOST_PASSES = 2 / 5  # of the candidate's plays, for a failure that is confirmed
BASELINE_FAILS = 1 / 5  # of the baseline's plays, at most
CLEAR = 3  # failures of the candidate against as many passes of the baseline: more plays are not needed
MUST_NOT_PLAYS, MUST_NOT_PASSES = 3, 1 / 3  # what must not happen again is the candidate's alone to pass
SHOWN = 5


class Confirmation(StrEnum):
    """`open`: to be played again. `confirmed`: the candidate fails more often than an agent that samples would, and the
    baseline does not. `refuted`: it is not so. `unknown`: it was played again, and there are too few conversations all
    the same."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """A check that failed for the candidate in one case. `passes` of `plays`, candidate and baseline."""

    name: str
    digest: str
    case: str
    reason: str
    standing: Confirmation
    passes: tuple[int, int]
    plays: tuple[int, int]
    missing: int = 0

    @property
    def why(self) -> str:
        """For the table of cases."""
        (here, there), (ours, theirs) = self.passes, self.plays
        return f"passes {here} of {ours}, the baseline's {there} of {theirs}: {self.reason}"


def is_hard_at_once(name: str, fact: CheckFact, policy: GatePolicy) -> bool:
    """Whether a failing check stops without being played again: it was declared hard, or it fails on a fact."""
    plain = name.partition("/")[0]
    if plain in policy.soft_checks:
        return False
    return plain in policy.hard_checks or (fact.fact and not fact.measured_by)


def is_to_confirm(name: str, fact: CheckFact, policy: GatePolicy) -> bool:
    """Whether a failing check has to be confirmed: no judge grades it, and nobody declared what it is."""
    declared = {*policy.soft_checks, *policy.hard_checks}
    return not fact.measured_by and not fact.fact and name.partition("/")[0] not in declared


def failed_checks(candidate: GateSide, baseline: GateSide | None, policy: GatePolicy) -> list[FailedCheck]:
    """What failed for the candidate and has to be confirmed, one for each check and case, in the candidate's order.
    Pure."""
    theirs = baseline.by_case() if baseline else {}
    found = []
    for digest, trials in candidate.by_case().items():
        failing = {
            name: fact
            for trial in trials
            for name, fact in trial.checks.items()
            if fact.outcome is Decision.FAIL and is_to_confirm(name, fact, policy)
        }
        for name, fact in failing.items():
            whoever = is_must_not(name) and policy.hard is not HardRule.NEW
            found.append(_standing(name, fact, trials, theirs.get(digest, []), whoever=whoever))
    return found


def _standing(
    name: str, fact: CheckFact, here: Sequence[GateTrial], there: Sequence[GateTrial], *, whoever: bool
) -> FailedCheck:
    """`whoever`: it stops, also where the baseline fails in it too."""
    ours, theirs = _outcomes(name, here), _outcomes(name, there)
    passes, plays = (sum(ours), sum(theirs)), (len(ours), len(theirs))
    wanted, most = (MUST_NOT_PLAYS, MUST_NOT_PASSES) if is_must_not(name) else (PLAYS, MOST_PASSES)
    missed = plays[1] - passes[1]
    clear = plays[0] - passes[0] >= CLEAR and plays[1] >= CLEAR and not missed  # no further play could change it
    missing = 0 if clear else wanted - (plays[0] if whoever else min(plays))
    sound = whoever or (missed <= BASELINE_FAILS * plays[1] if plays[1] >= PLAYS else not missed)
    if not sound or passes[0] > most * max(wanted, plays[0]):
        standing = Confirmation.REFUTED
    elif missing <= 0:
        standing = Confirmation.CONFIRMED
    else:
        standing = Confirmation.UNKNOWN if any(one.replay for one in (*here, *there)) else Confirmation.OPEN
    return FailedCheck(
        name=name,
        digest=here[0].digest,
        case=here[0].case,
        reason=fact.reason,
        standing=standing,
        passes=passes,
        plays=plays,
        missing=missing if standing is Confirmation.OPEN else 0,
    )


def _outcomes(name: str, trials: Sequence[GateTrial]) -> list[bool]:
    facts = [trial.checks[name] for trial in trials if name in trial.checks]
    return [fact.outcome is Decision.PASS for fact in facts if fact.outcome in (Decision.PASS, Decision.FAIL)]


def open_reasons(failed: Sequence[FailedCheck]) -> list[GateReason]:
    """Why nobody can tell yet."""
    ours = all(is_must_not(one.name) for one in failed if one.standing is Confirmation.OPEN)
    where = "and must not: it stops where two plays of three fail" if ours else "where the baseline passes"
    words = {
        Confirmation.OPEN: (GateReasonCode.TO_CONFIRM, f"{where}: play them again on both sides"),
        Confirmation.UNKNOWN: (GateReasonCode.TO_CONFIRM, "and could not be played often enough on both sides"),
    }
    return [
        _reason(code, failed, standing, what)
        for standing, (code, what) in words.items()
        if any(one.standing is standing for one in failed)
    ]


def refuted_reasons(failed: Sequence[FailedCheck]) -> list[GateReason]:
    """Failures that the replays did not confirm, or that the baseline has too: told, and compared as a share."""
    if not any(one.standing is Confirmation.REFUTED for one in failed):
        return []
    what = "but not often enough, or for the baseline too, to be the change's doing: compared as a share"
    return [_reason(GateReasonCode.NOT_CONFIRMED, failed, Confirmation.REFUTED, what)]


def _reason(code: GateReasonCode, failed: Sequence[FailedCheck], standing: Confirmation, what: str) -> GateReason:
    ours = [one for one in failed if one.standing is standing]
    cases = sorted({one.case for one in ours})
    names = ", ".join(sorted({check_title(one.name.partition("/")[0]) for one in ours})[:SHOWN])
    shown = ", ".join(cases[:SHOWN]) + (f" and {len(cases) - SHOWN} more" if len(cases) > SHOWN else "")
    many = f"{len(cases)} case{'' if len(cases) == 1 else 's'}"
    return GateReason(code=code, sentence=f"{names[:1].upper()}{names[1:]} fails in {many} ({shown}), {what}.")


def chance_of_a_false_stop(q: float, cases: int) -> float:
    """How likely a change without effect is stopped by this rule, where an agent fails a case's assertion with chance
    `q` on both sides, each case played once and again where it fails. Pure.

    A case is confirmed where the candidate's first play fails (q) and the baseline's does not (1 - q), two at least of
    the candidate's next four fail (1 - (1 - q)^4 - 4 q (1 - q)^3), and one at most of the baseline's next four
    ((1 - q)^4 + 4 q (1 - q)^3); cases are independent.
    """
    one_at_most = (1 - q) ** 4 + 4 * q * (1 - q) ** 3
    one = q * (1 - one_at_most) * (1 - q) * one_at_most
    return float(1 - (1 - one) ** cases)

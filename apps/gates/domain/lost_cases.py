"""Handle cases that the baseline played and the candidate did not.

They are played once more on both sides, and one that is lost again counts as failed. What cannot be played is no pass.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.side import BUDGET, TRANSPORT, GateSide, GateTrial, trials_by_case

SHOWN = 5  # names in a sentence


class LossState(StrEnum):
    """State of a conversation that was lost.

    `open`: not played again yet. `recovered`: played when it was tried again. `again`: lost once more by the candidate
    alone. `excused`: lost by the baseline too when both were tried again.
    """

    OPEN = "open"
    RECOVERED = "recovered"
    AGAIN = "again"
    EXCUSED = "excused"


@dataclass(frozen=True, slots=True, kw_only=True)
class LostCase:
    """A case in which the candidate lost `times` conversations more than the baseline. `blame` is of the last one that
    was lost; `missing` replays are still to be played."""

    digest: str
    case: str
    state: LossState
    blame: str
    times: int
    missing: int = 0


def lost_cases(candidate: GateSide, baseline: GateSide | None) -> list[LostCase]:
    """Return every case that the baseline played more often than the candidate, in the candidate's order.

    The reason is another than its judge or money. Pure.
    """
    if baseline is None:
        return []
    here, there = trials_by_case(candidate), trials_by_case(baseline)
    lost = [_loss(digest, trials, there.get(digest, [])) for digest, trials in here.items()]
    return [case for case in lost if case is not None]


def compared(side: GateSide, losses: Sequence[LostCase]) -> GateSide:
    """The side as it is measured: without what was played again, but for the conversations that stand in for lost ones.
    Pure."""
    stand_ins = Counter({loss.digest: loss.times for loss in losses if loss.state is LossState.RECOVERED})
    replaced = Counter(stand_ins)
    trials = []
    for trial in side.trials:
        if trial.replay:
            if not trial.counts or stand_ins[trial.digest] < 1:
                continue
            stand_ins[trial.digest] -= 1
        elif _is_lost(trial) and replaced[trial.digest] > 0:
            replaced[trial.digest] -= 1
            continue
        trials.append(trial)
    return replace(side, trials=trials)


def why_lost_is_unmeasurable(losses: Sequence[LostCase]) -> list[GateReason]:
    """Losses that are still to be played again, and those that were lost again by something else than the agent."""
    reasons = []
    waiting = [loss for loss in losses if loss.state is LossState.OPEN]
    if waiting:
        sentence = f"The candidate alone was lost in {_named(waiting)}: play them once more on both sides."
        reasons.append(GateReason(code=GateReasonCode.CASES_LOST, sentence=sentence))
    others = [loss for loss in losses if loss.state is LossState.AGAIN and loss.blame != TRANSPORT]
    if others:
        sentence = f"The candidate alone was lost in {_named(others)}, and again when they were played once more."
        reasons.append(GateReason(code=GateReasonCode.CASES_LOST, sentence=sentence))
    return reasons


def recovered_reasons(losses: Sequence[LostCase]) -> list[GateReason]:
    """The reasons for cases that were lost at first and decide nothing: they are shown all the same."""
    words = {
        LossState.RECOVERED: (GateReasonCode.CASES_RECOVERED, "and played when they were tried once more"),
        LossState.EXCUSED: (GateReasonCode.CASES_LEFT_OUT, "and by the baseline too when both were tried once more"),
    }
    reasons = []
    for state, (code, what) in words.items():
        ours = [loss for loss in losses if loss.state is state]
        if ours:
            sentence = f"The candidate alone was lost in {_named(ours)} at first, {what}."
            reasons.append(GateReason(code=code, sentence=sentence))
    return reasons


def _is_lost(trial: GateTrial) -> bool:
    return not trial.counts and trial.blame != BUDGET


def _loss(digest: str, here: Sequence[GateTrial], there: Sequence[GateTrial]) -> LostCase | None:
    lost = [trial for trial in here if _is_lost(trial) and not trial.replay]
    alone = len(lost) - sum(_is_lost(trial) and not trial.replay for trial in there)
    if alone < 1 or not any(trial.counts for trial in there):
        return None
    again = [trial for trial in here if trial.replay]
    broken = [trial for trial in again if _is_lost(trial)]
    excused = any(_is_lost(trial) for trial in there if trial.replay)
    missing = max(0, alone - len(again))
    if missing and not broken:
        state = LossState.OPEN
    elif not broken:
        state = LossState.RECOVERED
    else:
        state = LossState.EXCUSED if excused else LossState.AGAIN
    blame = (broken or lost)[-1].blame
    return LostCase(digest=digest, case=here[0].case, state=state, blame=blame, times=alone, missing=missing)


def _named(losses: Sequence[LostCase]) -> str:
    names = listed(sorted(loss.case for loss in losses), SHOWN)
    blamed = ", ".join(sorted({loss.blame for loss in losses}))
    return f"{len(losses)} case{'' if len(losses) == 1 else 's'} ({blamed}): {names}"

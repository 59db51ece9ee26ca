"""Tell the next step of an optimization from its rows alone. Pure.

A worker that takes it up after a crash therefore goes on in the same place, and asks or tries nothing twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.core.plurals import many


class Step(StrEnum):
    ANALYSE = "analyse"
    PROPOSE = "propose"
    SEARCH = "search"
    SETTLE = "settle"
    TRY = "try"
    COMBINE = "combine"
    PROVE = "prove"
    END = "end"
    FAIL = "fail"
    WAIT = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFacts:
    """One draft of an optimization. `asked`: a model's answer is open; `ready`: it has words that may be tried and no
    reason to be left out."""

    position: int
    settled: bool
    asked: bool = False
    ready: bool = False
    trial_open: bool = False
    trial_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationFacts:
    """The facts in an optimization's rows. `analysis` is "" before one is owed, else its status; `findings` counts what
    it found. `searching`: its mode decides what is asked and tried next; `search_waits` is what that waits for, else
    ""."""

    needs_analysis: bool
    analysis: str
    analysis_error: str
    findings: int
    proposed: bool
    drafts: Sequence[DraftFacts]
    combined: bool
    may_combine: bool
    prove: bool
    has_best: bool
    proof_open: bool
    proof: bool
    budget_spent: bool
    searching: bool = False
    search_waits: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """The next step, and for which draft.

    `position` is the draft's where one is tried. `why` is what is waited for, or why the optimization cannot go on.
    """

    step: Step
    position: int = 0
    why: str = ""


def next_step(facts: OptimizationFacts) -> NextStep:
    """The one step that is due."""
    return _before_trials(facts) or _search(facts) or _trials(facts)


def _before_trials(facts: OptimizationFacts) -> NextStep | None:
    if facts.proposed:
        return None
    if facts.needs_analysis:
        if not facts.analysis:
            return NextStep(step=Step.ANALYSE)
        if facts.budget_spent:
            return NextStep(step=Step.FAIL, why="The budget was spent before the conversations were analysed.")
        if facts.analysis == "pending":
            return NextStep(step=Step.WAIT, why="the analysis of the conversations that may be read")
        if facts.analysis == "failed":
            return NextStep(step=Step.FAIL, why=f"The analysis failed: {facts.analysis_error}")
        if not facts.findings:
            return NextStep(step=Step.FAIL, why="The analysis of the train conversations found nothing to mend.")
    return NextStep(step=Step.PROPOSE)


def _search(facts: OptimizationFacts) -> NextStep | None:
    if not facts.searching:
        return None
    if facts.search_waits and not facts.budget_spent:
        return NextStep(step=Step.WAIT, why=facts.search_waits)
    return NextStep(step=Step.SEARCH)


def _trials(facts: OptimizationFacts) -> NextStep:
    waiting = [one for one in facts.drafts if not one.settled]
    if waiting and not (facts.budget_spent and any(one.asked for one in waiting)):
        return NextStep(step=Step.WAIT, why=f"the words of {many(len(waiting), 'draft')}")
    if waiting:
        return NextStep(step=Step.SETTLE)
    for draft in facts.drafts:
        if draft.trial_open:
            if facts.budget_spent:
                return NextStep(step=Step.SETTLE, position=draft.position)
            return NextStep(step=Step.WAIT, why=f"the trial of draft {draft.position} of {len(facts.drafts)}")
    for draft in facts.drafts:
        if draft.ready and not draft.trial_ended:
            return NextStep(step=Step.SETTLE if facts.budget_spent else Step.TRY, position=draft.position)
    if facts.may_combine and not facts.combined and not facts.budget_spent:
        return NextStep(step=Step.COMBINE)
    if facts.proof_open:
        return NextStep(step=Step.WAIT, why="the trial on the hold-out")
    if facts.prove and facts.has_best and not facts.proof and not facts.budget_spent:
        return NextStep(step=Step.PROVE)
    return NextStep(step=Step.END)

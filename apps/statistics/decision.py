"""Pass, fail, undecided, unmeasurable or skipped: decided here and nowhere else. Pure.

Scores, marks and widths are points of one scale.

A conversation's score is the weighted mean of its scored criteria, its mark the weighted mean of *their* pass marks:
what was not scored lifts no mark. A blocking criterion below its own mark fails the conversation whatever the mean.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

NO_TITLES: Mapping[str, str] = MappingProxyType({})
LEAST_CASES = (
    10  # below it the interval of a mean is wider than ± 0.7 standard deviations: no headline concludes from it
)
TOO_LITTLE_CODE = "too_little_measured"
TOO_LITTLE = 1 / 8  # of what should have a verdict; from this share without one on, a pass is none
_MAY_NOT_APPLY = re.compile(
    r"(?:does|do|may|need) not apply|not applicable|\bn/a\b|\bnull\b"
    r"|non (?:si applica|applicabile|è applicabile)|hai(?:husiki|husu|tumiki|hitajiki)",
    re.IGNORECASE,
)
TOLERANCE = 1e-9  # sums of floats differ in the last digit: a mean of 6 reaches a mark of 6


class Decision(StrEnum):
    """The five outcomes.

    `undecided`: the interval contains the mark. `unmeasurable`: there is no score to decide by. `skipped`: the subject
    of a check does not occur in the conversation; scores and evaluations are never skipped.
    """

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"
    UNMEASURABLE = "unmeasurable"
    SKIPPED = "skipped"


CANNOT_TELL = {Decision.UNDECIDED, Decision.UNMEASURABLE}
OF_SCORES = (Decision.PASS, Decision.FAIL, Decision.UNDECIDED, Decision.UNMEASURABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A score, the mark it is held against, and how far it may lie from what more answers would give (0: unknown)."""

    name: str
    score: float | None
    mark: float
    width: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A decision with its reasons. `blockers` are the blocking criteria that failed; then the decision is `fail`."""

    decision: Decision
    blockers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """The decision about a whole evaluation, why (a stable word), and the sentence people read.

    `blocked` counts the conversations that each blocking criterion failed.
    """

    decision: Decision
    why: str
    sentence: str
    blocked: Mapping[str, int] = field(default_factory=dict)


def decide(score: float | None, mark: float, width: float = 0.0) -> Decision:
    """Pass or fail where the whole interval is on one side of the mark; on the mark with no width is a pass."""
    if score is None:
        return Decision.UNMEASURABLE
    if score - width >= mark - TOLERANCE:
        return Decision.PASS
    return Decision.FAIL if score + width < mark - TOLERANCE else Decision.UNDECIDED


def too_little_measured(missing: int, expected: int) -> bool:
    """Tell whether too many conversations lack a verdict: the others cannot pass for all then."""
    return missing > 0 and missing >= TOO_LITTLE * expected


def measured_of(missing: int, expected: int) -> str:
    """Say for people how much was measured: `2 of 10 could be judged`."""
    return f"{expected - missing:,} of {expected:,} could be judged"


def decide_conversation(whole: Measured, blocking: Sequence[Measured] = (), *, agent_failed: bool = False) -> Verdict:
    """Decide one conversation by its weighted score, unless something stops it.

    A blocking criterion may stop it, or the agent itself failed in it (`agent_failed`): what it said before does not
    make up for breaking off.

    A blocking criterion that is undecided leaves a conversation undecided that would pass, and so does one that should
    have a score and has none (missing is not zero, and no pass either). Do not give those that do not
    apply and whose text allows that (`may_not_apply`); give any other criterion, too, of which the judge's answer could
    not be used.
    """
    decisions = {one.name: decide(one.score, one.mark, one.width) for one in blocking}
    blockers = tuple(name for name, decision in decisions.items() if decision is Decision.FAIL)
    if blockers or agent_failed:
        return Verdict(decision=Decision.FAIL, blockers=blockers)
    decision = decide(whole.score, whole.mark, whole.width)
    if decision is Decision.PASS and CANNOT_TELL & set(decisions.values()):
        return Verdict(decision=Decision.UNDECIDED)
    return Verdict(decision=decision)


def may_not_apply(*texts: Any) -> bool:
    """Tell whether a criterion's own text says that it may not apply ("without any payment, not applicable").

    Where a blocking criterion's text does not, a judge that answers null leaves the conversation undecided: it would
    lift the block without a word about what it saw.
    """
    return any(_MAY_NOT_APPLY.search(str(text or "")) for text in texts)


def decide_check(score: float | None, threshold: float, *, applies: bool = True) -> Decision:
    """One check of a conversation, on its own scale: at the threshold is a pass."""
    return decide(score, threshold) if applies else Decision.SKIPPED


def decide_checks(outcomes: Iterable[Decision]) -> Decision:
    """Decide from many outcomes.

    It is unmeasurable where anything could not be measured or nothing at all was, else fail where anything failed, else
    undecided where anything is. Skipped ones decide nothing.
    """
    seen = set(outcomes) - {Decision.SKIPPED}
    for worst in (Decision.UNMEASURABLE, Decision.FAIL, Decision.UNDECIDED):
        if worst in seen:
            return worst
    return Decision.PASS if seen else Decision.UNMEASURABLE


def decide_run(outcomes: Iterable[Decision], *, agent_failed: bool = False, undecided: bool = False) -> Decision:
    """Decide a conversation, or a run, by its checks.

    A check that fails, or an agent that failed, is a no whatever could not be measured beside it; else `undecided`
    where it broke off and nobody can tell whether rightly; else as `decide_checks`. Never a silent pass.
    """
    seen = tuple(outcomes)
    if agent_failed or Decision.FAIL in seen:
        return Decision.FAIL
    return Decision.UNDECIDED if undecided else decide_checks(seen)


def decide_beside(judged: Decision | None, checked: Decision | None) -> Decision | None:
    """Decide a run by its judge and by its checks, either None where there is none.

    A side that fails makes it fail, a side that is undecided makes it undecided; else the judge's word counts where it
    has one. Checks that could not be measured take nothing from a judge who did.
    """
    decisions = tuple(one for one in (judged, checked) if one is not None)
    for worst in (Decision.FAIL, Decision.UNDECIDED):
        if worst in decisions:
            return worst
    measured = (decision for decision in decisions if decision is not Decision.UNMEASURABLE)
    return next(measured, decisions[0] if decisions else None)


def mark_of(marks: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
    """The weighted mean of the pass marks of what was scored; None where nothing was, or all of it weighs 0."""
    total = sum(weights.get(name, 1.0) for name in marks)
    if total <= 0:
        return None
    return sum(mark * weights.get(name, 1.0) for name, mark in marks.items()) / total


def decide_evaluation(
    *,
    status: str,
    score: float | None,
    mark: float | None,
    blocked: Mapping[str, int],
    undecided: Mapping[str, int],
    agent_failed: int = 0,
    missing: int = 0,
    expected: int = 0,
    sparse: Sequence[str] = (),
    of_criteria: int = 0,
    error: str = "",
    titles: Mapping[str, str] = NO_TITLES,
) -> Overall:
    """Decide an evaluation: the mean of its conversations against their mean mark, and criteria that stop it whatever
    the mean. Where its `status` is not completed, `error` says why.

    `blocked` and `undecided` count, by criterion that stops, the conversations that it fails and leaves undecided;
    `agent_failed` those in which the agent itself failed: one is enough. `missing` of the `expected` conversations
    should have a verdict and have none. `sparse` are the criteria, of `of_criteria`, that were scored nowhere or in
    under half of the conversations they apply to. `titles` is what the sentence calls criteria, by name.
    """
    if status != "completed":
        sentence = f"not measured: {status}{'. ' if error else ''}{error}"
        return Overall(decision=Decision.UNMEASURABLE, why="not_completed", sentence=sentence)
    if blocked:
        sentence = f"fails: {_and([f'{titles.get(name, name)} blocks {_many(n)}' for name, n in blocked.items()])}"
        return Overall(decision=Decision.FAIL, why="blocked", sentence=sentence, blocked=dict(blocked))
    if agent_failed:
        sentence = f"fails: the agent itself failed in {_many(agent_failed)}"
        return Overall(decision=Decision.FAIL, why="agent_failed", sentence=sentence)
    mean = _by_mean(score, mark, on_criteria(sparse, of_criteria))
    if mean.decision is Decision.PASS and too_little_measured(missing, expected):
        sentence = f"undecided: {measured_of(missing, expected)}"
        return Overall(decision=Decision.UNDECIDED, why=TOO_LITTLE_CODE, sentence=sentence)
    if mean.decision is Decision.PASS and undecided:
        unsure = _and([f"{titles.get(name, name)} cannot tell about {_many(n)}" for name, n in undecided.items()])
        return Overall(decision=Decision.UNDECIDED, why="blocking_undecided", sentence=f"undecided: {unsure}")
    return mean


def _by_mean(score: float | None, mark: float | None, resting_on: str) -> Overall:
    """The decision by the mean alone; `resting_on` stands behind it in the sentence."""
    if score is None or mark is None:
        sentence = "not measured: no score counts in the 0-10 mean"
        return Overall(decision=Decision.UNMEASURABLE, why="no_mark", sentence=sentence)
    shown = f"{score:.2f}{resting_on}"
    if decide(score, mark) is Decision.FAIL:
        sentence = f"fails: {shown} is below the pass mark {mark:.2f}"
        return Overall(decision=Decision.FAIL, why="below_mark", sentence=sentence)
    sentence = f"passes: {shown} reaches the pass mark {mark:.2f}"
    return Overall(decision=Decision.PASS, why="reaches_mark", sentence=sentence)


def on_criteria(sparse: Sequence[str], of_criteria: int) -> str:
    """The words behind a score that does not rest on all criteria: ` on 3 of 5 criteria`; "" where it does."""
    return f" on {of_criteria - len(sparse)} of {of_criteria} criteria" if sparse else ""


def _many(n: int) -> str:
    return f"{n:,} conversation{'' if n == 1 else 's'}"


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

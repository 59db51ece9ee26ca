"""Decide whether an agent plainly fails in its newest evaluation, alone or beside an earlier one.

Pure. What decides is the one verdict of an evaluation (apps.statistics.decision); here stands only from how many cases
on it is told. "Most fail" is told from LEAST_SHARE cases on, where Wilson's interval of the share that fails lies above
a half as a whole: with four cases it begins at 51 %, and four make no red headline. A mean is told from LEAST_CASES on.
One conversation that a blocking criterion stops, or that the agent broke off, is a fact however few there are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from apps.dashboard.domain.figures import NOUNS, just_below, many, score_text, share_interval
from apps.dashboard.domain.measured import VerdictSplit
from apps.statistics.decision import LEAST_CASES, Decision, Overall

LEAST_SHARE = 5
HALF = 0.5


class AgentVerdict(StrEnum):
    """Verdict on an agent.

    `fails`: surely in most conversations. `stopped`: in some, which are facts. `below`: its mean is below its mark.
    """

    FAILS = "fails"
    STOPPED = "stopped"
    BELOW = "below"
    PASSES = "passes"
    UNDECIDED = "undecided"
    TOO_FEW = "too_few"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStanding:
    """The newest evaluation of one agent: its verdict, and how many of its conversations pass."""

    evaluation: UUID
    agent: str
    config: str
    kind: str = ""  # of the run
    overall: Overall
    split: VerdictSplit
    agent_failed: int = 0
    score: float | None = None
    mark: float | None = None
    failing: Sequence[tuple[str, float, float]] = ()  # criteria surely below their marks: name, mean, mark; worst first

    @property
    def verdict(self) -> AgentVerdict:
        return agent_verdict(self.overall, self.split)


def agent_verdict(overall: Overall, split: VerdictSplit) -> AgentVerdict:
    """Decide an agent's verdict from one evaluation."""
    cases = min(split.cases, split.measured)
    if cases >= LEAST_SHARE and share_interval(split.failed / split.measured, cases)[0] > HALF:
        return AgentVerdict.FAILS
    if overall.decision is Decision.FAIL and overall.why != "below_mark":
        return AgentVerdict.STOPPED
    if cases < LEAST_CASES:
        return AgentVerdict.TOO_FEW
    if overall.decision is Decision.FAIL:
        return AgentVerdict.BELOW
    return AgentVerdict.PASSES if overall.decision is Decision.PASS else AgentVerdict.UNDECIDED


def share_words(split: VerdictSplit) -> str:
    """Write a share as `0 of 6 pass, 0–39 %`.

    With fewer scenarios than conversations the scenarios are named, since the interval is theirs.
    """
    if split.interval is None:
        return "nothing measured"
    low, high = (round(100 * end) for end in split.interval)
    scenarios = f" over {many(split.cases, 'scenario')}" if split.cases < split.measured else ""
    return f"{split.passed:,} of {split.measured:,} pass, {low}–{high} %{scenarios}"


def worry_title(one: AgentStanding, titles: Mapping[str, str], *, worse: bool = False) -> str:
    """The warning that a person needs about this agent; "" where nothing is plainly wrong. An agent whose mean passes
    may fail a criterion all the same."""
    measured = many(one.split.measured, NOUNS.get(one.kind, "conversation"))
    if one.verdict is AgentVerdict.FAILS:
        return f"{one.agent} {'got worse and ' if worse else ''}fails {one.split.failed:,} of {measured}"
    if one.verdict is AgentVerdict.STOPPED:
        stops = [f"{titles.get(name, name)} stops {n:,}" for name, n in one.overall.blocked.items()]
        beside = f", and it {beside}" if (beside := failing_words(one, titles)) else ""
        if not stops:
            return f"{one.agent} broke off {one.agent_failed:,} of {measured}{beside}"
        return f"{' and '.join(stops)} of {measured} of {one.agent}{beside}"
    if one.verdict is AgentVerdict.BELOW and one.score is not None:
        if just_below(one.score, one.mark):
            return f"{one.agent} scores {one.score:.1f}, just below its pass mark"
        return f"{one.agent} scores {score_text(one.score, one.mark)}, below its pass mark {one.mark:.1f}"
    words = "" if worse else failing_words(one, titles)
    return f"{one.agent} {words}" if words else ""


def failing_words(one: AgentStanding, titles: Mapping[str, str]) -> str:
    """Name the worst failing criterion: `scores 2.5 on Asked before it books, where 6.0 passes`.

    The furthest below its mark is named, the others are counted; what stops conversations is told by itself.
    """
    failing = [each for each in one.failing if each[0] not in one.overall.blocked]
    if not failing:
        return ""
    name, mean, mark = failing[0]
    more = f", and below {many(len(failing) - 1, 'more mark')}" if len(failing) > 1 else ""
    return f"scores {score_text(mean, mark)} on {titles.get(name, name)}, where {mark:.1f} passes{more}"


def worry_note(one: AgentStanding, titles: Mapping[str, str], *, moved: str = "") -> str:
    """Return the figures below an agent's verdict: pass share with interval, causes, change, evaluator."""
    parts = [f"{share_words(one.split)} (95 %)"]
    if one.verdict is AgentVerdict.FAILS and one.overall.blocked:
        parts += [f"{titles.get(name, name)} stops {n:,}" for name, n in one.overall.blocked.items()]
    if one.verdict in (AgentVerdict.FAILS, AgentVerdict.BELOW) and (words := failing_words(one, titles)):
        parts += [f"it {words}"]
    parts += [moved] if moved else []
    return f"{'; '.join(parts)}. Judged with {one.config}."

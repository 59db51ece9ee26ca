"""Decide whether an agent got worse since its last evaluation of the same kind.

Two summed evaluations decide. They are taken as independent samples of scenarios (Welch 1947), although they often
share scenarios: that is the careful side. With k criteria each is asked at 5 % / k (Bonferroni), so that many criteria
raise no false alarm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from math import inf, sqrt
from uuid import UUID

from apps.dashboard.domain.figures import many
from apps.statistics.decision import LEAST_CASES
from apps.statistics.quantiles import student_t


class Movement(StrEnum):
    WORSE = "worse"
    BETTER = "better"
    HOLDS = "holds"
    CANNOT_TELL = "cannot_tell"
    NOT_COMPARED = "not_compared"


@dataclass(frozen=True, slots=True)
class SummedMean:
    """A mean over `cases` scenarios and its standard deviation over them."""

    mean: float
    cases: int
    deviation: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAgent:
    """One evaluation of an agent: the weighted score under "", its criteria by name, and their pass marks. `judge` is
    the fingerprint. Where nobody named the agent (not `named`) it stands under its run's name."""

    id: UUID
    agent: str
    name: str
    at: datetime
    config: str
    judge: str
    judges: int
    means: Mapping[str, SummedMean]
    marks: Mapping[str, float] = field(default_factory=dict)
    kind: str = ""  # of the run
    named: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChange:
    """Change of an agent since an earlier evaluation.

    `fallen` are criteria that surely fell, the deepest first: name, difference.
    """

    new: MeasuredAgent
    old: MeasuredAgent | None
    movement: Movement
    by: float | None
    interval: tuple[float, float] | None
    fallen: Sequence[tuple[str, float]]
    why: str = ""


def agent_change(new: MeasuredAgent, old: MeasuredAgent | None) -> AgentChange:
    """The change of an agent between two evaluations. Pure."""
    why = _not_comparable(new, old)
    if old is None or why:
        return AgentChange(new=new, old=old, movement=Movement.NOT_COMPARED, by=None, interval=None, fallen=(), why=why)
    names = [name for name in new.means if name and name in old.means]
    differences = {
        name: _difference(new.means[name], old.means[name], questions=len(names) + 1) for name in ("", *names)
    }
    fallen = sorted(
        ((name, one[0]) for name in names if (one := differences[name]) and one[1][1] < 0), key=lambda one: one[1]
    )
    whole = differences[""]
    if whole is None:
        return AgentChange(
            new=new,
            old=old,
            movement=Movement.CANNOT_TELL,
            by=None,
            interval=None,
            fallen=(),
            why=f"fewer than {LEAST_CASES} scenarios on a side",
        )
    by, interval = whole
    movement = Movement.WORSE if interval[1] < 0 or fallen else Movement.BETTER if interval[0] > 0 else Movement.HOLDS
    return AgentChange(new=new, old=old, movement=movement, by=by, interval=interval, fallen=fallen)


def _not_comparable(new: MeasuredAgent, old: MeasuredAgent | None) -> str:
    if "" not in new.means:
        return "nothing was measured"
    if not new.named:
        return "no agent is named"
    if old is None or "" not in old.means:
        return "measured once"
    if new.agent != old.agent:
        return "another agent"
    if new.config != old.config:
        return f"judged with {new.config}, before with {old.config}"
    if max(new.judges, old.judges) > 1:
        return "several judges mixed"
    return "" if new.judge == old.judge else "the judge changed"


def _difference(new: SummedMean, old: SummedMean, *, questions: int) -> tuple[float, tuple[float, float]] | None:
    """New minus old with its interval; None where a side has too few scenarios."""
    if min(new.cases, old.cases) < LEAST_CASES or new.deviation is None or old.deviation is None:
        return None
    by = new.mean - old.mean
    parts = [one.deviation**2 / one.cases for one in (new, old) if one.deviation is not None]
    variance = sum(parts)
    if variance == 0:
        return by, (by, by)
    degrees = variance**2 / sum(part**2 / (one.cases - 1) for part, one in zip(parts, (new, old), strict=True))
    half = student_t(1 - 0.025 / questions, degrees) * sqrt(variance)
    return by, (by - half, by + half)


def failing_criteria(agent: MeasuredAgent) -> list[tuple[str, float, float]]:
    """Criteria whose mean is surely below their pass mark, the furthest below first: name, mean, mark. Surely: the 95 %
    interval of the mean over scenarios, at 5 % over all criteria together, ends below the mark. None where several
    judges are mixed, or the scenarios are too few to tell."""
    measured = [(name, mean, agent.marks[name]) for name, mean in agent.means.items() if name in agent.marks]
    if agent.judges > 1:
        return []
    failing = [(name, mean.mean, mark) for name, mean, mark in measured if _end(mean, questions=len(measured)) < mark]
    return sorted(failing, key=lambda each: each[1] - each[2])


def _end(mean: SummedMean, *, questions: int) -> float:
    """The upper end of a mean's interval; without end where nothing can be told."""
    if mean.cases < LEAST_CASES or mean.deviation is None:
        return inf
    return mean.mean + student_t(1 - 0.025 / questions, mean.cases - 1) * mean.deviation / sqrt(mean.cases)


def standing_sentence(agent: MeasuredAgent, titles: Mapping[str, str]) -> str:
    """Say what was measured, without a verdict: `7.7 over 6 scenarios, lowest on Safe payment (0.0)`.

    "" without a score.
    """
    if (whole := agent.means.get("")) is None:
        return ""
    text = f"{whole.mean:.1f} over {many(whole.cases, 'conversation' if agent.kind == 'imported' else 'scenario')}"
    lowest = min(((mean.mean, name) for name, mean in agent.means.items() if name), default=None)
    return f"{text}, lowest on {titles.get(lowest[1], lowest[1])} ({lowest[0]:.1f})" if lowest else text


def change_sentence(change: AgentChange, titles: Mapping[str, str]) -> str:
    """Say the change: `worse by 0.8 [−1.2, −0.4] than PR 11: payment_safety −2.1`."""
    if change.movement is Movement.NOT_COMPARED or change.by is None or change.interval is None or change.old is None:
        return (
            f"not compared: {change.why}"
            if change.movement is Movement.NOT_COMPARED
            else f"too few to tell: {change.why}"
        )
    low, high = (f"{end:+.1f}".replace("-", "−") for end in change.interval)
    against = f"than {change.old.name}" if change.movement is not Movement.HOLDS else f"beside {change.old.name}"
    moved = f"{change.by:+.1f}".replace("-", "−")
    fell = ", ".join(f"{titles.get(name, name)} {by:+.1f}".replace("-", "−") for name, by in change.fallen[:3])
    head = {Movement.WORSE: "worse", Movement.BETTER: "better", Movement.HOLDS: "holds"}[change.movement]
    if change.movement is Movement.WORSE and change.interval[1] >= 0:
        return f"worse on {fell} {against}; overall {moved} [{low}, {high}]"
    return f"{head} {against}: {moved} [{low}, {high}]" + (f"; {fell}" if fell else "")

"""Say in plain words how far a run is and what it waits for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from apps.core.plurals import many

A_DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Rows that wait for the same thing: how many, and when the first of them may be tried again."""

    reason: str
    count: int
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkProgress:
    """One kind of work: `busy` is in somebody's hands, `queued` in nobody's (waiting ones are in `waits`)."""

    busy: int
    queued: int
    waits: Sequence[Wait] = ()


NOTHING = WorkProgress(busy=0, queued=0)


def progress(*, done: int, total: int) -> float:
    """The share that is done, from 0 to 1; nothing to do counts as done."""
    return round(done / total, 4) if total else 1.0


def waiting_for(
    *,
    paused: bool,
    played: WorkProgress,
    judged: WorkProgress,
    now: datetime,
    reviewed: WorkProgress = NOTHING,
    analysed: Sequence[str] = (),
    agent: str = "",
) -> str:
    """Return one sentence that says what is still waited for; "" where there is nothing.

    `reviewed` are battles whose simulated customer is still to be reviewed. `analysed` says what each open analysis
    waits for. `agent` is the sentence about an agent that is down or spared.
    """
    parts = [agent] if agent else []
    if paused:
        parts.append("the run is paused: resume it to go on")
    parts += [_wait(wait, now) for wait in (*played.waits, *reviewed.waits, *judged.waits)]
    if played.busy or (played.queued and not paused):
        parts.append(f"{many(played.busy, 'conversation')} being played, {played.queued} queued")
    elif played.queued:
        parts.append(f"{many(played.queued, 'conversation')} queued")
    if reviewed.busy or reviewed.queued:
        parts.append(f"{many(reviewed.busy, 'simulated customer')} being reviewed, {reviewed.queued} queued")
    if judged.busy or judged.queued:
        parts.append(f"{many(judged.busy, 'conversation')} being judged, {judged.queued} queued")
    if analysed:
        why = next((reason for reason in analysed if reason), "")
        parts.append("the analyzer" + (f": {why}" if why else ""))
    return "; ".join(parts)


def _wait(wait: Wait, now: datetime) -> str:
    seconds = max(0, ceil((wait.until - now).total_seconds()))
    if seconds > A_DAY_S:  # that is for somebody to change, and the reason says how
        return f"{wait.reason} ({many(wait.count, 'conversation')})"
    return f"{wait.reason}, next try in {seconds} s ({many(wait.count, 'conversation')})"

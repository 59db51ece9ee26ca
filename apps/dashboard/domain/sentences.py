"""The first line of each page: the answer to the question the page is for."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.dashboard.domain.figures import many, plus_minus, span


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """`text`, then what is bad about it, in red. `note` is the line below."""

    text: str
    but: str = ""
    note: str = ""


def evaluation_headline(
    *,
    subject: str,
    status: str,
    score: float | None,
    interval: tuple[float, float] | None,
    in_mean: int,
    counts: Mapping[str, int],
    failing: tuple[str, float] | None,
) -> Headline:
    """Is the agent good, and can I believe it? `failing` is the worst criterion whose mean is below its mark."""
    total = sum(counts.values())
    if score is None:
        return _without_score(subject, status, counts, total)
    text = f"{subject} scores {f'{score:.1f} {plus_minus(interval)}'.strip()} on {many(in_mean, 'conversation')}"
    if status in ("pending", "running") and counts["pending"]:
        text = f"{total - counts['pending']} of {many(total, 'conversation')} judged; so far {score:.1f}"
    but = f"but fails {failing[0]} ({failing[1]:.1f})" if failing else ""
    return Headline(text=text + (", " if but else ""), but=but)


def _without_score(subject: str, status: str, counts: Mapping[str, int], total: int) -> Headline:
    if status in ("pending", "running"):
        done = total - counts["pending"]
        return Headline(text=f"{done} of {many(total, 'conversation')} judged" if total else "Nothing to judge yet")
    if not total:
        return Headline(text="This evaluation has no conversations", note="Its run had nothing that could be judged.")
    return Headline(text=f"{subject} has no score: ", but=f"none of {many(total, 'conversation')} could be judged")


def run_headline(
    *, kind: str, status: str, counts: Mapping[str, int], seconds: float | None, done_per_second: float
) -> Headline:
    """How far is it, and why is it not moving?"""
    total = sum(counts.values())
    noun = {"battle": "battle", "replay": "replay"}.get(kind, "conversation")
    left = counts["pending"] + counts["running"]
    bad = counts["failed"] + counts["timeout"]
    but = f"{many(bad, noun)} failed" if bad else ""
    if not total:
        return Headline(text="This run has no conversations")
    if status in ("pending", "running"):
        togo = f", about {span(left / done_per_second)} to go" if done_per_second > 0 and left else ""
        text = f"{total - left} of {many(total, noun)} done{togo}"
    elif status == "paused":
        text = f"Paused: {total - left} of {many(total, noun)} done"
    elif status == "cancelled":
        text = f"Cancelled: {total - left - counts['cancelled']} of {many(total, noun)} were played"
    elif status == "timeout":
        text = f"Stopped by the watchdog: {counts['ended']} of {many(total, noun)} were played"
    elif bad == total:
        return Headline(text="", but=f"All {many(total, noun)} failed" if total > 1 else f"The {noun} failed")
    else:
        took = f" in {span(seconds)}" if seconds and kind != "imported" else ""
        verb = "imported" if kind == "imported" else "done"
        text = f"All {many(total, noun)} {verb}{took}" if not bad else f"{counts['ended']} of {total} done{took}"
    return Headline(text=text + (", " if but else ""), but=but)


def home_headline(needs: int, *, empty: bool) -> Headline:
    """What needs me?"""
    if empty:
        return Headline(text="Nothing has been run yet")
    words = ("Nothing needs", "One thing needs", "Two things need", "Three things need", "Four things need")
    return Headline(text=f"{words[needs] if needs < len(words) else f'{needs} things need'} you")


def conversation_headline(
    *, name: str, score: float | None, worst: tuple[str, float] | None, state: str, passed: bool
) -> Headline:
    """Why this score?"""
    if score is None:
        return Headline(text=f"{name}: ", but=state)
    if worst is None:
        return Headline(text=f"{name} scores {score:.1f}")
    weakest = f"weakest on {worst[0]} ({worst[1]:.1f})"
    if passed:
        return Headline(text=f"{name} scores {score:.1f}", note=f"{weakest.capitalize()}.")
    return Headline(text=f"{name} scores {score:.1f}, ", but=weakest)


def usage_headline(*, month: str, spent: str, ceiling: str, expected: str, current: bool) -> Headline:
    """What did it cost?"""
    of = f" of {ceiling}" if ceiling else ""
    tail = f", about {expected} expected by its end" if current else ""
    return Headline(text=f"{spent}{of} spent in {month}{tail}")

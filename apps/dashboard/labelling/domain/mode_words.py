"""The words for a failure mode on pages: how often it happens, in which cases, and whether its fix helped. Pure."""

from collections.abc import Sequence
from datetime import datetime

from apps.core.plurals import many
from apps.core.time_words import ago
from apps.dashboard.domain.sentences import Headline
from apps.improvement.failure_modes.domain.rates import Change, ModeMovement, ModeRate, RateSource

ONLY_COUNTED = "a count, no rate: no lot is rated to its end"
_CHANGES = {
    Change.LESS: "It happens less often since the fix",
    Change.MORE: "It happens more often since the fix",
    Change.NOT_SHOWN: "Not shown to differ since the fix",
}


def share_words(count: int, of: int, interval: tuple[float, float]) -> str:
    """Write a share as `25 % (7 to 59 %) of 8`."""
    return f"{100 * count / of:.0f} % ({100 * interval[0]:.0f} to {100 * interval[1]:.0f} %) of {of}"


def rate_words(rate: ModeRate) -> str:
    """Write a rate as `25 % (7 to 59 %) of 8 drawn by lot`; for a criterion `of 8 judged`."""
    how = "drawn by lot" if rate.source is RateSource.QUEUE else "judged"
    return f"{share_words(rate.failed, rate.looked_at, rate.interval)} {how}"


def mode_headline(
    *, name: str, conversations: int, since: datetime | None, now: datetime, rate: ModeRate | None
) -> Headline:
    """The headline of a failure mode: its name, the number of its conversations, and its newest rate."""
    seen = f"noted beside {many(conversations, 'conversation')}" if conversations else "no note shows it yet"
    first = f", first {ago(since, now)}" if since else ""
    often = f"The newest rate: {rate_words(rate)}, 95 % interval." if rate else f"This is {ONLY_COUNTED}."
    return Headline(text=f"{name}: {seen}{first}", note=often)


def modes_headline(*, modes: int, most: str, beside: int, waiting: int) -> Headline:
    """Return the headline of the list; `most` is the mode noted most, beside so many conversations."""
    note = (
        f"{many(waiting, 'note')} {'stands' if waiting == 1 else 'stand'} in no mode."
        if waiting
        else ("Every note stands in a mode." if modes else "")
    )
    if not modes:
        return Headline(text="No failure mode has a name yet", note=note)
    text = many(modes, "failure mode")
    if beside:
        text += f"; “{most}” is noted most, beside {many(beside, 'conversation')}"
    return Headline(text=text, note=note)


def movement_words(movement: ModeMovement) -> str:
    """Say how a mode moved.

    `It happens less often since the fix: 12 % of 40, before 40 % of 50 (−28 points, 95 % −44 to −9)`.
    """
    low, high = (f"{100 * end:+.0f}".replace("-", "−") for end in movement.interval)
    difference = f"{100 * movement.difference:+.0f}".replace("-", "−")
    now, before = (f"{100 * failed / of:.0f} % of {of}" for failed, of in (movement.after, movement.before))
    return f"{_CHANGES[movement.change]}: {now}, before {before} ({difference} points, 95 % {low} to {high})"


def criterion_words(criterion: str, published_in: Sequence[str], *, measured: bool) -> str:
    """The sentence about a mode's criterion: whether its scores give a rate yet, and if not, the missing step."""
    if not criterion:
        return "No criterion measures it yet."
    if not published_in:
        return f"{criterion} is a draft: no published evaluator config asks for it, so it judges nothing."
    where = ", ".join(published_in)
    if not measured:
        return f"{criterion} is in {where}, and no run was judged with it yet."
    return f"{criterion} is in {where}; its scores below the pass mark are the rate."

"""Whether what real customers complained of holds with a prompt: by the plays of their released cases. Pure.

The rule is that of gates (gates.domain.confirmation): an agent that samples may slip once, so a case is fixed while at
most a third of three plays fail, is not where two of three do, and is open where fewer plays have a failure among them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.core.plurals import many
from apps.gates.domain.confirmation import MUST_NOT_PASSES, MUST_NOT_PLAYS

SHOWN = 3  # complaints that a sentence names


class ComplaintStanding(StrEnum):
    """`open`: it failed in a play, and too few were played to tell. `unknown`: nobody played and judged it."""

    FIXED = "fixed"
    NOT_FIXED = "not_fixed"
    OPEN = "open"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldComplaint:
    """One released case of a real customer, with one criterion that must not fall below a mark: `passes` of `plays` by
    the prompt asked about. `opening` is what the customer wrote first, masked."""

    scenario: str
    opening: str
    criterion: str
    below: float
    passes: int
    plays: int

    @property
    def standing(self) -> ComplaintStanding:
        if not self.plays:
            return ComplaintStanding.UNKNOWN
        if self.passes == self.plays:
            return ComplaintStanding.FIXED
        if self.plays < MUST_NOT_PLAYS:
            return ComplaintStanding.OPEN
        slips = self.passes > MUST_NOT_PASSES * self.plays
        return ComplaintStanding.FIXED if slips else ComplaintStanding.NOT_FIXED

    @property
    def unfixed(self) -> bool:
        return self.standing in (ComplaintStanding.NOT_FIXED, ComplaintStanding.OPEN)

    @property
    def words(self) -> str:
        """How it stands, after its name."""
        if self.standing is ComplaintStanding.UNKNOWN:
            return "not played with it"
        failed, plays = self.plays - self.passes, many(self.plays, "play")
        return f"happened again in {failed} of {plays}" if failed else f"held in {plays}"


def complaints_sentence(complaints: Sequence[HeldComplaint]) -> str:
    """ "1 of 2 complaints is not fixed: “…” happened again in 3 of 3 plays."; "" without any."""
    if not complaints:
        return ""
    unfixed = [one for one in complaints if one.unfixed]
    unknown = sum(one.standing is ComplaintStanding.UNKNOWN for one in complaints)
    total = many(len(complaints), "complaint")
    rest = f" {unknown} {'was' if unknown == 1 else 'were'} not played with it yet." if unknown else ""
    if unfixed:
        named = "; ".join(f"“{one.opening}” {one.words}" for one in unfixed[:SHOWN])
        more = f"; and {len(unfixed) - SHOWN} more" if len(unfixed) > SHOWN else ""
        verb = "is" if len(unfixed) == 1 else "are"
        return f"{len(unfixed)} of {total} {verb} not fixed: {named}{more}.{rest}"
    if unknown == len(complaints):
        return f"{total} of real customers {'was' if unknown == 1 else 'were'} not played with it yet."
    held = len(complaints) - unknown
    return f"{held} of {total} {'is' if held == 1 else 'are'} fixed.{rest}"

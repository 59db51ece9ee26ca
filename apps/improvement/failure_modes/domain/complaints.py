"""Tell whether a prompt fixes the complaints of real customers, by plays of their released cases.

Pure. The rule is that of gates (gates.domain.confirmation): an agent that samples may slip once, so a case is fixed
while at most a third of three plays fail, is not where two of three do, and is open where fewer plays have a failure
among them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.core.plurals import many
from apps.gates.domain.confirmation import MUST_NOT_PASSES, MUST_NOT_PLAYS

SHOWN = 3  # complaints that a sentence names


class ComplaintStanding(StrEnum):
    """State of a complaint. `open`: it failed, and too few plays can tell. `unknown`: never judged.
    `sealed`: unknown too, since its case is in the hold-out, whose trials nobody reads."""

    FIXED = "fixed"
    NOT_FIXED = "not_fixed"
    OPEN = "open"
    UNKNOWN = "unknown"
    SEALED = "sealed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldComplaint:
    """One released case of a real customer, with one criterion that must not fall below a mark.

    `passes` of `plays` by the prompt asked about. `opening` is what the customer wrote first, masked; `sealed`: its
    case is a hold-out.
    """

    scenario: str
    opening: str
    criterion: str
    below: float
    passes: int
    plays: int
    sealed: bool = False

    @property
    def standing(self) -> ComplaintStanding:
        if not self.plays:
            return ComplaintStanding.SEALED if self.sealed else ComplaintStanding.UNKNOWN
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
        """The complaint's status in words, to follow its name."""
        if self.standing is ComplaintStanding.UNKNOWN:
            return "not played with it"
        if self.standing is ComplaintStanding.SEALED:
            return "in the hold-out, where nobody reads how one case went"
        failed, plays = self.plays - self.passes, many(self.plays, "play")
        return f"happened again in {failed} of {plays}" if failed else f"held in {plays}"


def complaints_sentence(complaints: Sequence[HeldComplaint]) -> str:
    """ "1 of 2 complaints is not fixed: “…” happened again in 3 of 3 plays."; "" without any."""
    if not complaints:
        return ""
    unfixed = [complaint for complaint in complaints if complaint.unfixed]
    held = sum(complaint.standing is ComplaintStanding.FIXED for complaint in complaints)
    total, sentences = many(len(complaints), "complaint"), _not_told(complaints)
    if unfixed:
        named = "; ".join(f"“{complaint.opening}” {complaint.words}" for complaint in unfixed[:SHOWN])
        more = f"; and {len(unfixed) - SHOWN} more" if len(unfixed) > SHOWN else ""
        sentences = [f"{len(unfixed)} of {total} {_are(len(unfixed))} not fixed: {named}{more}.", *sentences]
    elif held:
        sentences = [f"{held} of {total} {_are(held)} fixed.", *sentences]
    elif len(sentences) == 1:
        return f"{total} of real customers {sentences[0].partition(' ')[2]}"
    return " ".join(sentences)


def _not_told(complaints: Sequence[HeldComplaint]) -> list[str]:
    unknown = sum(complaint.standing is ComplaintStanding.UNKNOWN for complaint in complaints)
    sealed = sum(complaint.standing is ComplaintStanding.SEALED for complaint in complaints)
    sentences = [f"{unknown} {'was' if unknown == 1 else 'were'} not played with it yet."] if unknown else []
    if sealed:
        sentences.append(
            f"{sealed} {_are(sealed)} in the hold-out: its trials decide over all of it, and tell no single case."
        )
    return sentences


def _are(count: int) -> str:
    return "is" if count == 1 else "are"

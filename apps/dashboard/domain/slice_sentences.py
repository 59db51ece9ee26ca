"""Say the claims of the page of slices, and its cells, in words. Pure."""

from collections.abc import Mapping, Sequence

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.reports.slices.domain.heat_map import HeatCell, HeatMap
from apps.reports.slices.domain.slices import SliceClaim, SliceDimension, SliceState, scenarios_needed

WORDS: Mapping[SliceDimension, str] = {
    SliceDimension.PERSONA: "persona",
    SliceDimension.LANGUAGE: "language",
    SliceDimension.PROMPT_VERSION: "prompt version",
    SliceDimension.KIND: "kind of conversation",
    SliceDimension.SCENARIO: "scenario",
}
NOTE = "Cells are coloured by the share below the pass mark and claim nothing; each leads to its conversations."


def heat_look(cell: HeatCell) -> Badge:
    return look("heat", cell.level.value)


def worse_of(claims: Sequence[SliceClaim]) -> list[SliceClaim]:
    return [claim for claim in claims if claim.state is SliceState.WORSE]


def worst_claim(
    claims: Mapping[SliceDimension, Sequence[SliceClaim]],
) -> tuple[SliceDimension, SliceClaim] | None:
    """The slice for the page's first line: the lowest of all slices that the claims call worse, or None."""
    worse = [(dimension, claim) for dimension, each in claims.items() for claim in worse_of(each)]
    return min(worse, key=lambda one: one[1].difference or 0.0) if worse else None


def slices_sentence(claims: Sequence[SliceClaim], dimension: SliceDimension) -> str:
    """Say which slice does worse than the others of this evaluation; "" where there is none to tell."""
    what = WORDS[dimension]
    if not claims:
        return ""
    if worse := worse_of(claims):
        worse_slices = [f"{one.group} scores {_points(one)} lower{_between(one)}" for one in worse]
        return f"{'; '.join(worse_slices)} than the others, within {many(worse[0].scenarios, 'scenario')}."
    if all(claim.state is SliceState.TOO_FEW for claim in claims):
        least = scenarios_needed(len(claims))
        return f"Too few scenarios to say whether a {what} scores lower: {least} are needed that it shares with others."
    return f"No {what} stands out: none scores lower than the others for sure."


def slices_headline(
    claims: Mapping[SliceDimension, Sequence[SliceClaim]], cells: Mapping[SliceDimension, HeatMap], *, live: bool
) -> Headline:
    """Say for whom the agent is worse. The claim is on the weighted score, never on a cell."""
    going = "Judging goes on. " if live else ""
    if worst := worst_claim(claims):
        dimension, first = worst
        others = sum(len(worse_of(each)) for each in claims.values()) - 1
        more = f" {many(others, 'more slice')} below." if others else ""
        return Headline(
            text=f"{first.group} is served worse than the other {WORDS[dimension]}s: ",
            but=f"{_points(first)} lower{_between(first)}",
            note=f"{going}Within {many(first.scenarios, 'scenario')}, on the weighted score.{more} {NOTE}",
        )
    all_claims = [one for each in claims.values() for one in each]
    if not all_claims:
        if any(cell.rows for cell in cells.values()):
            return Headline(text="No slices to hold against each other", note=f"{going}{NOTE}")
        return Headline(
            text="Nothing to tell apart", note=f"{going}Nothing is scored yet, or no conversation names what it is of."
        )
    if all(claim.state is SliceState.TOO_FEW for claim in all_claims):
        return Headline(text="Too few scenarios to say who is served worse", note=f"{going}{NOTE}")
    return Headline(text="No slice stands out", note=f"{going}None scores lower than the others for sure. {NOTE}")


def left_out_sentence(*, other_judges: int, by_fallback: int) -> str:
    """The conversations left out of the comparison because another judge judged them, as a sentence; "" for none."""
    sentences = [
        *([f"{many(other_judges, 'conversation')} judged under another fingerprint"] if other_judges else []),
        *([f"{many(by_fallback, 'conversation')} judged by the fallback model"] if by_fallback else []),
    ]
    return f"Left out, since judges are never compared with each other: {' and '.join(sentences)}." if sentences else ""


def _points(claim: SliceClaim) -> str:
    lower = f"{-(claim.difference or 0.0):.1f}"
    return f"{lower} point{'' if lower == '1.0' else 's'}"


def _between(claim: SliceClaim) -> str:
    return f" [{-claim.interval[1]:.1f}, {-claim.interval[0]:.1f}]" if claim.interval else ""

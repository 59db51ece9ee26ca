"""How the page "Who suffers" says its cells and its first line. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.reports.domain.heat_map import HeatCell, HeatLevel, HeatMap
from apps.reports.domain.slices import SliceClaim, SliceState, scenarios_needed

NOTE = "A cell leads to its conversations. A red column: everybody suffers. A red row: that group does."


def heat_look(cell: HeatCell) -> Badge:
    return look("heat", cell.level.value)


def slices_sentence(claims: Sequence[SliceClaim], what: str) -> str:
    """Which slice does worse than the others of this evaluation; "" where there is nothing to tell apart. `what` is
    persona or language."""
    if not claims:
        return ""
    worse = [one for one in claims if one.state is SliceState.WORSE]
    if worse:
        told = [f"{one.group} scores {-(one.difference or 0.0):.1f} points lower" for one in worse]
        return f"{'; '.join(told)} than the others, within {many(worse[0].scenarios, 'scenario')}."
    if all(one.state is SliceState.TOO_FEW for one in claims):
        least = scenarios_needed(len(claims))
        return f"Too few scenarios to say whether a {what} scores lower: {least} are needed that it shares with others."
    return f"No {what} stands out: none scores lower than the others for sure."


def heat_headline(
    personas: HeatMap, languages: HeatMap, *, live: bool = False, titles: Mapping[str, str], least: int
) -> Headline:
    """Who suffers, and from what? `titles` is what the reader calls criteria, by name."""
    rows = [*personas.rows, *languages.rows]
    told = personas.notable_cells or languages.notable_cells
    note = f"Judging goes on: {NOTE}" if live else NOTE
    if not rows:
        return Headline(
            text="No persona or language to tell apart",
            note="Nothing is scored yet, or its conversations name neither.",
        )
    if not told:
        if all(one.level is HeatLevel.TOO_FEW for row in rows for one in row.cells):
            return Headline(text=f"Too few conversations to say who suffers: a cell takes {least}", note=NOTE)
        return Headline(text="Nobody suffers: no criterion is below its mark where enough was scored", note=NOTE)
    group, worst = told[0]
    title = titles.get(worst.criterion, worst.criterion)
    what = "blocks" if worst.level is HeatLevel.BLOCKS else "is below its mark in"
    more = len([one for _, one in told if one.more]) - worst.more
    failing, n = (personas if personas.notable_cells else languages).total(worst.criterion)
    whole = not worst.more and 2 * failing > n  # no group stands out, and most conversations are below the mark
    if whole:
        group, worst = "Everybody", replace(worst, failing=failing, n=n)
    also = f" {many(more, 'more cell')} stand{'s' if more == 1 else ''} out." if more > 0 else ""
    return Headline(
        text=f"{group} suffers: " if whole else f"{group} suffers most: ",
        but=f"{title} {what} {worst.failing} of {many(worst.n, 'conversation')}",
        note=note + also,
    )

"""The content of the page that puts winning fixes together: whose words stand where, the open choices, the text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.side_by_side import LinePair, side_by_side
from apps.improvement.drafts.domain.prompt_merge import LIVE, SectionConflict
from apps.improvement.drafts.queries.combinations import DraftCombination, draft_combination
from apps.improvement.models import PromptDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class FixToCombine:
    """A draft: the sections that are its words, and those that another one changes too."""

    row: PromptDraft
    label: str
    sections: Sequence[str]
    disputed: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictSide:
    """One draft's way of changing a section: the draft's name, and the changed lines."""

    draft: str
    label: str
    lines: Sequence[LinePair]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictToSettle:
    """A section that several change, with each way beside the other."""

    section: str
    title: str
    sides: Sequence[ConflictSide]


@dataclass(frozen=True, slots=True, kw_only=True)
class CombiningPage:
    """Facts for the page of combining.

    `settled` are the choices that were made; `lines` the combined text against live, once nothing is open.
    """

    headline: Headline
    fixes: Sequence[FixToCombine]
    conflicts: Sequence[ConflictToSettle]
    settled: Sequence[tuple[str, str]]
    lines: Sequence[LinePair]
    base: str
    live: str
    back: str
    problem: str = ""

    @property
    def live_moved(self) -> bool:
        """Tell whether another version is live than the one that was drafted against."""
        return self.base != self.live


def combining_page(
    draft_ids: Sequence[str], *, choices: Mapping[str, str], back: str = "", problem: str = ""
) -> CombiningPage:
    """Return the page of a combination, and store nothing. One query. Raises as `draft_combination`."""
    combination = draft_combination(draft_ids, choices=choices)
    labels = {str(row.pk): str(row.note or row.version.version) for row in combination.drafts}
    line = combination.drafts[0].line
    labels[LIVE] = f"live: {line.live.version}"
    text = combination.combined.text
    return CombiningPage(
        headline=_headline(combination),
        fixes=[_fix(row, combination, labels) for row in combination.drafts],
        conflicts=[_conflict(conflict, labels) for conflict in combination.combined.conflicts],
        settled=sorted(choices.items()),
        lines=[] if text is None else side_by_side(line.live.text, text),
        base=combination.drafts[0].base.version,
        live=line.live.version,
        back=back,
        problem=problem,
    )


def _headline(combination: DraftCombination) -> Headline:
    conflicts, fixes = combination.combined.conflicts, many(len(combination.drafts), "fix", "fixes")
    if conflicts:
        sections = many(len(conflicts), "section is", "sections are")
        return Headline(
            text=f"{fixes} together, ",
            but=f"{sections} changed by more than one",
            note="Choose whose words count there. You can write another draft from what comes of it.",
        )
    if combination.combined.text == combination.drafts[0].line.live.text:
        return Headline(text=f"{fixes} together are what is live already")
    return Headline(
        text=f"{fixes} together change {many(len(combination.combined.changes), 'section')}",
        note="They change different sections, or a choice was made. Look at the text, then make it a draft.",
    )


def _fix(row: PromptDraft, combination: DraftCombination, labels: Mapping[str, str]) -> FixToCombine:
    key = str(row.pk)
    return FixToCombine(
        row=row,
        label=labels[key],
        sections=[change.title for change in combination.combined.changes if key in change.drafts],
        disputed=[conflict.title for conflict in combination.combined.conflicts if key in conflict.texts],
    )


def _conflict(conflict: SectionConflict, labels: Mapping[str, str]) -> ConflictToSettle:
    """Drafts that say the same are one side."""
    by_text: dict[str, list[str]] = {}
    for draft, text in conflict.texts.items():
        by_text.setdefault(text, []).append(draft)
    sides = [
        ConflictSide(
            draft=drafts[0],
            label=" and ".join(labels[draft] for draft in drafts),
            lines=side_by_side(conflict.before, text),
        )
        for text, drafts in by_text.items()
    ]
    return ConflictToSettle(section=conflict.section, title=conflict.title, sides=sides)

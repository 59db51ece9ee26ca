"""Show several drafts of one prompt combined, before anybody makes a draft of them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core.errors import BadInput, Conflict
from apps.improvement.drafts.domain.prompt_merge import LIVE, CombinedPrompt, SectionConflict, combine
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.models import PromptDraft
from apps.improvement.drafts.queries.documents import find_drafts

MAX_DRAFTS = 8
OUT_OF_USE = (DraftStatus.REFUSED, DraftStatus.REJECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCombination:
    """The drafts in the order they were named, and what they come to."""

    drafts: Sequence[PromptDraft]
    combined: CombinedPrompt

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The sections that each draft gave: [{"draft", "sections"}]; drafts that gave none are left out."""
        titles = {
            str(row.pk): [change.title for change in self.combined.changes if str(row.pk) in change.drafts]
            for row in self.drafts
        }
        return [{"draft": draft, "sections": sections} for draft, sections in titles.items() if sections]


def draft_combination(
    draft_ids: Sequence[uuid.UUID | str], *, choices: Mapping[str, str] | None = None
) -> DraftCombination:
    """Several drafts of one base together, over the live prompt of now. `choices` says by the number of a section whose
    words count there: a draft's id, or `live`. One query.

    Raises NotFound; BadInput for fewer than two drafts, too many, a choice that is none, drafts of several prompts or
    bases; Conflict (`wrong_state`) for one that was refused or rejected.
    """
    rows = find_drafts(list(dict.fromkeys(str(draft_id) for draft_id in draft_ids)))
    verb = "is" if len(rows) == 1 else "are"
    if not 2 <= len(rows) <= MAX_DRAFTS:
        raise BadInput(
            f"Name two to {MAX_DRAFTS} drafts to combine; {len(rows)} {verb} named.",
            code="bad_drafts",
            pointer="/drafts",
        )
    if len({row.base_id for row in rows}) > 1:
        raise BadInput(
            "These drafts were written against different versions of the prompt: combine drafts of one base.",
            code="several_bases",
            pointer="/drafts",
        )
    for row in rows:
        if row.status in OUT_OF_USE:
            raise Conflict(f"Draft {row.pk} is {row.status}: leave it out.", code="wrong_state")
    combined = combine(
        base=rows[0].base.text,
        drafts={str(row.pk): row.text for row in rows},
        live=rows[0].line.live.text,
        choices={section: LIVE if choice == LIVE else str(choice) for section, choice in (choices or {}).items()},
    )
    return DraftCombination(drafts=rows, combined=combined)


def conflict_document(conflict: SectionConflict) -> dict[str, Any]:
    """A section that a person must choose for, with the words of each side."""
    return {
        "section": conflict.section,
        "title": conflict.title,
        "before": conflict.before,
        "texts": [{"draft": draft, "text": text} for draft, text in conflict.texts.items()],
    }

"""Winning fixes as one draft, which is itself tried."""

import uuid
from collections.abc import Mapping, Sequence

from apps.core.errors import Conflict
from apps.core.plurals import many
from apps.improvement.drafts.domain.states import MAX_NOTE_CHARS, DraftOrigin
from apps.improvement.drafts.queries.combinations import conflict_document, draft_combination
from apps.improvement.drafts.services.drafting import DraftSource, create_draft


def combine_drafts(
    draft_ids: Sequence[uuid.UUID | str],
    *,
    by: str,
    choices: Mapping[str, str] | None = None,
    note: str = "",
    round: int = 0,
) -> uuid.UUID:
    """A draft of what several drafts change in different sections, over what is live now; its id. It keeps whose words
    stand in which section. Guards look at it like at any other.

    Safe to repeat: the same words against the same live prompt are one draft. Some twelve queries. Raises as
    `draft_combination` and `create_draft`, and Conflict (`sections_conflict`) with `conflicts` where several change one
    section differently and nobody chose.
    """
    combination = draft_combination(draft_ids, choices=choices)
    combined = combination.combined
    if combined.text is None:
        titles = ", ".join(conflict.title for conflict in combined.conflicts)
        sections = many(len(combined.conflicts), "section")
        raise Conflict(
            f"The drafts change {sections} in different ways ({titles}): choose for each whose words count.",
            code="sections_conflict",
            conflicts=[conflict_document(conflict) for conflict in combined.conflicts],
        )
    line = combination.drafts[0].line
    combined_note = (
        note or f"Combined: {'; '.join(row.note or row.version.version for row in combination.drafts)}"[:MAX_NOTE_CHARS]
    )
    source = DraftSource(
        by=by, origin=DraftOrigin.COMBINED, note=combined_note, round=round, parts=tuple(combination.parts)
    )
    return create_draft(name=line.name, text=combined.text, source=source, base=line.live.version)

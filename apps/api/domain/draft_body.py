"""Bodies of what is done with drafts of prompts, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import Interval, MaxLen, MinLen

from apps.api.domain.request_fields import Id, Name
from apps.catalog.prompts.domain.texts import MAX_PROMPT_CHARS
from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, WHOLE, Check, Keywords, Shape, Text, described
from apps.improvement.drafts.domain.states import MAX_NOTE_CHARS, MAX_REJECT_REASON
from apps.improvement.optimizer.domain.proposer_rules import MAX_REASON

_Number = Annotated[int, Interval(ge=1, le=1000), WHOLE]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest(Shape):
    """A draft of a live prompt: all its words, not a diff."""

    name: Annotated[Name, Keywords({"pattern": r"^[A-Za-z0-9][A-Za-z0-9_-]*$"})]
    text: Annotated[Text, MaxLen(MAX_PROMPT_CHARS), NOT_BLANK]
    base: Annotated[
        Text, MaxLen(200), described("The version that was live when you began: 409 where another one is by now.")
    ] = ""
    note: Annotated[Text, MaxLen(MAX_NOTE_CHARS), described("Why; it stands beside the draft.")] = ""
    analysis_id: Annotated[Id | None, described("Of the finding that it answers; with `finding_number`.")] = None
    finding_number: Annotated[_Number | None, described("In the order of the analysis, from 1.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixProposalRequest(Shape):
    """A model is asked for one surgical fix of one finding."""

    analysis_id: Id
    finding_number: Annotated[_Number, described("In the order of the analysis, from 1.")]
    name: Annotated[Text, MaxLen(100), described("The prompt; without it the one that the analysed run played.")] = ""
    override_reason: Annotated[
        Text, MaxLen(MAX_REASON), described("Why the judge's own model may propose; needed where it would.")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRejection(Shape):
    """Why a draft is not wanted."""

    reason: Annotated[Text, MaxLen(MAX_REJECT_REASON), NOT_BLANK]


def words_of_sections(value: dict[str, Any]) -> dict[str, Any]:
    """Choices of sections as they were sent: short words alone."""
    if not all(isinstance(one, str) and len(one) <= 40 for one in value.values()):
        raise BadInput('names for each section a draft\'s id, or "live"')
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCombinationRequest(Shape):
    """Drafts whose fixes shall stand together."""

    drafts: Annotated[tuple[Id, ...], MinLen(2), MaxLen(8), described("Two to eight, of one prompt and one base.")]
    choices: Annotated[
        Mapping[str, Any],
        MaxLen(100),
        Check(words_of_sections),
        described("By the number of a section that is in conflict: the draft whose words count there, or live."),
    ] = field(default_factory=dict)
    note: Annotated[Text, MaxLen(MAX_NOTE_CHARS), described("Why; it stands beside the draft.")] = ""

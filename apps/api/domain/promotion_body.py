"""The body that makes a conversation a test."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from apps.core.shapes import NOT_BLANK, Number, Shape, Text, described


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenScore(Shape):
    """A criterion, and the mark below which the scenario fails."""

    criterion: Annotated[Text, MaxLen(100), NOT_BLANK]
    below: Annotated[Number, Interval(ge=0.1, le=10)]

    def as_json(self) -> dict[str, Any]:
        return {"criterion": self.criterion, "below": self.below}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionRequest(Shape):
    """`conversation_id` is ours, of any kind, or the one that a real conversation was posted with, as for feedback.
    Without `must_not` it is what the conversation failed, where anybody has judged it."""

    conversation_id: Annotated[Text, MaxLen(260), NOT_BLANK]
    must_not: Annotated[tuple[ForbiddenScore, ...], MaxLen(20)] | None = field(default=None)
    feedback_id: Annotated[
        Text, MaxLen(260), described("A rating of this conversation that is the reason, by the id it was posted with.")
    ] = ""

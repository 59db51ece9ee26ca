"""The bodies that make a review queue, say who rates it, and what counts where raters differ."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Id, Name
from apps.calibration.domain.queue_sizes import MAX_ITEMS, MAX_RATERS
from apps.core.shapes import NOT_BLANK, WHOLE, Flag, Number, Shape, Text, described

_Raters = Annotated[
    tuple[Annotated[Text, MaxLen(150)], ...], MaxLen(100), described("Who rates; empty: whoever may rate.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueueRequest(Shape):
    """Conversations that a filter matches, rated by so many people each."""

    name: Name
    list: Annotated[
        Text,
        MaxLen(4000),
        NOT_BLANK,
        described("The address of a filtered list of conversations or matrix: /admin/runs/conversation/?language=sw"),
    ]
    size: Annotated[int, Interval(ge=1, le=MAX_ITEMS), WHOLE] = 20
    raters: Annotated[int, Interval(ge=1, le=MAX_RATERS), WHOLE, described("People for each conversation.")] = 2
    at_random: Annotated[Flag, described("By lot, so that shares are rates of the filter; else the first.")] = True
    assigned: _Raters = ()
    evaluator_config: Annotated[
        Text, MaxLen(200), described("Whose criteria; empty: those of the newest evaluation.")
    ] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueueRaters(Shape):
    """Who rates from now on; what was rated stays."""

    assigned: _Raters


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueueResolution(Shape):
    """What counts of one criterion of one conversation, and why; null: it does not apply there."""

    conversation_id: Id
    criterion: Annotated[Text, MaxLen(100), NOT_BLANK]
    value: Number | None
    reason: Annotated[Text, MaxLen(4_000), NOT_BLANK]

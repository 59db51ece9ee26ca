"""The body that makes a review queue."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Name
from apps.calibration.domain.queue_sizes import MOST_ITEMS, MOST_RATERS
from apps.core.shapes import NOT_BLANK, WHOLE, Flag, Shape, Text, described


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueueRequest(Shape):
    """Conversations that a filter matches, rated by so many people each."""

    name: Name
    list: Annotated[
        Text, MaxLen(4000), NOT_BLANK,
        described("The address of a filtered list of conversations or matrix: /admin/runs/conversation/?language=sw"),
    ]  # fmt: skip
    size: Annotated[int, Interval(ge=1, le=MOST_ITEMS), WHOLE] = 20
    raters: Annotated[int, Interval(ge=1, le=MOST_RATERS), WHOLE, described("People for each conversation.")] = 2
    at_random: Annotated[Flag, described("By lot, so that shares are rates of the filter; else the first.")] = True
    assigned: Annotated[
        tuple[Annotated[Text, MaxLen(150)], ...], MaxLen(100), described("Who rates; empty: whoever may rate.")
    ] = ()
    evaluator_config: Annotated[
        Text, MaxLen(200), described("Whose criteria; empty: those of the newest evaluation.")
    ] = ""

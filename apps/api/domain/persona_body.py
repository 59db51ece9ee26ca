"""The body of POST /personas/generate/ as plain data."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen, MinLen

from apps.api.domain.request_fields import Name
from apps.core.shapes import NOT_BLANK, WHOLE, Shape, Text, described
from apps.personas.domain.grid import GOAL_CHARS, MAX_PERSONAS, MAX_VALUES, TEMPER_CHARS

_Goal = Annotated[Text, MaxLen(GOAL_CHARS), NOT_BLANK]
_Temper = Annotated[Text, MaxLen(TEMPER_CHARS), NOT_BLANK]
_COUNT = described("In all; absent: one for each cell of language × goal × temper.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaGenerationRequest(Shape):
    """A set of personas that covers a grid."""

    agent: Name
    languages: Annotated[tuple[Annotated[Text, MaxLen(20), NOT_BLANK], ...], MinLen(1), MaxLen(MAX_VALUES)]
    goals: Annotated[tuple[_Goal, ...], MinLen(1), MaxLen(MAX_VALUES)]
    tempers: Annotated[tuple[_Temper, ...], MaxLen(MAX_VALUES)] = ()
    count: Annotated[int, Interval(ge=1, le=MAX_PERSONAS), WHOLE, _COUNT] | None = None

"""The body that lets a scenario play."""

from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import MaxLen

from apps.api.domain.promotion_body import ForbiddenScore
from apps.core.shapes import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioReleaseRequest(Shape):
    """`must_not` takes the place of what the scenario says must not happen again; without it that stays."""

    must_not: Annotated[tuple[ForbiddenScore, ...], MaxLen(20)] | None = field(default=None)

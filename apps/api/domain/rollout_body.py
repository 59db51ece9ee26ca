"""Bodies of what is done with rollouts, as plain data."""

import uuid
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Id, Name
from apps.core.shapes import NOT_BLANK, WHOLE, Flag, Shape, Text, described
from apps.production.rollouts.domain.request import MAX_HOURS, MAX_REASON, RolloutRequest

_Percentage = Annotated[int, Interval(ge=1, le=100), WHOLE]
_Hours = Annotated[int, Interval(ge=1, le=MAX_HOURS), WHOLE]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutStartRequest(Shape, RolloutRequest):
    """A canary for some of a hundred conversations of a role."""

    role: Annotated[Name, described("The name of its prompt.")]
    canary: Annotated[
        Text,
        MaxLen(200),
        NOT_BLANK,
        described("A released draft, or a version recorded under a commit or live before."),
    ]
    percentage: _Percentage = 5
    hours: Annotated[_Hours, described("Nothing is promoted before 24.")] = 24
    evaluator_config: Annotated[
        Text,
        MaxLen(200),
        described(
            "Who judges; without it that of the sampling rules, or of the agent's newest evaluation, or the only one."
        ),
    ] = ""
    beside_others: Annotated[
        Flag, described("Another role's rollout runs: their figures cannot be told apart, and that is known.")
    ] = False
    forecast_only: Annotated[Flag, described("Say what it would see, and start nothing.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutChangeRequest(Shape):
    """Raise the percentage, or give it more time."""

    percentage: Annotated[_Percentage | None, described("Higher than it is: it is never lowered.")] = None
    hours: Annotated[_Hours | None, described("From now on.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedConversationRequest(Shape):
    """One conversation to force into the canary."""

    tenant_id: Annotated[Id, described("Of the caller, as the router is given it.")]
    conversation_id: Annotated[Text, MaxLen(200), NOT_BLANK, described("Kept as a digest alone.")]

    @property
    def caller(self) -> str:
        return str(uuid.UUID(str(self.tenant_id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutPromotionRequest(Shape):
    """What a person says for a promotion."""

    acknowledged: Annotated[Flag, described("Needed where `thin` names metrics: they were not shown.")] = False
    reason: Annotated[Text, MaxLen(MAX_REASON)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutReasonRequest(Shape):
    """Why it ends."""

    reason: Annotated[Text, MaxLen(MAX_REASON)] = ""

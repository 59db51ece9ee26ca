"""Bodies of what is decided about a persona, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from apps.catalog.personas.domain.rules import MAX_OVERRIDE_REASON
from apps.catalog.personas.domain.spec import PersonaSpec
from apps.core.shapes import NOT_BLANK, Number, Shape, Text, described

_Score = Annotated[Number, Interval(ge=1, le=10)]
_Reason = Annotated[Text, MaxLen(500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorScores(Shape):
    """1 to 10 each."""

    naturalness: _Score
    coherence: _Score
    testability: _Score

    def as_json(self) -> dict[str, float]:
        return {"naturalness": self.naturalness, "coherence": self.coherence, "testability": self.testability}


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorReasons(Shape):
    """Why each score is what it is."""

    naturalness: _Reason = ""
    coherence: _Reason = ""
    testability: _Reason = ""

    def as_json(self) -> dict[str, str]:
        every = {"naturalness": self.naturalness, "coherence": self.coherence, "testability": self.testability}
        return {name: words for name, words in every.items() if words}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaValidationRequest(Shape):
    """A person's scores; without them a model is asked."""

    scores: ValidatorScores | None = None
    reasons: ValidatorReasons = field(default_factory=ValidatorReasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaOverrideRequest(Shape):
    """Why a rejected persona may play all the same."""

    reason: Annotated[Text, MaxLen(MAX_OVERRIDE_REASON), NOT_BLANK]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaEditRequest(Shape):
    """What of a persona is written anew; what is absent stays."""

    text: Annotated[Text, MaxLen(100_000), NOT_BLANK] | None = None
    language: Annotated[Text, MaxLen(20)] | None = None
    spec: Annotated[PersonaSpec | None, described("The structured persona, whole.")] = None

    def changes(self) -> Mapping[str, Any]:
        spec = None if self.spec is None else self.spec.as_json()
        return {"text": self.text, "language": self.language, "spec": spec}

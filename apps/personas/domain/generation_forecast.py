"""Forecast the calls to models for a set of personas, before any is made: their number, and dollars where a price is
known. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from apps.core.usage import Usage
from apps.personas.domain.generation_prompt import AT_ONCE
from apps.personas.domain.same_people import FEWEST

# Per persona, where nothing is refused: a rating and two judged dialogues; four messages of the customer in each.
VALIDATIONS, DIALOGUE_TURNS = 3, 8
# Tokens of a call where none was made yet: what our own questions and answers of these kinds hold, generously.
WRITING = Usage(input_tokens=3000, output_tokens=2400)
VALIDATING = Usage(input_tokens=1800, output_tokens=300)
PLAYING = Usage(input_tokens=1200, output_tokens=80)
TELLING_APART = Usage(input_tokens=500, output_tokens=80)  # and of each persona:
TOLD_OF_ONE = 300  # input tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastPart:
    """One kind of calls: dollars, or None with `why`. `sample` is how many earlier calls stand behind it."""

    part: str
    model: str
    calls: int
    usd: float | None
    sample: int = 0
    why: str = ""

    @property
    def sentence(self) -> str:
        cost = "cost unknown" if self.usd is None else f"${self.usd:.2f}"
        calls = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        return f"{self.part} {self.model}: {calls}, {cost}{', ' + self.why if self.why else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationForecast:
    """The forecast for a set of this many personas."""

    personas: int
    parts: Sequence[ForecastPart]

    @property
    def calls(self) -> int:
        return sum(part.calls for part in self.parts)

    @property
    def usd(self) -> float | None:
        """Dollars in all; None where a part is not known."""
        known = [part.usd for part in self.parts if part.usd is not None]
        return sum(known) if len(known) == len(self.parts) else None

    @property
    def sentence(self) -> str:
        """Return the forecast in words.

        For example: `24 personas, about 270 calls, about $0.12. writing openai/gpt-4o: 6 calls, $0.03; …`
        """
        cost = "cost unknown" if self.usd is None else f"about ${self.usd:.2f}"
        many = f"{self.personas} persona{'' if self.personas == 1 else 's'}"
        return f"{many}, about {self.calls} calls, {cost}. {'; '.join(part.sentence for part in self.parts)}."

    def as_json(self) -> dict[str, Any]:
        parts = [
            {
                "part": part.part,
                "model": part.model,
                "calls": part.calls,
                "cost_usd": part.usd,
                "sample": part.sample,
                "why": part.why,
            }
            for part in self.parts
        ]
        return {"personas": self.personas, "calls": self.calls, "cost_usd": self.usd, "parts": parts}


def calls_of(personas: int) -> tuple[int, int, int, int]:
    """Count the calls that write, tell apart, validate and play that many personas.

    It is assumed that nothing is refused and written again: the whole set is told apart by one question.
    """
    return ceil(personas / AT_ONCE), int(personas >= FEWEST), VALIDATIONS * personas, DIALOGUE_TURNS * personas


def telling_apart(personas: int) -> Usage:
    """Return the usual size of the question that compares all personas of a set."""
    return replace(TELLING_APART, input_tokens=TELLING_APART.input_tokens + TOLD_OF_ONE * personas)

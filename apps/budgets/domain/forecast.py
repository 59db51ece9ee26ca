"""Forecast the cost of a piece of work from the cost of such work before. Pure.

A forecast is a mean over earlier conversations times how many there will be, with the 95 % interval of that mean
(Student's t); it is no upper bound, and reserves nothing (`estimate` does). Work by another model than the earlier one
is priced anew: the tokens of then at the price of now. Where no price is known, none is invented.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt

from apps.statistics.quantiles import student_t

OFFLINE = "offline rules, no model is asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCosts:
    """Average costs of earlier conversations of one kind of work.

    `deviation` is that of their dollars, `models` are those that were called, `unpriced` counts calls without a known
    price.
    """

    conversations: int = 0
    mean_usd: float = 0.0
    deviation: float | None = None
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    models: tuple[str, ...] = ()
    unpriced: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PartForecast:
    """One part of the work (`customers`, `judging`): dollars, or None with `why` where they are not known. `sample` is
    how many earlier conversations stand behind it."""

    part: str
    model: str
    usd: float | None
    low: float | None = None
    high: float | None = None
    sample: int = 0
    why: str = ""
    free: bool = False

    @property
    def sentence(self) -> str:
        """The forecast of one part: `judging openai/gpt-4: $0.30, from 24 earlier conversations`."""
        model = f" {self.model}" if self.model and not self.free else ""
        cost = "unknown" if self.usd is None else f"${self.usd:.2f}"
        rests = f", from {self.sample} earlier conversation{'' if self.sample == 1 else 's'}" if self.sample else ""
        return f"{self.part}{model}: {cost}{', ' + self.why if self.why else ''}{rests}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostForecast:
    """All parts of starting something: `usd` is None where any part is not known."""

    conversations: int
    parts: Sequence[PartForecast]

    @property
    def usd(self) -> float | None:
        """Dollars in all."""
        known = [part.usd for part in self.parts if part.usd is not None]
        return sum(known) if len(known) == len(self.parts) else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The sum of the parts' ends, which is the careful side; None where a part has none."""
        if self.usd is None or any(part.low is None or part.high is None for part in self.parts):
            return None
        return sum(part.low or 0.0 for part in self.parts), sum(part.high or 0.0 for part in self.parts)

    def above(self, limit: float | None) -> bool:
        """Tell whether a person should confirm the cost: it is above the limit, or unknown."""
        return limit is not None and (self.usd is None or self.usd > limit)

    def limit_sentence(self, limit: float | None) -> str:
        """Say why somebody should confirm the cost."""
        if self.usd is None:
            return f"Nobody knows what it will cost; it may be more than ${limit:g}"
        return f"That is more than ${limit:g}"

    @property
    def sentence(self) -> str:
        """The forecast for a terminal: conversations, about how many dollars, and the basis of each part."""
        many = f"{self.conversations} conversation{'' if self.conversations == 1 else 's'}"
        if not self.parts:
            return f"{many}, no model is asked."
        cost = "cost unknown" if self.usd is None else f"about ${self.usd:.2f}"
        ends = f" (${self.interval[0]:.2f} to ${self.interval[1]:.2f}, 95 %)" if self.interval and self.usd else ""
        return f"{many}, {cost}{ends}. {'; '.join(part.sentence for part in self.parts)}."

    def as_json(self) -> dict[str, object]:
        """The forecast as JSON for commands and the API; money as plain numbers."""
        return {
            "conversations": self.conversations,
            "cost_usd": self.usd,
            "interval": list(self.interval) if self.interval else None,
            "parts": [
                {
                    "part": part.part,
                    "model": part.model,
                    "cost_usd": part.usd,
                    "sample": part.sample,
                    "why": part.why,
                }
                for part in self.parts
            ],
        }


def forecast_part(
    part: str,
    model: str,
    past: PastCosts,
    *,
    conversations: int,
    free: bool,
    repriced: Decimal | None,
    elsewhere: str = "",
) -> PartForecast:
    """Forecast the cost of so many conversations.

    `free`: the offline rules answer. `repriced` is the cost of one conversation, with the tokens of then, by the price
    of `model` now; None where no list has that price. `model` is as the ledger names it. `elsewhere` says whose earlier
    conversations these were, where not the same agent's or config's.
    """
    if free:
        return PartForecast(part=part, model=model, usd=0.0, low=0.0, high=0.0, why=OFFLINE, free=True)
    n = past.conversations
    if not n:
        return PartForecast(part=part, model=model, usd=None, why="nothing like it was done yet")
    if model not in past.models:
        if repriced is None:
            return PartForecast(part=part, model=model, usd=None, sample=n, why=f"no price is known for {model}")
        usd = float(repriced) * conversations
        why = f"the tokens of {', '.join(past.models)} at the price of {model}"
        why += f", with {elsewhere}" if elsewhere else ""
        return PartForecast(part=part, model=model, usd=usd, sample=n, why=why)
    if past.unpriced:
        return PartForecast(part=part, model=model, usd=None, sample=n, why=f"no price is known for {model}")
    usd, half = past.mean_usd * conversations, None
    if past.deviation is not None and n > 1:
        # A mean of n, and as many new ones around it: both vary.
        spread = past.deviation * sqrt(1 / n + 1 / conversations) if conversations else 0.0
        half = student_t(0.975, n - 1) * spread * conversations
    return PartForecast(
        part=part, model=model, usd=usd, sample=n, why=f"with {elsewhere}" if elsewhere else "",
        low=max(0.0, usd - half) if half is not None else None, high=usd + half if half is not None else None,
    )  # fmt: skip

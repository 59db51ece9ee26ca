"""Forecast a trial before it is started: conversations, calls, dollars, minutes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated

from apps.core.documents import Count, Document, Id, Interval, one_of
from apps.core.plurals import many
from apps.core.shapes import described
from apps.evaluations.requests.domain.run_time import time_in_words
from apps.improvement.domain.acceptance import LEAST_FAMILIES
from apps.improvement.holdout.domain.parts import Part
from apps.statistics.looks import LOOKS, clusters_needed, level_of_look
from apps.statistics.quantiles import student_t

SPREAD = 0.97  # of family means between families, in points: assumed (simulated: pairs with 1.2, two personas a family)
POWER = 0.8


class TrialForecastDocument(Document, component="TrialForecast"):
    part: Annotated[str, one_of(Part)]
    families: Count
    scenarios: Count
    sides: Count
    conversations: Count
    calls: Count
    minutes: Annotated[float | None, described("null: none was played with these models yet.")]
    cost_usd: Annotated[float | None, described("null: no price is known.")]
    cost: Annotated[str, described("On what it rests.")]
    sample: Annotated[Count, described("Earlier conversations behind calls and minutes; 0: assumed.")]
    look: Count | None
    stagger_s: Interval
    confirm: Annotated[bool, described("Dearer than the tenant's confirm_run_usd, or of unknown cost.")]
    detectable: Annotated[float | None, described("The true gain that this look shows four times of five.")]
    power: str
    warnings: Sequence[str]
    sentence: str


class TrialForecastOnly(Document, component="TrialForecastOnly"):
    draft: Id
    forecast: TrialForecastDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialForecast:
    """Forecast of a trial; `conversations` and `calls` are of all sides, `look` is the look it spends.
    Without a known price `usd` is None; `money` says what the price rests on."""

    part: Part
    families: int
    scenarios: int
    sides: int
    conversations: int
    calls: int
    minutes: float
    usd: float | None
    money: str
    sample: int
    look: int | None
    stagger_s: tuple[float, float]
    confirm: bool = False

    @property
    def warnings(self) -> list[str]:
        """The warnings for the person who starts the trial."""
        texts = []
        if self.families < LEAST_FAMILIES:
            more = many(LEAST_FAMILIES - self.families, "more family is", "more families are")
            texts.append(f"Only {many(self.families, 'family', 'families')}: {more} needed before a gain can be shown.")
        if self.look is not None:
            texts.append(f"This is look {self.look} of {LOOKS} at these hold-out families, for life.")
        return texts

    @property
    def detectable(self) -> float | None:
        """The gain in points that this look would show four times of five; None where it can show none."""
        return None if self.look is None else detectable_gain(self.families, look=self.look)

    @property
    def power(self) -> str:
        """Say in a sentence what gain this many families can show."""
        if self.look is None:
            return f"The part {self.part.value} only chooses: whatever its figures say, they prove nothing."
        if self.detectable is None:
            return f"{many(self.families, 'family', 'families')} can prove no gain, however large."
        return (
            f"{many(self.families, 'family', 'families')} show a true gain of {self.detectable:.1f} points four times "
            f"of five at look {self.look}, and a smaller one more seldom (families are assumed to differ by "
            f"{SPREAD:.1f} points)."
        )

    @property
    def time_words(self) -> str:
        """The time in words, as `some 12 minutes`."""
        return time_in_words(self.minutes, sample=self.sample)

    @property
    def sentence(self) -> str:
        """The forecast in a sentence, for a page and a terminal."""
        cost = "cost unknown" if self.usd is None else f"about ${self.usd:.2f}"
        return (
            f"{many(self.conversations, 'conversation')} ({many(self.scenarios, 'scenario')} of "
            f"{many(self.families, 'family', 'families')}, {self.sides} prompts), about {self.calls:,} model calls, "
            f"{cost}, {self.time_words}."
        )

    def document(self) -> TrialForecastDocument:
        """The forecast as the row, the API and the page have it."""
        return TrialForecastDocument(
            part=self.part.value,
            families=self.families,
            scenarios=self.scenarios,
            sides=self.sides,
            conversations=self.conversations,
            calls=self.calls,
            minutes=self.minutes if self.sample else None,
            cost_usd=self.usd,
            cost=self.money,
            sample=self.sample,
            look=self.look,
            stagger_s=list(self.stagger_s),
            confirm=self.confirm,
            detectable=self.detectable,
            power=self.power,
            warnings=self.warnings,
            sentence=self.sentence,
        )


def detectable_gain(families: int, *, look: int, spread: float = SPREAD) -> float | None:
    """The true gain in points that a look shows with a power of .8; None below the families that a claim needs.

    (t(1 - level) + t(.8)) · spread / √families, Student's t with families - 1 degrees of freedom: within 3 % of what
    was simulated for the sign-flip test at 12 to 40 families, looks 1 to 3.
    """
    if families < max(LEAST_FAMILIES, clusters_needed(look)):
        return None
    quantiles = student_t(1 - level_of_look(look), families - 1) + student_t(POWER, families - 1)
    return round(quantiles * spread / sqrt(families), 2)

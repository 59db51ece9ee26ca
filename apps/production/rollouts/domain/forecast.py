"""Forecast a rollout before it is started: how many conversations it sees, what judging them costs, and which loss it
can find. Pure."""

from dataclasses import dataclass
from math import ceil, floor
from typing import Annotated

from apps.core.documents import Count, Document
from apps.core.plurals import many
from apps.core.shapes import Keywords, described
from apps.production.rollouts.domain.rules import ALPHA, CALLED_AT, LEAST, RULES, GuardedMetric
from apps.statistics.sequential import loss_found, not_inferior_needs

USUAL_DEVIATION = 1.5  # of scores, where nothing was judged yet
_MAX_SHARE = 50  # a larger canary leaves fewer stable ones than canary ones
_MANY_DAYS = 60


Share = Annotated[int, Keywords({"minimum": 0, "maximum": 100})]


class RolloutForecastDocument(Document, component="RolloutForecast"):
    percentage: Share
    hours: Count
    conversations_a_day: float
    conversations: Count
    canary: Annotated[Count, described("Judged, with as many stable ones.")]
    cost_usd: Annotated[float | None, described("null: no price is known.")]
    cost: str
    deviation: Annotated[float, described("Of scores.")]
    deviation_measured: Annotated[bool, described("false: assumed.")]
    loss_found: Annotated[float | None, described("The smallest loss found in 24 h four times of five; null: none.")]
    needed: Annotated[Count, described("An arm, until an equally good canary is shown to be not inferior.")]
    too_few: bool
    days_that_suffice: Count | None
    percentage_that_suffices: Count | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutForecast:
    """`canary` conversations are judged, and as many stable ones; `loss` is the smallest true loss of score that is
    found in the first 24 hours four times of five. `needed` are the conversations an arm that show an equally good
    canary to be not inferior; `days` at this percentage, or this `share` in the hours asked for, suffice for it (None:
    no percentage of at most half does)."""

    percentage: int
    hours: int
    a_day: float
    conversations: int
    canary: int
    cost_usd: float | None
    cost: str
    deviation: float
    measured: bool
    loss: float | None
    needed: int
    days: int | None
    share: int | None

    @property
    def too_few(self) -> bool:
        return self.canary < self.needed

    @property
    def sentence(self) -> str:
        """The forecast in words."""
        if not self.a_day:
            return (
                "No conversation of the stable version came in within the last 7 days, so nothing can be forecast. "
                "Post them with prompt_version: without it nothing is compared."
            )
        cost = f" ({self.cost})" if self.cost else ""
        sentence = (
            f"a loss of {self.loss:.1f} points is found in 24 h"
            if self.loss is not None
            else "no loss is found in 24 h"
        )
        first = (
            f"{self.percentage} % for {many(self.hours, 'hour')}: some {many(self.canary, 'conversation')} of the "
            f"canary and as many stable ones are judged{cost}; {sentence} four times of five."
        )
        if not self.too_few:
            return first
        ways = []
        if self.share is not None:
            ways.append(f"{self.share} % would do in {many(self.hours, 'hour')}")
        if self.days is not None:
            ways.append(f"{self.percentage} % in {many(self.days, 'day')}")
        ways_text = " or ".join(ways) if ways else "no percentage of at most half does"
        return f"{first} Too few to show that it is not worse, which takes {self.needed:,} an arm: {ways_text}."

    def document(self) -> RolloutForecastDocument:
        """The forecast as it is stored with the rollout, and answered."""
        return RolloutForecastDocument(
            percentage=self.percentage,
            hours=self.hours,
            conversations_a_day=round(self.a_day, 1),
            conversations=self.conversations,
            canary=self.canary,
            cost_usd=self.cost_usd,
            cost=self.cost,
            deviation=round(self.deviation, 2),
            deviation_measured=self.measured,
            loss_found=None if self.loss is None else round(self.loss, 2),
            needed=self.needed,
            too_few=self.too_few,
            days_that_suffice=self.days,
            percentage_that_suffices=self.share,
            sentence=self.sentence,
        )


def canary_conversations(*, percentage: int, hours: int, a_day: float) -> int:
    """Return how many conversations a canary of this percentage will see."""
    return floor(a_day * hours / 24 * percentage / 100)


def forecast_rollout(
    *,
    percentage: int,
    hours: int,
    a_day: float,
    deviation: float | None,
    margin: float,
    cost_usd: float | None,
    cost: str = "",
) -> RolloutForecast:
    """Forecast a rollout from its traffic, its scores and its cost.

    `a_day` are conversations of the stable version a day lately, `deviation` that of earlier scores (None: not known),
    `cost_usd` what judging them costs (None: not known, and `cost` says why).
    """
    rule = RULES[GuardedMetric.SCORE]
    spread = deviation or USUAL_DEVIATION
    canary = canary_conversations(percentage=percentage, hours=hours, a_day=a_day)
    in_a_day = min(canary, floor(a_day * percentage / 100))
    needed = not_inferior_needs(spread, margin=margin, tau=rule.tau, alpha=ALPHA)
    a_day_in_canary = a_day * percentage / 100
    days = ceil(needed / a_day_in_canary) if a_day_in_canary else _MANY_DAYS + 1
    share = ceil(100 * needed / (a_day * hours / 24)) if a_day else _MAX_SHARE + 1
    loss = loss_found(2 * spread**2 / in_a_day, rule.tau, alpha=1 / CALLED_AT) if in_a_day >= LEAST else None
    return RolloutForecast(
        percentage=percentage,
        hours=hours,
        a_day=a_day,
        conversations=floor(a_day * hours / 24),
        canary=canary,
        cost_usd=cost_usd,
        cost=cost,
        deviation=spread,
        measured=deviation is not None,
        loss=loss,
        needed=needed,
        days=days if days <= _MANY_DAYS else None,
        share=share if share <= _MAX_SHARE else None,
    )

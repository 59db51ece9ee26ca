"""Forecast an optimization before it starts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from apps.core.documents import Count, Document
from apps.core.plurals import many
from apps.core.shapes import described
from apps.evaluations.requests.domain.run_time import time_in_words
from apps.improvement.drafts.domain.trial_forecast import TrialForecast, TrialForecastDocument


class PlayedLess(Document):
    conversations: Count
    calls: Count
    cost_usd: float | None


class OptimizationForecastDocument(Document, component="OptimizationForecast"):
    sentence: str
    drafts: Count
    trials: Count
    conversations: Count
    calls: Count
    minutes: Annotated[float | None, described("null: none was played with these models yet.")]
    cost_usd: float | None
    limit_usd: float | None
    with_early_stops: Annotated[PlayedLess, described("Where every draft is stopped for futility as early as may be.")]
    round: Count
    rounds: Count
    warnings: Sequence[str]
    trial: TrialForecastDocument


class OptimizationForecastOnly(Document, component="OptimizationForecastOnly"):
    forecast: OptimizationForecastDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationForecast:
    """`trial` is one draft's trial. `drafts` of them are tried one after the other, `combined` more where winners may
    be put together, against the live prompt, which plays once for all; `searched` is what a mode that searches plays,
    in such trials; `questions` go to the models that analyse and propose."""

    trial: TrialForecast
    drafts: int
    combined: int
    questions: int
    round: int
    rounds: int
    limit_usd: float | None
    hold_out_families: int
    hold_out_needed: int
    searched: int = 0

    @property
    def trials(self) -> int:
        """The highest possible number of trials."""
        return (self.searched or self.drafts) + self.combined

    @property
    def shares(self) -> float:
        """The plays in units of a trial of two sides.

        The live prompt plays once for all drafts of the selection. A search plays it anew for each look at train
        families.
        """
        return float(self.trials) if self.searched else (self.trials + 1) / 2 if self.trials else 0.0

    @property
    def conversations(self) -> int:
        return round(self.trial.conversations * self.shares)

    @property
    def calls(self) -> int:
        return round(self.trial.calls * self.shares) + self.questions

    @property
    def minutes(self) -> float:
        return round(self.trial.minutes * self.shares, 1)

    @property
    def usd(self) -> float | None:
        """The cost of playing and judging; None where no price is known."""
        return None if self.trial.usd is None else round(self.trial.usd * self.shares, 4)

    @property
    def least(self) -> PlayedLess:
        """The least that is played: every draft stops for futility as early as it may.

        Half of its conversations are played then, and the live prompt's whole.
        """
        half = self.trials / 4 + (self.shares - self.trials / 2)
        usd = self.trial.usd
        return PlayedLess(
            conversations=round(self.trial.conversations * half),
            calls=round(self.trial.calls * half) + self.questions,
            cost_usd=None if usd is None else round(usd * half, 4),
        )

    @property
    def warnings(self) -> list[str]:
        """The warnings for the person who starts the optimization."""
        texts = []
        if self.hold_out_needed:
            more = many(self.hold_out_needed, "more family is", "more families are")
            texts.append(
                f"Not proven: no hold-out, {more} needed ({self.hold_out_families} are sealed). Drafts are tried and "
                "shown all the same."
            )
        if self.limit_usd is not None and self.usd is not None and self.usd > self.limit_usd:
            texts.append(
                f"${self.limit_usd:.2f} will not pay for all of it (about ${self.usd:.2f}): what does not fit is left "
                "out, and said."
            )
        return texts

    @property
    def sentence(self) -> str:
        """The forecast in a sentence, for a page and a terminal."""
        cost = "cost unknown" if self.usd is None else f"about ${self.usd:.2f}"
        most = f"{many(self.drafts, 'draft')}{' and their combination' if self.combined else ''}"
        stagger = self.trial.stagger_s
        apart = f"{stagger[0]:g} to {stagger[1]:g} s apart" if stagger[1] else "without a pause"
        took = time_in_words(self.minutes, sample=self.trial.sample)
        return (
            f"At most {many(self.conversations, 'conversation')} ({most}, one after the other, against the live "
            f"prompt), about {self.calls:,} model calls, {cost}, {took} ({apart})."
        )

    def document(self) -> OptimizationForecastDocument:
        """The forecast as the row, the API and the page have it."""
        return OptimizationForecastDocument(
            sentence=self.sentence,
            drafts=self.drafts,
            trials=self.trials,
            conversations=self.conversations,
            calls=self.calls,
            minutes=self.minutes if self.trial.sample else None,
            cost_usd=self.usd,
            limit_usd=self.limit_usd,
            with_early_stops=self.least,
            round=self.round,
            rounds=self.rounds,
            warnings=self.warnings,
            trial=self.trial.document(),
        )

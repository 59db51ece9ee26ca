"""Combine three judges' scores of one criterion (brief 004: multi-judge majority vote for failing scores)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import median
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.catalog.configs.domain.judging_rules import PanelRule
from apps.core.plurals import many
from apps.evaluations.domain.warnings import ResultWarning, WarningCode

PANEL_JUDGES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelResult:
    """Result of a panel of judges for one criterion.

    `score` is the panel's; `passes` of `judges` judges gave the pass mark or more; `spread` is the highest score less
    the lowest. `variance` is that of the judges' scores (n - 1).
    """

    score: float
    judges: int
    passes: int
    spread: float
    variance: float

    @property
    def split(self) -> bool:
        """Tell whether they disagree about pass or fail."""
        return 0 < self.passes < self.judges


def rule(scores: Sequence[float], *, pass_mark: float, by: PanelRule) -> PanelResult | None:
    """The panel's score by `median`, or by `majority`: the median of those who are most, pass or fail.

    None below two scores: one judge is no panel. Two that disagree about pass or fail have no majority: their middle.
    """
    if len(scores) < 2 or by is PanelRule.OFF:
        return None
    mean = fsum(scores) / len(scores)
    passing = [score for score in scores if score >= pass_mark]
    failing = [score for score in scores if score < pass_mark]
    deciding: Sequence[float] = scores
    if by is PanelRule.MAJORITY and len(passing) != len(failing):
        deciding = passing if len(passing) > len(failing) else failing
    return PanelResult(
        score=float(median(deciding)),
        judges=len(scores),
        passes=len(passing),
        spread=max(scores) - min(scores),
        variance=fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelEffect:
    """The effect of a panel on an evaluation.

    It gave `scores` in so many `conversations`, of which `lifted` pass now. It moved the sum of the conversations'
    scores by `points`.
    """

    scores: int
    conversations: int
    lifted: int
    points: float

    def moved(self, conversations: int) -> float:
        """Return by how many points the mean over so many conversations is higher than the judge's own."""
        return self.points / conversations if conversations else 0.0

    def warnings(self, conversations: int) -> list[ResultWarning]:
        """The warnings for a reader of the mean over this many conversations; nothing where the panel gave no score."""
        if not self.scores:
            return []
        moved = self.moved(conversations)
        text = (
            "a panel is asked only where the judge fails a criterion: it can turn a fail into a pass, never a pass "
            f"into a fail. It gave {many(self.scores, 'score')} in {many(self.conversations, 'conversation')}, "
            f"{self.lifted} of them pass now, and the mean is "
            f"{abs(moved):.2f} {'higher' if moved >= 0 else 'lower'} than the judge's own"
        )
        return [ResultWarning(code=WarningCode.PANEL_EFFECT, text=text, count=self.scores)]


def own_score(opinions: Sequence[Mapping[str, Any]], score: float | None) -> float | None:
    """The judge's own score, before any panel: the mean of its answers. `opinions` as stored beside a score."""
    own = [item["score"] for item in opinions if item["purpose"] == Purpose.JUDGE and item["score"] is not None]
    return fsum(own) / len(own) if own else score


def own_scores(opinions: Sequence[Mapping[str, Any]]) -> list[float | None]:
    """The judge's single answers in their order, None where one gave no score; empty where only their mean is known."""
    return [item["score"] for item in opinions if item["purpose"] == Purpose.JUDGE]


def panel_scores(opinions: Sequence[Mapping[str, Any]]) -> list[float]:
    """The scores of all judges of a panel, the judge's own first; empty where no panel sat."""
    judges = [item["score"] for item in opinions if item["purpose"] == Purpose.PANEL and item["score"] is not None]
    own = own_score(opinions, None)
    return [own, *judges] if judges and own is not None else []

"""Show how real conversations score, for the page of production: each rule's trend, and its obstacles."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from apps.core.plurals import many
from apps.dashboard.labelling.queries.anchors import newest_sentence
from apps.dashboard.results.domain.trend import TrendPoint, trend
from apps.dashboard.results.queries.trend import AgentTrend
from apps.production.models import SamplingRule
from apps.production.sampling.domain.production_trend import PointStatus, ProductionPoint
from apps.production.sampling.domain.states import Phase
from apps.production.sampling.queries.budget import SamplingBudget, sampling_budget
from apps.production.sampling.queries.production_trend import DAYS, ProductionTrend, TrendFilter, production_trends
from apps.tenants.domain.workflow_config import WorkflowConfig

FILTERS = {"agent": "Agent", "language": "Language", "prompt_version": "Prompt version"}
_WORDS = {
    PointStatus.OK: "",
    PointStatus.TOO_FEW: "too few",
    PointStatus.NOT_SAMPLED: "not sampled",
    PointStatus.WAITING: "being judged",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterField:
    """A choice of the trend: `current` is "" for all."""

    name: str
    label: str
    options: Sequence[str]
    current: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """A point of the trend as a row, with its state in a word."""

    name: str
    at: datetime
    word: str
    point: ProductionPoint


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScores:
    """One rule: its drawing (None below two points), its stretches newest first, and the newest in a sentence.
    `corrected` says by how much the judge moved where the anchors show it, and is "" elsewhere."""

    rule: str
    config: str
    drawing: AgentTrend | None
    rows: Sequence[PointRow]
    sentence: str
    corrected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionScores:
    """Scores of production. `rules` is empty where nobody made one."""

    rules: Sequence[RuleScores]
    filters: Sequence[FilterField]
    budget: SamplingBudget
    anchors: str
    judged: int
    settled: int


def production_scores(
    settings: WorkflowConfig, *, chosen: Mapping[str, str], mark: float, now: datetime
) -> ProductionScores | None:
    """Return the scores; None where the tenant's phase holds no sampling. Six queries, and two a rule."""
    if settings.phase < Phase.SAMPLING:
        return None
    filters = {name: chosen.get(name, "")[:200] for name in FILTERS}
    trends = production_trends(chosen=TrendFilter(**filters), now=now) if SamplingRule.objects.exists() else []
    points = [point for one in trends for point in one.points]
    return ProductionScores(
        rules=[rule_scores(one, mark) for one in trends],
        filters=[
            FilterField(name=name, label=label, options=_choices(trends, f"{name}s"), current=filters[name])
            for name, label in FILTERS.items()
        ],
        budget=sampling_budget(settings, now=now),
        anchors=newest_sentence(),
        judged=sum(point.scored for point in points),
        settled=sum(point.population for point in points),
    )


def _choices(trends: Sequence[ProductionTrend], name: str) -> list[str]:
    return sorted({choice for production_trend in trends for choice in getattr(production_trend, name)})


def rule_scores(production_trend: ProductionTrend, mark: float) -> RuleScores:
    """One rule's trend as pages show it. No query."""
    rows = [
        PointRow(name=_span(point, production_trend.hours), at=point.at, word=_WORDS[point.status], point=point)
        for point in production_trend.points
    ]
    drawing = trend(_dots(production_trend), mark=mark)
    drawn = sum(point.status is PointStatus.OK for point in production_trend.points)
    noun = "day" if production_trend.hours == 24 else "stretch of six hours"
    agent_trend = (
        AgentTrend(agent=production_trend.rule, drawing=drawing, count=drawn, noun=noun, point="When")
        if drawing
        else None
    )
    return RuleScores(
        rule=production_trend.rule,
        config=production_trend.config,
        drawing=agent_trend,
        rows=rows[::-1],
        sentence=_sentence(rows),
        corrected=_judge_moved(production_trend.points),
    )


def _dots(production_trend: ProductionTrend) -> list[TrendPoint]:
    dots, stretch = list[TrendPoint](), 0
    address = f"{reverse('admin:runs_conversation_changelist')}?kind__exact=production"
    for point in production_trend.points:
        if point.score is None:
            stretch += 1
            continue
        dots.append(
            TrendPoint(
                id=uuid.UUID(int=0),
                name=_span(point, production_trend.hours),
                at=point.at,
                score=point.score,
                interval=point.interval,
                judge=f"{point.config} {point.fingerprint}",
                config=point.config,
                address=address,
                stretch=stretch,
            )
        )
    return dots


def _span(point: ProductionPoint, hours: int) -> str:
    return f"{point.at:%-d %b}" if hours == 24 else f"{point.at:%-d %b, %H}–{point.until:%H} h"


def _judge_moved(points: Sequence[ProductionPoint]) -> str:
    moved = [point.corrected.shift for point in points if point.corrected]
    return f"the anchors show that the judge moved by {moved[-1]:+.1f} points" if moved else ""


def _sentence(rows: Sequence[PointRow]) -> str:
    """The newest stretch, or why it has no mean: never an older mean in its place."""
    if not rows:
        return f"No window has been drawn within {DAYS} days: each is drawn ten minutes after its six hours."
    newest = rows[-1]
    point = newest.point
    if point.score is not None and point.half_width is not None:
        return (
            f"{newest.name}: {point.score:.1f} ± {point.half_width:.1f} on {many(point.scored, 'judged conversation')} "
            f"of {point.population:,}."
        )
    if point.status is PointStatus.TOO_FEW:
        return f"{newest.name}: too few, {many(point.scored, 'judged conversation')} of {point.population:,}."
    return f"{newest.name}: {newest.word}. {point.note}".strip()

"""Show how real conversations score over time, by rule: those sampled by chance, and no others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from apps.evaluations.domain.states import JudgementStatus
from apps.production.sampling.domain.production_trend import (
    DrawnWindow,
    ProductionPoint,
    SampledScore,
    hours_of_a_point,
    production_points,
)
from apps.production.sampling.domain.trend_correction import with_corrections
from apps.production.sampling.models import SampleDraw, SamplingRule
from apps.production.sampling.queries.anchor_grades import judge_moves
from apps.production.sampling.queries.config_names import name_pattern

DAYS = 28

# A fallback's scores are no point of a trend; a criterion's name picks its scores instead of the weighted ones.
_SCORES = """
SELECT d.starts, s.stratum, j.status,
  CASE WHEN j.by_fallback THEN NULL WHEN %(criterion)s = '' THEN j.weighted_score ELSE k.score END,
  j.fingerprint, e.config_ref
FROM production_sampledconversation s JOIN production_sampledraw d ON d.id = s.draw_id
JOIN runs_conversation c ON c.id = s.conversation_id JOIN runs_testrun r ON r.id = c.run_id
LEFT JOIN catalog_agent a ON a.id = r.agent_id
JOIN production_productionconversation p ON p.conversation_id = c.id
JOIN evaluations_evaluation e ON e.id = s.evaluation_id
LEFT JOIN evaluations_judgement j ON j.evaluation_id = s.evaluation_id AND j.conversation_id = s.conversation_id
LEFT JOIN evaluations_criterionscore k ON k.judgement_id = j.id AND k.criterion = %(criterion)s
WHERE d.rule_id = %(rule)s AND d.starts >= %(since)s AND s.basis IN ('share', 'floor')
  AND (%(agent)s = '' OR a.name = %(agent)s) AND (%(prompt)s = '' OR p.prompt_version = %(prompt)s)
  AND (%(language)s = '' OR split_part(lower(c.language), '-', 1) = %(language)s)
ORDER BY d.starts, j.judged_at, s.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendFilter:
    """The filter of a trend; "" is everything. `criterion` "" is the weighted score."""

    agent: str = ""
    config: str = ""
    criterion: str = ""
    language: str = ""
    prompt_version: str = ""

    @classmethod
    def among(cls, asked: Mapping[str, str]) -> "TrendFilter":
        """Take from a reader's filter the fields by which real conversations can be chosen."""
        return cls(**{field.name: asked[field.name] for field in fields(cls)})

    def holds(self, group: dict[str, Any]) -> bool:
        return (
            self.agent in ("", group["agent"])
            and self.language in ("", group["language"])
            and self.prompt_version in ("", group["prompt_version"])
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionTrend:
    """One rule's. `settled` and `drawn` are of all its windows within DAYS, whatever the filter."""

    rule: str
    config: str
    hours: int
    points: Sequence[ProductionPoint]
    agents: Sequence[str]
    languages: Sequence[str]
    prompt_versions: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        points = [point.as_json() for point in self.points]
        judges = [(point.at, point.fingerprint) for point in self.points if point.fingerprint]
        breaks = [at.isoformat() for (at, own), (_, before) in zip(judges[1:], judges, strict=False) if own != before]
        return {
            "name": self.rule,
            "kind": "production",
            "evaluator_config": self.config,
            "hours": self.hours,
            "points": points,
            "breaks": breaks,
        }


def production_trends(*, chosen: TrendFilter, now: datetime, days: int = DAYS) -> list[ProductionTrend]:
    """The trend of each rule that looks at what the filter holds: enabled ones first. One query, and three a rule."""
    rules = SamplingRule.objects.order_by("-enabled", "name")
    if chosen.config:
        rules = rules.filter(evaluator_config__regex=name_pattern(chosen.config))
    return [_trend(rule, chosen, now - timedelta(days=days)) for rule in rules[:20]]


def _trend(rule: SamplingRule, chosen: TrendFilter, since: datetime) -> ProductionTrend:
    draws = list(SampleDraw.objects.filter(rule=rule, starts__gte=since).order_by("starts"))
    windows, groups = list[DrawnWindow](), list[dict[str, Any]]()
    for draw in draws:
        population = defaultdict[str, int](int)
        for group in draw.population:
            groups.append(group)
            if chosen.holds(group):
                population[group["stratum"]] += group["n"]
        windows.append(DrawnWindow(starts=draw.starts, status=draw.status, population=population, why=draw.why))
    hours = hours_of_a_point(windows)
    points = production_points(windows, _scores(rule, chosen, since), hours=hours)
    return ProductionTrend(
        rule=rule.name,
        config=rule.evaluator_config,
        hours=hours,
        points=with_corrections(points, judge_moves(rule.evaluator_config, chosen.criterion)),
        agents=_distinct(groups, "agent"),
        languages=_distinct(groups, "language"),
        prompt_versions=_distinct(groups, "prompt_version"),
    )


def _scores(rule: SamplingRule, chosen: TrendFilter, since: datetime) -> list[SampledScore]:
    parameters: dict[str, Any] = {
        "rule": rule.pk,
        "since": since,
        "criterion": chosen.criterion,
        "agent": chosen.agent,
        "prompt": chosen.prompt_version,
        "language": chosen.language.casefold(),
    }
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, parameters)
        rows = cursor.fetchall()
    return [
        SampledScore(
            window=starts,
            stratum=stratum,
            score=score,
            pending=status == JudgementStatus.PENDING,
            fingerprint=fingerprint or "",
            config=config,
        )
        for starts, stratum, status, score, fingerprint, config in rows
    ]


def _distinct(groups: Sequence[dict[str, Any]], key: str) -> list[str]:
    return sorted({group[key] for group in groups if group[key]})

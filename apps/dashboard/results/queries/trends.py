"""The page of trends: every agent, config, criterion and language over time, and how far the judges agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core.plurals import many
from apps.dashboard.results.domain.trend import TrendPoint, trend
from apps.dashboard.results.queries.production_scores import FilterField, RuleScores, rule_scores
from apps.dashboard.results.queries.trend import AgentTrend
from apps.production.sampling.domain.states import Phase
from apps.production.sampling.queries.production_trend import TrendFilter, production_trends
from apps.reports.slices.queries.trends import EvaluationTrendFilter, agreement_of_judges, trends_of_tests, triggers
from apps.runs.domain.kind_traits import TREND, sql_list
from apps.runs.domain.states import Kind
from apps.tenants.domain.workflow_config import WorkflowConfig

LABELS = {
    "agent": "Agent",
    "config": "Judged with",
    "criterion": "Criterion",
    "language": "Language",
    "prompt_version": "Prompt version",
    "kind": "Kind",
    "triggered_by": "Asked for by",
}
MARK = 6.0  # where no config says one
_PADDING = 0.05  # of the agreement's drawing

# What there is to choose from: of the newest evaluations, as the trend itself looks at no more.
_OPTIONS = f"""
WITH newest AS (
  SELECT e.subject, e.config_ref, e.snapshot, e.triggered_by, e.run_id, a.name FROM evaluations_evaluation e
  JOIN runs_testrun r ON r.id = e.run_id LEFT JOIN catalog_agent a ON a.id = r.agent_id
  WHERE e.status = 'completed' AND r.kind IN {sql_list((*TREND, Kind.PRODUCTION))} ORDER BY e.created_at DESC LIMIT 200
)
SELECT 'agent', coalesce(nullif(subject->>'agent', ''), name, '') FROM newest
UNION SELECT 'config', split_part(config_ref, '@', 1) FROM newest UNION SELECT 'config', config_ref FROM newest
UNION SELECT 'criterion', c->>'name' FROM newest, jsonb_array_elements(snapshot->'criteria') c
UNION SELECT 'language', split_part(lower(c.language), '-', 1) FROM newest n JOIN runs_conversation c
  ON c.run_id = n.run_id
UNION SELECT 'prompt_version', coalesce(subject->>'prompt_version', '') FROM newest
UNION SELECT 'triggered_by', triggered_by FROM newest
ORDER BY 1, 2
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementLine:
    """Agreement of two judges over time: the drawing (None below two points) and figures, newest first."""

    drawing: AgentTrend | None
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendsPage:
    """Facts for the page of trends.

    `single` are the kinds of run with one evaluation, which is no trend; `people` and `programs` count evaluations by
    who asked for them.
    """

    headline: str
    filters: Sequence[FilterField]
    chosen: bool
    drawings: Sequence[AgentTrend]
    single: Sequence[str]
    rules: Sequence[RuleScores]
    agreement: AgreementLine
    triggers: Sequence[Mapping[str, Any]]
    people: int
    programs: int


def trends_page(asked: Mapping[str, str], *, settings: WorkflowConfig, now: datetime) -> TrendsPage:
    """Six queries, and three for each sampling rule. Raises BadInput for a kind that has no trend."""
    given = {name: asked.get(name, "").strip()[:200] for name in LABELS}
    chosen = EvaluationTrendFilter(**given)
    series = [] if chosen.kind == Kind.PRODUCTION else trends_of_tests(chosen)
    drawings = [drawing for one in series if (drawing := _drawing(one))]
    asked_by = triggers(chosen)
    people = sum(one["evaluations"] for one in asked_by if one["by_person"])
    return TrendsPage(
        headline=_headline(series),
        filters=_filters(given),
        chosen=any(given.values()),
        drawings=drawings,
        single=[str(one["name"]) for one in series if len(one["points"]) < 2],
        rules=_rules(chosen, given, settings, now),
        agreement=_agreement(chosen, settings),
        triggers=asked_by,
        people=people,
        programs=sum(one["evaluations"] for one in asked_by) - people,
    )


def _drawing(series: Mapping[str, Any]) -> AgentTrend | None:
    points = [_point(point, score=point["score"], kind=series["kind"]) for point in series["points"]]
    marks = [point["pass_mark"] for point in series["points"] if point["pass_mark"] is not None]
    drawing = trend(points, mark=marks[-1] if marks else MARK)
    return AgentTrend(agent=str(series["name"]).capitalize(), drawing=drawing, count=len(points)) if drawing else None


def _point(one: Mapping[str, Any], *, score: float, kind: str) -> TrendPoint:
    return TrendPoint(
        id=UUID(one["evaluation_id"]),
        name=one["name"] or "a run",
        at=datetime.fromisoformat(one["at"]),
        score=score,
        interval=tuple(one["interval"]) if one["interval"] else None,
        judge=f"{one['evaluator_config']} {one['fingerprint']}",
        config=one["evaluator_config"],
        kind=kind,
    )


def _rules(
    chosen: EvaluationTrendFilter, given: Mapping[str, str], settings: WorkflowConfig, now: datetime
) -> list[RuleScores]:
    of_tests = chosen.triggered_by or (chosen.kind and chosen.kind != Kind.PRODUCTION)
    if settings.phase < Phase.SAMPLING or of_tests:
        return []
    trends = production_trends(chosen=TrendFilter.among(given), now=now)
    return [rule_scores(production_trend, settings.pass_mark) for production_trend in trends]


def _agreement(chosen: EvaluationTrendFilter, settings: WorkflowConfig) -> AgreementLine:
    rows = agreement_of_judges(chosen)
    points = [_point(row, score=row["ac1"], kind=row["kind"]) for row in rows if row["ac1"] is not None]
    drawing = trend(points, mark=settings.kappa_target, bounds=(-1.0, 1.0), padding=_PADDING)
    title = "Agreement of judge and second judge"
    agent_trend = AgentTrend(agent=title, drawing=drawing, count=len(points), figures=False) if drawing else None
    return AgreementLine(
        drawing=agent_trend, rows=[{**row, "when": datetime.fromisoformat(row["at"])} for row in rows[::-1]]
    )


def _filters(given: Mapping[str, str]) -> list[FilterField]:
    with connection.cursor() as cursor:
        cursor.execute(_OPTIONS)
        values = [(name, value) for name, value in cursor.fetchall() if value]
    options = {name: [value for of, value in values if of == name] for name in LABELS}
    options["kind"] = [kind.value for kind in (*TREND, Kind.PRODUCTION)]
    return [
        FilterField(
            name=name,
            label=label,
            current=given[name],
            options=options[name] if given[name] in ("", *options[name]) else [given[name], *options[name]],
        )
        for name, label in LABELS.items()
    ]


def _headline(series: Sequence[Mapping[str, Any]]) -> str:
    """The newest score of the kind that was judged last, against the one before by the same judge."""
    if not series:
        return "Nothing has been judged that fits."
    newest = max(series, key=lambda one: one["points"][-1]["at"])
    *before, last = newest["points"]
    name = f"{str(newest['name']).capitalize()}: {last['score']:.1f}"
    if not before:
        return f"{name}, the first evaluation of this kind."
    if before[-1]["fingerprint"] != last["fingerprint"]:
        return f"{name}, by another judge than the {many(len(before), 'evaluation')} before: not comparable."
    step = last["score"] - before[-1]["score"]
    both = last["interval"], before[-1]["interval"]
    if all(both) and (both[0][0] > both[1][1] or both[0][1] < both[1][0]):
        return f"{name}, {abs(step):.1f} {'higher' if step > 0 else 'lower'} than the evaluation before."
    return f"{name}; the evaluation before had {before[-1]['score']:.1f}, which is within chance."

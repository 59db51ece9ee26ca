"""What the evaluation page shows, read in a constant number of queries."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import F, Prefetch

from apps.dashboard.domain.figures import share_interval
from apps.dashboard.domain.looks import Look, score_look
from apps.dashboard.domain.sentences import Headline, evaluation_headline
from apps.evaluations.domain.states import EVALUATION_ACTIVE, JudgementStatus
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.queries.kept import kept
from apps.evaluations.queries.results import CriterionResult, criterion_results, evaluation_summary
from apps.runs.models import Conversation

PER_PAGE = 25
BARS = 11  # one for each whole score, 0 to 10

_COUNTED = """
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id {more}
WHERE j.evaluation_id = %s AND (%s OR NOT j.by_fallback)
"""
_HISTOGRAM = (
    "SELECT s.criterion, width_bucket(s.score, -0.5, 10.5, 11) - 1, count(*)"
    + _COUNTED.format(more="")
    + " AND s.status = 'scored' AND s.scale = '0-10' GROUP BY 1, 2"
)
_EVIDENCE = (
    "SELECT s.criterion, e->>'kind', count(*)"
    + _COUNTED.format(more="CROSS JOIN LATERAL jsonb_array_elements(s.evidence) e")
    + " GROUP BY 1, 2"
)


class KnownCount(Paginator):  # type: ignore[type-arg]  # not subscriptable at run time
    """Pages of rows whose number was counted already."""

    known = 0

    @property
    def count(self) -> int:
        return self.known


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a histogram, in the units of its 88 × 22 drawing."""

    x: int
    y: float
    height: float
    passes: bool
    count: int
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    result: CriterionResult
    look: Look
    bars: Sequence[Bar]
    evidence: Mapping[str, int]
    shares: Sequence[tuple[str, float, float]]  # kind, where it starts, how wide, of 100


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementRow:
    judgement: Judgement
    persona: str
    look: Look
    worst: CriterionScore | None
    quote: str
    turn: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPage:
    evaluation: Evaluation
    summary: Mapping[str, Any]
    headline: Headline
    live: bool
    in_mean: int
    mark: float
    score_look: Look
    pass_interval: tuple[float, float] | None
    criteria: Sequence[CriterionRow]
    rows: Sequence[JudgementRow]
    page: Page[Judgement]
    with_personas: bool
    state: str
    worst: JudgementRow | None


def evaluation_page(evaluation_id: uuid.UUID, *, state: str, number: str) -> EvaluationPage:
    """All of the page. At most 14 queries whatever the size; sums are read again only when more is scored.

    Raises NotFound.
    """
    summary = evaluation_summary(evaluation_id)
    evaluation = Evaluation.objects.select_related("run__agent").get(pk=evaluation_id)
    with_fallback = bool(evaluation.snapshot["parameters"].get("allow_fallback_in_mean"))
    counts = summary["counts"]
    criteria, in_mean = kept(
        "page", evaluation.pk, counts["scored"],
        lambda: (_criteria(evaluation.pk, with_fallback), _in_mean(evaluation.pk, with_fallback)),
    )  # fmt: skip
    marks = [(one.result.pass_mark, one.result.weight) for one in criteria if one.result.scored]
    weight = sum(weight for _, weight in marks)
    mark = sum(mark * weight for mark, weight in marks) / weight if weight else 6.0
    paginator = KnownCount(_worst_first(evaluation.pk, state), PER_PAGE)
    paginator.known = counts.get(state, sum(counts.values()))
    page = paginator.get_page(number)
    rows = _rows(list(page.object_list), mark)
    failing = [one.result for one in criteria if one.look.value == "below"]
    return EvaluationPage(
        evaluation=evaluation,
        summary=summary,
        headline=evaluation_headline(
            subject=subject_of(evaluation.run),
            status=evaluation.status,
            score=summary["weighted_score"],
            interval=summary["interval"],
            in_mean=in_mean,
            counts=summary["counts"],
            failing=(failing[0].criterion, failing[0].mean or 0.0, failing[0].pass_mark) if failing else None,
            mark=mark,
        ),
        live=evaluation.status in EVALUATION_ACTIVE,
        in_mean=in_mean,
        mark=mark,
        score_look=score_look(summary["weighted_score"], mark, summary["interval"]),
        pass_interval=share_interval(summary["pass_rate"], in_mean) if in_mean else None,
        criteria=criteria,
        rows=rows,
        page=page,
        with_personas=any(row.persona for row in rows),
        state=state,
        worst=rows[0] if rows and page.number == 1 and rows[0].judgement.weighted_score is not None else None,
    )


def subject_of(run: Any) -> str:
    """Who is judged, as a sentence begins: the agent by its name as planned, else the run by its own."""
    name = (run.plan.get("agent") or {}).get("name") or (run.agent.name if run.agent_id else "")
    if name:
        return f"The {name} agent" if "agent" not in name.lower() else f"The {name}"
    return f"“{run.name}”" if run.name else "The agent"


def _criteria(evaluation_id: uuid.UUID, with_fallback: bool) -> list[CriterionRow]:
    """Worst first: by how far the mean is above its own mark; those without any score last."""
    histogram: dict[str, dict[int, int]] = defaultdict(dict)
    evidence: dict[str, dict[str, int]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(_HISTOGRAM, [evaluation_id, with_fallback])
        for criterion, bucket, count in cursor.fetchall():
            histogram[criterion][bucket] = count
        cursor.execute(_EVIDENCE, [evaluation_id, with_fallback])
        for criterion, kind, count in cursor.fetchall():
            evidence[criterion][kind] = count
    rows = [
        CriterionRow(
            result=one,
            look=score_look(one.mean, one.pass_mark, one.interval),
            bars=_bars(histogram[one.criterion], one.pass_mark),
            evidence=evidence[one.criterion],
            shares=_shares(evidence[one.criterion]),
        )
        for one in criterion_results(evaluation_id)
    ]
    return sorted(rows, key=lambda row: (row.result.mean is None, (row.result.mean or 0) - row.result.pass_mark))


def _bars(counts: Mapping[int, int], mark: float) -> list[Bar]:
    top = max(counts.values(), default=0)
    bars = []
    for score in range(BARS):
        count = counts.get(score, 0)
        height = max(1.0, 22 * count / top) if top else 1.0
        bars.append(Bar(x=score * 8, y=22 - height, height=height, passes=score >= mark, count=count, score=score))
    return bars


def _shares(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    total = sum(counts.values())
    found, at = [], 0.0
    for kind in ("exact", "pattern", "unverified"):
        wide = 100 * counts.get(kind, 0) / total if total else 0.0
        if wide:
            found.append((kind, at, wide))
        at += wide
    return found


def _in_mean(evaluation_id: uuid.UUID, with_fallback: bool) -> int:
    rows = Judgement.objects.filter(
        evaluation_id=evaluation_id, status=JudgementStatus.SCORED, weighted_score__isnull=False
    )
    return (rows if with_fallback else rows.filter(by_fallback=False)).count()


def _worst_first(evaluation_id: uuid.UUID, state: str) -> Any:
    rows = Judgement.objects.filter(evaluation_id=evaluation_id)
    if state in set(JudgementStatus):
        rows = rows.filter(status=state)
    return (
        rows.defer("raw_reply")
        .prefetch_related("scores", Prefetch("conversation", Conversation.objects.defer("session", "extra", "labels")))
        .order_by(F("weighted_score").asc(nulls_last=True), "id")
    )


def _rows(judgements: Sequence[Judgement], mark: float) -> list[JudgementRow]:
    rows = []
    for judgement in judgements:
        scored = [one for one in judgement.scores.all() if one.score is not None]
        worst = min(
            scored, key=lambda one: ((one.score or 0.0) - one.pass_mark, -one.weight, one.position), default=None
        )
        evidence = worst.evidence[0] if worst is not None and worst.evidence else {}
        rows.append(
            JudgementRow(
                judgement=judgement,
                persona=persona_of(judgement.conversation.spec),
                look=score_look(judgement.weighted_score, mark),
                worst=worst,
                quote=str(evidence.get("quote") or ""),
                turn=evidence.get("turn"),
            )
        )
    return rows


def persona_of(spec: Mapping[str, Any]) -> str:
    """How a list names the persona: its name where the plan has one, else the first words of its text."""
    name = spec.get("persona_name")
    return str(name) if name else str(spec.get("persona") or "").split(".")[0].split("\n")[0][:60]

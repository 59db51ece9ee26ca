"""The content of the run page, read in a constant number of queries."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q

from apps.budgets.queries import Spent, spent_on_run
from apps.dashboard.conversations.domain.personas import persona_of
from apps.dashboard.conversations.queries.checks import ChecksPanel, checks_panel
from apps.dashboard.conversations.queries.held_expectations import HeldExpectation, expectations_in
from apps.dashboard.conversations.queries.verdicts import conversation_looks
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import LOOKS, look
from apps.dashboard.domain.sentences import Headline, cancelling, next_step, run_headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.domain.agent_standing import share_words
from apps.dashboard.results.domain.list_verdicts import standing_look
from apps.dashboard.results.queries.replay_summary import replay_summary
from apps.dashboard.results.queries.run_verdicts import RunEvaluations, run_evaluations
from apps.dashboard.results.queries.scores import Tally
from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.models import Evaluation
from apps.evaluations.progress.queries.status import run_status
from apps.runs.agents.domain.staging import at_staging
from apps.runs.domain.states import RUN_ACTIVE, RUN_TERMINAL, ConversationStatus, Kind, RunStatus
from apps.runs.goldens.domain.stuck_gates import DESYNC
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.queries.progress import find_run
from apps.runs.playing.queries.simulator_counts import simulator_counts

CELLS = 600  # more squares than that say nothing to an eye; the bar above them stays exact
ROWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    id: uuid.UUID
    name: str
    look: Badge


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """One state's part of the bar, of 100."""

    look: Badge
    count: int
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationLine:
    """One evaluation of the run: `verdict` and `share` once it is completed."""

    row: Evaluation
    tally: Tally | None
    verdict: Badge | None
    share: str
    split: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    run: TestRun
    headline: Headline
    live: bool
    done: float
    waiting_for: str
    stretches: Sequence[Stretch]
    cells: Sequence[Cell]
    total: int
    running: Sequence[Any]
    failed: Sequence[Any]
    evaluations: Sequence[EvaluationLine]
    drawn_by: EvaluationLine | None
    spent: Spent
    seconds: float | None
    may: Mapping[str, bool]
    checks: ChecksPanel
    next_step: str
    cancelling: str
    simulator: Mapping[str, Any] | None
    must_not: Sequence[HeldExpectation]  # of the evaluation that the squares show
    staging: str  # the version that a staging connection played


def run_page(
    run_id: uuid.UUID, *, now: datetime, asked: Mapping[str, str], titles: Mapping[str, str] = NAMES
) -> RunPage:
    """All of the page; `asked` filters its checks. 32 queries at most, whatever the size. Raises NotFound."""
    run = find_run(run_id)
    checks = checks_panel(asked=asked, run_id=run.pk)
    status = run_status(run_id, now=now)
    counts: dict[str, int] = status["conversations"]
    total = sum(counts.values())
    seconds = ((run.ended_at or now) - run.started_at).total_seconds() if run.started_at else None
    judged = run_evaluations(run.pk, titles=titles)
    evaluations = judged.rows
    lines = evaluation_lines(judged)
    drawn_by, stuck = judged.newest_scored, _stuck(run, counts)
    return RunPage(
        run=run,
        headline=_headline(run, counts, seconds, judged.verdicts.phrases, stuck=stuck),
        live=run.status not in RUN_TERMINAL
        or any(evaluation.status in EVALUATION_ACTIVE for evaluation in evaluations)
        or checks.pending > 0,
        done=status["progress"],
        waiting_for=status["waiting_for"],
        stretches=_stretches(counts, total),
        cells=_cells(run, drawn_by, judged.tallies, titles),
        total=total,
        running=_some(run, "running") if counts["running"] else (),
        failed=_some(run, "failed", "timeout") if counts["failed"] + counts["timeout"] else (),
        evaluations=lines,
        drawn_by=next((line for line in lines if line.row is drawn_by), None),
        spent=spent_on_run(run.pk),
        seconds=seconds,
        may=_steps(run),
        checks=checks,
        next_step=next_step(counts, judged=bool(evaluations), terminal=run.status in RUN_TERMINAL, stuck=stuck),
        cancelling=cancelling(counts),
        simulator=simulator_counts(run.pk),
        must_not=expectations_in(drawn_by.pk, titles) if drawn_by else (),
        staging=_staging(run),
    )


def _staging(run: TestRun) -> str:
    """ "" for a run that was played where customers are served."""
    return str(run.plan.get("prompt_version") or "unknown") if at_staging(run.plan.get("agent") or {}) else ""


def _stuck(run: TestRun, counts: Mapping[str, int]) -> int:
    """Count the replays that stopped where only the words differ (`is_stuck`).

    One query where a replay failed, else none.
    """
    if run.kind != Kind.REPLAY or not counts["failed"]:
        return 0
    return Conversation.objects.filter(run=run, status=ConversationStatus.FAILED, error_code=DESYNC, blame=None).count()


def _headline(
    run: TestRun, counts: Mapping[str, int], seconds: float | None, judged: Sequence[str], *, stuck: int
) -> Headline:
    ended = sum(counts.values()) - counts["pending"] - counts["running"]
    return run_headline(
        replayed=replay_summary(run),
        kind=run.kind,
        status=run.status,
        counts=counts,
        seconds=seconds,
        done_per_second=ended / seconds if seconds and run.status in RUN_ACTIVE else 0.0,
        judged=judged,
        stuck=stuck,
    )


def _steps(run: TestRun) -> dict[str, bool]:
    return {
        "pause": run.status in RUN_ACTIVE,
        "resume": run.status == RunStatus.PAUSED,
        "cancel": run.status not in RUN_TERMINAL,
    }


def _stretches(counts: Mapping[str, int], total: int) -> list[Stretch]:
    stretches, at = [], 0.0
    for state in ("ended", "failed", "timeout", "cancelled", "running", "pending"):
        if counts[state]:
            width = 100 * counts[state] / total
            stretches.append(Stretch(look=LOOKS["conversation"][state], count=counts[state], x=at, width=width))
            at += width
    return stretches


def _cells(
    run: TestRun, judged: Evaluation | None, counts: Mapping[uuid.UUID, Tally], titles: Mapping[str, str]
) -> list[Cell]:
    """A square for each conversation: its own state, and what `judged` decided about it."""
    rows = list(
        Conversation.objects.filter(run=run).order_by("position").values_list("id", "external_id", "status")[:CELLS]
    )
    looks: Mapping[uuid.UUID, Badge] = {}
    if judged is not None:
        states = {pk: status for pk, _, status in rows}
        looks = conversation_looks(judged, states, scored=counts[judged.pk].scored, titles=titles)
    return [Cell(id=pk, name=name, look=looks.get(pk) or look("conversation", status)) for pk, name, status in rows]


def evaluation_lines(judged: RunEvaluations) -> list[EvaluationLine]:
    """Return the evaluations as tables show them. No query."""
    lines = []
    for row in judged.rows:
        standing = judged.verdicts.standings.get(row.pk)
        lines.append(
            EvaluationLine(
                row=row,
                tally=judged.tallies.get(row.pk),
                verdict=standing_look(standing) if standing else None,
                share=share_words(standing.split) if standing else "",
                split=[(name, n) for name, n in standing.split.rows() if n] if standing else (),
            )
        )
    return lines


def _some(run: TestRun, *states: str) -> list[Any]:
    rows = list(
        Conversation.objects.filter(run=run, status__in=states)
        .annotate(turn_count=Count("turns", filter=Q(turns__attempt=F("attempt"))))
        .order_by("position")
        .defer("session", "extra", "labels")[:ROWS]
    )
    for row in rows:
        row.played = persona_of(row.spec)  # type: ignore[attr-defined]
    return rows

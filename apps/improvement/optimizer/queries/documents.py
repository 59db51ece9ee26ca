"""Show optimizations as the API, the command and the pages do.

They show how far one is, the matrix of fix x criterion, and what early stops spared. Conversations of a hold-out are
never named.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from django.db import connection

from apps.core.documents import Count, Document, Id, Moment, StoredAs, members, one_of
from apps.core.errors import NotFound
from apps.core.shapes import described
from apps.core.timestamps import format_if_known, format_timestamp
from apps.improvement.domain.optimization_states import (
    OPTIMIZATION_OPEN,
    DraftPlace,
    LeftOut,
    OptimizationOutcome,
    OptimizationStatus,
)
from apps.improvement.drafts.domain.decision_document import Bounds, GroupMovement, movement
from apps.improvement.drafts.domain.prompt_merge import combine
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.queries.trial_guards import trial_guards
from apps.improvement.drafts.queries.trials import TrialLineDocument, TrialProgress, progress_of_trial, trial_line
from apps.improvement.optimizer.domain.forecast import OptimizationForecastDocument, PlayedLess
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.queries.facts import (
    OptimizationState,
    conflicts_of,
    name_of,
    optimization_state,
    tried_draft,
)
from apps.improvement.optimizer.queries.search_trials import search_trials
from apps.improvement.prompt_templates.domain.texts import TemplatePurpose
from apps.improvement.prompt_templates.queries.versions import template_lines

# What was played and paid of its trials, and what early stops left unplayed.
_SPENT = """
WITH sides AS (
  SELECT s.test_run_id, s.evaluation_id FROM improvement_trialside s
  WHERE s.test_run_id IS NOT NULL AND s.trial_id = ANY(%(trials)s)
), played AS (
  SELECT count(*) AS planned, count(*) FILTER (WHERE c.status <> 'cancelled') AS played,
    count(*) FILTER (WHERE c.status = 'cancelled') AS spared
  FROM runs_conversation c WHERE c.run_id IN (SELECT test_run_id FROM sides)
), paid AS (
  SELECT count(*) AS calls, coalesce(sum(m.cost_usd), 0) AS usd, 
    count(*) FILTER (WHERE m.cost_usd IS NULL AND m.outcome = 'ok') AS unpriced,
    count(*) FILTER (WHERE m.run_id IN (SELECT test_run_id FROM sides)) AS trial_calls,
    coalesce(sum(m.cost_usd) FILTER (WHERE m.run_id IN (SELECT test_run_id FROM sides)), 0) AS trial_usd
  FROM budgets_modelcall m WHERE m.pull_request = %(budget)s AND NOT m.cached AND m.outcome <> 'open'
)
SELECT played.planned, played.played, played.spared, paid.calls, paid.usd, paid.unpriced, paid.trial_calls,
  paid.trial_usd FROM played, paid
"""


class OptimizationLine(Document, component="OptimizationLine"):
    id: Id
    evaluation_id: Id
    name: str
    base: Annotated[str, described("The prompt version that was live when it was asked for.")]
    mode: str
    round: Count
    status: Annotated[str, one_of(OptimizationStatus)]
    outcome: Annotated[
        Annotated[str, one_of(OptimizationOutcome)] | None,
        described("helped: on the selection, which proves nothing; better and not_shown rest on the hold-out."),
    ]
    sentence: str
    requested_by: str
    created_at: Moment
    ended_at: Moment | None


class OptimizationDraftLeftOut(Document):
    code: Annotated[str, one_of(LeftOut)]
    sentence: str


class OptimizationDraftDocument(Document):
    position: Count
    name: str
    place: Annotated[str, one_of(DraftPlace)]
    draft_id: Id | None
    prompt_version: str | None
    status: Annotated[str, one_of(DraftStatus)] | None
    findings: Sequence[Count]
    note: str
    hopes: Mapping[str, Any]
    sections: Sequence[str]
    trial: TrialLineDocument | None
    estimate: Annotated[
        float | None, described("Draft minus live on the selection, in points; too high for the best one.")
    ]
    helped: bool
    best: bool
    left_out: OptimizationDraftLeftOut | None


class OptimizationTemplate(Document):
    purpose: Annotated[str, one_of(TemplatePurpose)]
    language: str
    version: str


class OptimizationSearchStep(Document):
    parent: Annotated[Count, described("The position of the draft it goes on from, 0: the live prompt.")]
    draft: int | None
    families: Sequence[str]
    before: float | None
    after: float | None


class OptimizationSearch(Document):
    train: Sequence[str]
    selection: Sequence[str]
    most_plays: Count
    steps: Sequence[Annotated[Mapping[str, Any], StoredAs(OptimizationSearchStep)]]
    trials: Sequence[Id]
    over: bool


class OptimizationSpent(Document):
    conversations: Count
    calls: Count
    cost_usd: float | None
    stopped_early: Count
    spared: Annotated[
        PlayedLess,
        described("Left unplayed by early stops, at what a played conversation took."),
    ]
    planned_conversations: Count


class OptimizationProgress(Document):
    drafts: Count
    of: Count
    trial: TrialProgress | None


class OptimizationConflictText(Document):
    draft: str
    text: str


class OptimizationConflict(Document):
    section: str
    title: str
    before: str
    texts: Sequence[OptimizationConflictText]


class OptimizationDocument(OptimizationLine, component="Optimization"):
    drafts: Sequence[OptimizationDraftDocument]
    wanted: Count
    templates: Sequence[Annotated[Mapping[str, Any], StoredAs(OptimizationTemplate)]]
    search: OptimizationSearch | None
    evaluator_configs: Sequence[str]
    agent: str
    personas: Sequence[str]
    repeats: Count
    seed: Count
    budget_usd: float | None
    forecast: Annotated[Mapping[str, Any], StoredAs(OptimizationForecastDocument)]
    spent: OptimizationSpent
    analysis_id: Id | None
    proof: TrialLineDocument | None
    progress: OptimizationProgress
    waiting_for: str
    error_message: str
    next: Sequence[Annotated[str, one_of(["cancel", "prove", "combine"])]]
    conflicts: Sequence[OptimizationConflict]


_Moved = Annotated[str, one_of(GroupMovement), described("As the decision says; a sign alone may be chance.")]


class OptimizationMatrixRowOverall(Document):
    difference: float | None
    interval: Bounds | None
    families: Count
    pairs: Count
    moved: _Moved


class OptimizationMatrixRowCriteria(Document):
    name: str
    difference: float | None
    interval: Bounds | None
    p: float | None
    families: Count
    worse: bool
    moved: _Moved


class OptimizationMatrixRow(Document):
    position: Count
    name: str
    place: Annotated[str, one_of(DraftPlace)]
    draft_id: Id | None
    note: str
    left_out: OptimizationDraftLeftOut | None
    trial: Id | None
    stopped_early: bool
    overall: OptimizationMatrixRowOverall | None
    criteria: Sequence[OptimizationMatrixRowCriteria | None]
    measures: Mapping[str, Any]


class OptimizationMatrixDocument(Document, component="OptimizationMatrix"):
    id: Id
    base: str
    sentence: str
    part: str
    note: str
    criteria: Sequence[str]
    rows: Sequence[OptimizationMatrixRow]


def find_optimization(optimization_id: uuid.UUID | str) -> Optimization:
    """The row with its prompt. One query. Raises NotFound."""
    rows = Optimization.objects.select_related("line__live", "base", "analysis", "proof__draft", "evaluation")
    try:
        return rows.get(pk=uuid.UUID(str(optimization_id)))
    except (ValueError, Optimization.DoesNotExist):
        raise NotFound(f"There is no optimization {optimization_id}.") from None


def optimization_line(row: Optimization) -> OptimizationLine:
    """One line of a list. No query where the prompt is loaded."""
    return OptimizationLine(
        id=str(row.pk),
        evaluation_id=str(row.evaluation_id),
        name=row.line.name,
        base=row.base.version,
        mode=row.mode,
        round=row.round,
        status=row.status,
        outcome=row.outcome or None,
        sentence=row.sentence,
        requested_by=row.requested_by,
        created_at=format_timestamp(row.created_at),
        ended_at=format_if_known(row.ended_at),
    )


def optimization_document(row: Optimization) -> OptimizationDocument:
    """Return everything about an optimization, the drafts in the order they are tried.

    Some twelve queries, nine more while a trial goes on.
    """
    state = optimization_state(row)
    best = state.best
    return OptimizationDocument(
        **members(optimization_line(row)),
        drafts=[_draft(one, best) for one in state.rows],
        wanted=row.wanted,
        templates=template_lines(row.templates),
        search=_search(row),
        evaluator_configs=[row.trial_choices["evaluator_config"], *row.further_configs],
        agent=row.trial_choices["agent"],
        personas=row.trial_choices["personas"],
        repeats=row.trial_choices["repeats"],
        seed=row.trial_choices["seed"],
        budget_usd=None if row.budget_usd is None else float(row.budget_usd),
        forecast=row.forecast,
        spent=spent_of(row, state),
        analysis_id=None if row.analysis_id is None else str(row.analysis_id),
        proof=None if row.proof is None else trial_line(row.proof),
        progress=_progress(row, state),
        waiting_for=row.waiting_for,
        error_message=row.error_message,
        next=_next(row, state),
        conflicts=_conflicts(row, state),
    )


def optimization_matrix(row: Optimization) -> OptimizationMatrixDocument:
    """Compare fixes by criterion.

    For each draft that was compared it has draft minus live in points, over the whole and by criterion, as its trial
    decided (means of families, each persona counting once). Beside it stands the cost elsewhere. Four queries, and one
    more a draft.
    """
    state = optimization_state(row)
    rows = [_matrix_row(one) for one in state.rows]
    names = list(dict.fromkeys(cell.name for line in rows for cell in line.criteria if cell))
    return OptimizationMatrixDocument(
        id=str(row.pk),
        base=row.base.version,
        sentence=row.sentence,
        part="selection",
        note="The selection chooses among drafts and proves nothing: its figures are too high.",
        criteria=names,
        rows=[replace(line, criteria=_in_order(line.criteria, names)) for line in rows],
    )


def spent_of(row: Optimization, state: OptimizationState) -> OptimizationSpent:
    """Return the cost of an optimization so far, and the savings of stopping for futility.

    Unplayed conversations count as much as a played one took. One query.
    """
    trials = [*(one.trial_id for one in state.rows if one.trial_id), *map(uuid.UUID, search_trials(row))]
    trials += [row.proof_id] if row.proof_id else []
    stopped = [one.trial_id for one in state.rows if one.trial is not None and one.trial.decision.get("stopped_early")]
    with connection.cursor() as cursor:
        cursor.execute(_SPENT, {"trials": trials, "budget": row.budget_name})
        planned, played, spared, calls, usd, unpriced, trial_calls, trial_usd = cursor.fetchone()
    each = (trial_calls / played, float(trial_usd) / played) if played else (0.0, 0.0)
    return OptimizationSpent(
        conversations=played,
        calls=calls,
        cost_usd=None if unpriced else float(usd),
        stopped_early=len(stopped),
        spared=PlayedLess(
            conversations=spared,
            calls=round(spared * each[0]),
            cost_usd=None if unpriced else round(spared * each[1], 6),
        ),
        planned_conversations=planned,
    )


def _draft(draft: OptimizationDraft, best: OptimizationDraft | None) -> OptimizationDraftDocument:
    tried = tried_draft(draft)
    return OptimizationDraftDocument(
        position=draft.position,
        name=name_of(draft),
        place=draft.place,
        draft_id=None if draft.draft_id is None else str(draft.draft_id),
        prompt_version=draft.draft.version.version if draft.draft_id and draft.draft.version_id else None,
        status=draft.draft.status if draft.draft_id else None,
        findings=draft.findings,
        note=_note(draft),
        hopes=draft.draft.hopes if draft.draft_id else {},
        sections=_sections(draft) if draft.draft_id else [],
        trial=None if draft.trial is None else trial_line(draft.trial),
        estimate=tried.estimate,
        helped=tried.helped,
        best=best is not None and best.pk == draft.pk,
        left_out=_left_out(draft),
    )


def _left_out(draft: OptimizationDraft) -> OptimizationDraftLeftOut | None:
    return OptimizationDraftLeftOut(code=draft.left_out, sentence=draft.left_out_why) if draft.left_out else None


def _note(draft: OptimizationDraft) -> str:
    """The note of a draft: its own finding, whose words another finding's draft may have as well; else the draft's
    note."""
    analysis = draft.optimization.analysis
    if draft.place == DraftPlace.FIX and len(draft.findings) == 1 and analysis is not None:
        findings = analysis.findings
        if draft.findings[0] <= len(findings):
            return str(findings[draft.findings[0] - 1].get("title") or "")
    return str(draft.draft.note) if draft.draft_id else ""


def _search(row: Optimization) -> OptimizationSearch | None:
    """Return how a search went on: each draft beside its parent; None of a mode without a search."""
    if not row.search:
        return None
    names = ("train", "selection", "most_plays", "steps")
    parts = {name: row.search[name] for name in names}
    return OptimizationSearch(**parts, trials=search_trials(row), over=row.searched_at is not None)


def _sections(draft: OptimizationDraft) -> list[str]:
    """Return the titles of the sections that the draft changes."""
    combined = combine(base=draft.draft.base.text, drafts={"draft": draft.draft.text})
    return [change.title for change in combined.changes]


def _matrix_row(draft: OptimizationDraft) -> OptimizationMatrixRow:
    decision: Mapping[str, Any] = draft.trial.decision if draft.trial is not None else {}
    guards = trial_guards(draft.trial_id) if decision and draft.trial_id else {}
    return OptimizationMatrixRow(
        position=draft.position,
        name=name_of(draft),
        place=draft.place,
        draft_id=None if draft.draft_id is None else str(draft.draft_id),
        note=_note(draft),
        left_out=_left_out(draft),
        trial=None if draft.trial_id is None else str(draft.trial_id),
        stopped_early=bool(decision.get("stopped_early")),
        overall=None
        if not decision
        else OptimizationMatrixRowOverall(
            difference=decision["estimate"],
            interval=decision["interval"],
            families=decision["families"],
            pairs=decision["pairs"],
            moved=movement(decision, decision).value,
        ),
        criteria=[_matrix_cell(cell, decision) for cell in decision.get("criteria", ())],
        measures={
            side.value: {
                "cost_usd": guard.usd,
                "latency_ms": guard.latency_ms,
                "reply_chars": guard.chars,
                "failed": guard.failed,
                "conversations": guard.conversations,
            }
            for side, guard in guards.items()
        },
    )


def _matrix_cell(cell: Mapping[str, Any], decision: Mapping[str, Any]) -> OptimizationMatrixRowCriteria:
    return OptimizationMatrixRowCriteria(
        name=cell["name"],
        difference=cell["estimate"],
        interval=cell["interval"],
        p=cell["p"],
        families=cell["families"],
        worse=cell["worse"],
        moved=movement(cell, decision).value,
    )


def _in_order(
    cells: Sequence[OptimizationMatrixRowCriteria | None], names: list[str]
) -> list[OptimizationMatrixRowCriteria | None]:
    by_name = {cell.name: cell for cell in cells if cell}
    return [by_name.get(name) for name in names]


def _progress(row: Optimization, state: OptimizationState) -> OptimizationProgress:
    """Drafts tried of how many, and conversations and judgements of the trial that goes on."""
    ended = sum(
        draft.trial_ended or bool(row.left_out) for draft, row in zip(state.facts.drafts, state.rows, strict=True)
    )
    now = next((row for draft, row in zip(state.facts.drafts, state.rows, strict=True) if draft.trial_open), None)
    trial = row.proof if state.facts.proof_open else now.trial if now is not None else None
    return OptimizationProgress(
        drafts=ended,
        of=max(len(state.rows), int(row.forecast.get("drafts", 0))),
        trial=None if trial is None else progress_of_trial(trial),
    )


def _next(row: Optimization, state: OptimizationState) -> list[str]:
    """The steps that a person may take with the optimization now."""
    if row.status in OPTIMIZATION_OPEN:
        return ["cancel"]
    if row.status != OptimizationStatus.COMPLETED:
        return []
    moves = ["prove"] if state.best is not None and row.proof is None else []
    return moves + (["combine"] if len(state.winners) > 1 and row.combined_at is None else [])


def _conflicts(row: Optimization, state: OptimizationState) -> list[OptimizationConflict]:
    """Sections that several winners change in different ways: a person chooses."""
    if row.combined_at is not None:
        return []
    return [
        OptimizationConflict(
            section=conflict.section,
            title=conflict.title,
            before=conflict.before,
            texts=[OptimizationConflictText(draft=draft, text=text) for draft, text in conflict.texts.items()],
        )
        for conflict in conflicts_of(state.winners)
    ]

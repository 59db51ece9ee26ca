"""Optimizations as the API, the command and the pages show them: how far one is, the matrix of fix x criterion, and
what early stops spared. Conversations of a hold-out are never named."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import connection

from apps.core.errors import NotFound
from apps.core.timestamps import format_if_known
from apps.improvement.domain.optimization_states import OPTIMIZATION_OPEN, DraftPlace, OptimizationStatus
from apps.improvement.drafts.domain.decision_document import movement
from apps.improvement.drafts.domain.prompt_merge import combine
from apps.improvement.drafts.queries.trial_guards import trial_guards
from apps.improvement.drafts.queries.trials import progress_of_trial, trial_line
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.queries.facts import (
    OptimizationState,
    conflicts_of,
    name_of,
    optimization_state,
    tried_draft,
)
from apps.improvement.optimizer.queries.search_trials import search_trials
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


def find_optimization(optimization_id: uuid.UUID | str) -> Optimization:
    """The row with its prompt. One query. Raises NotFound."""
    rows = Optimization.objects.select_related("line__live", "base", "analysis", "proof__draft", "evaluation")
    try:
        return rows.get(pk=uuid.UUID(str(optimization_id)))
    except (ValueError, Optimization.DoesNotExist):
        raise NotFound(f"There is no optimization {optimization_id}.") from None


def optimization_line(row: Optimization) -> dict[str, Any]:
    """One line of a list. No query where the prompt is loaded."""
    return {
        "id": str(row.pk),
        "evaluation_id": str(row.evaluation_id),
        "name": row.line.name,
        "base": row.base.version,
        "mode": row.mode,
        "round": row.round,
        "status": row.status,
        "outcome": row.outcome or None,
        "sentence": row.sentence,
        "requested_by": row.requested_by,
        "created_at": format_if_known(row.created_at),
        "ended_at": format_if_known(row.ended_at),
    }


def optimization_document(row: Optimization) -> dict[str, Any]:
    """Everything about one, the drafts in the order they are tried. Some twelve queries, nine more while a trial goes
    on."""
    state = optimization_state(row)
    best = state.best
    return {
        **optimization_line(row),
        "drafts": [_draft(one, best) for one in state.rows],
        "wanted": row.wanted,
        "templates": template_lines(row.templates),
        "search": _search(row),
        "evaluator_configs": [row.trial_choices["evaluator_config"], *row.further_configs],
        "agent": row.trial_choices["agent"],
        "personas": row.trial_choices["personas"],
        "repeats": row.trial_choices["repeats"],
        "seed": row.trial_choices["seed"],
        "budget_usd": None if row.budget_usd is None else float(row.budget_usd),
        "forecast": row.forecast,
        "spent": spent_of(row, state),
        "analysis_id": None if row.analysis_id is None else str(row.analysis_id),
        "proof": None if row.proof is None else trial_line(row.proof),
        "progress": _progress(row, state),
        "waiting_for": row.waiting_for,
        "error_message": row.error_message,
        "next": _next(row, state),
        "conflicts": _conflicts(row, state),
    }


def optimization_matrix(row: Optimization) -> dict[str, Any]:
    """Fix x criterion: for each draft that was compared, draft minus live in points, over the whole and by criterion,
    as its trial decided (means of families, each persona counting once); beside it what it costs elsewhere. Four
    queries, and one more a draft."""
    state = optimization_state(row)
    rows = [_matrix_row(one) for one in state.rows]
    names = list(dict.fromkeys(criterion["name"] for line in rows for criterion in line["criteria"]))
    return {
        "id": str(row.pk),
        "base": row.base.version,
        "sentence": row.sentence,
        "part": "selection",
        "note": "The selection chooses among drafts and proves nothing: its figures are too high.",
        "criteria": names,
        "rows": [{**line, "criteria": _in_order(line["criteria"], names)} for line in rows],
    }


def spent_of(row: Optimization, state: OptimizationState) -> dict[str, Any]:
    """The cost of an optimization so far, and the savings of stopping for futility: unplayed conversations at what a
    played one took. One query."""
    trials = [*(one.trial_id for one in state.rows if one.trial_id), *map(uuid.UUID, search_trials(row))]
    trials += [row.proof_id] if row.proof_id else []
    stopped = [one.trial_id for one in state.rows if one.trial is not None and one.trial.decision.get("stopped_early")]
    with connection.cursor() as cursor:
        cursor.execute(_SPENT, {"trials": trials, "budget": row.budget_name})
        planned, played, spared, calls, usd, unpriced, trial_calls, trial_usd = cursor.fetchone()
    each = (trial_calls / played, float(trial_usd) / played) if played else (0.0, 0.0)
    return {
        "conversations": played,
        "calls": calls,
        "cost_usd": None if unpriced else float(usd),
        "stopped_early": len(stopped),
        "spared": {
            "conversations": spared,
            "calls": round(spared * each[0]),
            "cost_usd": None if unpriced else round(spared * each[1], 6),
        },
        "planned_conversations": planned,
    }


def _draft(one: OptimizationDraft, best: OptimizationDraft | None) -> dict[str, Any]:
    tried = tried_draft(one)
    return {
        "position": one.position,
        "name": name_of(one),
        "place": one.place,
        "draft_id": None if one.draft_id is None else str(one.draft_id),
        "prompt_version": one.draft.version.version if one.draft_id and one.draft.version_id else None,
        "status": one.draft.status if one.draft_id else None,
        "findings": one.findings,
        "note": _note(one),
        "hopes": one.draft.hopes if one.draft_id else {},
        "sections": _sections(one) if one.draft_id else [],
        "trial": None if one.trial is None else trial_line(one.trial),
        "estimate": tried.estimate,
        "helped": tried.helped,
        "best": best is not None and best.pk == one.pk,
        "left_out": None if not one.left_out else {"code": one.left_out, "sentence": one.left_out_why},
    }


def _note(one: OptimizationDraft) -> str:
    """The note of a draft: its own finding, whose words another finding's draft may have as well; else the draft's
    note."""
    analysis = one.optimization.analysis
    if one.place == DraftPlace.FIX and len(one.findings) == 1 and analysis is not None:
        findings = analysis.findings
        if one.findings[0] <= len(findings):
            return str(findings[one.findings[0] - 1].get("title") or "")
    return str(one.draft.note) if one.draft_id else ""


def _search(row: Optimization) -> dict[str, Any] | None:
    """How a mode that searches went on: each draft beside what it was written from; None of another mode."""
    if not row.search:
        return None
    kept = ("train", "selection", "most_plays", "steps")
    return {
        **{name: row.search[name] for name in kept},
        "trials": search_trials(row),
        "over": row.searched_at is not None,
    }


def _sections(one: OptimizationDraft) -> list[str]:
    """The titles of what it changes."""
    found = combine(base=one.draft.base.text, drafts={"draft": one.draft.text})
    return [change.title for change in found.changes]


def _matrix_row(one: OptimizationDraft) -> dict[str, Any]:
    decision: Mapping[str, Any] = one.trial.decision if one.trial is not None else {}
    guards = trial_guards(one.trial_id) if decision and one.trial_id else {}
    return {
        "position": one.position,
        "name": name_of(one),
        "place": one.place,
        "draft_id": None if one.draft_id is None else str(one.draft_id),
        "note": _note(one),
        "left_out": None if not one.left_out else {"code": one.left_out, "sentence": one.left_out_why},
        "trial": None if one.trial_id is None else str(one.trial_id),
        "stopped_early": bool(decision.get("stopped_early")),
        "overall": None if not decision else {
            "difference": decision["estimate"], "interval": decision["interval"], "families": decision["families"],
            "pairs": decision["pairs"], "moved": movement(decision, decision).value,
        },
        "criteria": [
            {"name": cell["name"], "difference": cell["estimate"], "interval": cell["interval"], "p": cell["p"],
             "families": cell["families"], "worse": cell["worse"], "moved": movement(cell, decision).value}
            for cell in decision.get("criteria", ())
        ],
        "measures": {
            side.value: {"cost_usd": found.usd, "latency_ms": found.latency_ms, "reply_chars": found.chars,
                         "failed": found.failed, "conversations": found.conversations}
            for side, found in guards.items()
        },
    }  # fmt: skip


def _in_order(cells: list[dict[str, Any]], names: list[str]) -> list[dict[str, Any] | None]:
    by_name = {cell["name"]: cell for cell in cells}
    return [by_name.get(name) for name in names]


def _progress(row: Optimization, state: OptimizationState) -> dict[str, Any]:
    """Drafts tried of how many, and conversations and judgements of the trial that goes on."""
    ended = sum(one.trial_ended or bool(row.left_out) for one, row in zip(state.facts.drafts, state.rows, strict=True))
    now = next((row for one, row in zip(state.facts.drafts, state.rows, strict=True) if one.trial_open), None)
    trial = row.proof if state.facts.proof_open else now.trial if now is not None else None
    return {
        "drafts": ended,
        "of": max(len(state.rows), int(row.forecast.get("drafts", 0))),
        "trial": None if trial is None else progress_of_trial(trial),
    }


def _next(row: Optimization, state: OptimizationState) -> list[str]:
    """The steps that a person may take with the optimization now."""
    if row.status in OPTIMIZATION_OPEN:
        return ["cancel"]
    if row.status != OptimizationStatus.COMPLETED:
        return []
    moves = ["prove"] if state.best is not None and row.proof is None else []
    return moves + (["combine"] if len(state.winners) > 1 and row.combined_at is None else [])


def _conflicts(row: Optimization, state: OptimizationState) -> list[dict[str, Any]]:
    """Sections that several winners change in different ways: a person chooses."""
    if row.combined_at is not None:
        return []
    return [
        {
            "section": one.section,
            "title": one.title,
            "before": one.before,
            "texts": [{"draft": draft, "text": text} for draft, text in one.texts.items()],
        }
        for one in conflicts_of(state.winners)
    ]

"""The content of the pages of an optimization: its forecast, the sentence first, and the matrix of fix x criterion."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from apps.catalog.models import Agent, Persona, PromptLine
from apps.core.documents import members
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import dollars, many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.trial_sentences import trial_in_words
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.queries.judging_choices import JudgingChoice, judging_choices
from apps.improvement.analysis.queries.analyses import prompt_of_run
from apps.improvement.domain.optimization_states import OPTIMIZATION_OPEN, OptimizationStatus
from apps.improvement.drafts.queries.hold_out import HoldOutDocument, hold_out_document
from apps.improvement.failure_modes.domain.complaints import HeldComplaint, complaints_sentence
from apps.improvement.failure_modes.queries.complaints import complaints_of
from apps.improvement.models import Optimization
from apps.improvement.optimizer.domain.modes import MODES, OptimizationMode
from apps.improvement.optimizer.queries.documents import (
    OptimizationDocument,
    OptimizationDraftDocument,
    OptimizationMatrixRow,
    OptimizationMatrixRowCriteria,
    OptimizationMatrixRowOverall,
    OptimizationSpent,
    find_optimization,
    optimization_document,
    optimization_matrix,
)
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.jobs.queries.waits_before import waits_before


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovePage:
    """The choices on the page that starts an optimization."""

    evaluation: Evaluation
    prompt: str
    prompts: Sequence[str]
    modes: Sequence[OptimizationMode]
    agents: Sequence[str]
    configs: Sequence[JudgingChoice]
    personas: Sequence[Persona]
    open: Optimization | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixCell:
    """A difference as the page shows it; `shown` says in which direction, as the trial decided."""

    difference: float | None
    interval: Sequence[float | None] | None
    families: int
    shown: Badge | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixLine:
    """One draft: what it changes, and each difference in the order of the criteria, the whole first."""

    draft: OptimizationDraftDocument
    cells: Sequence[FixCell]
    stopped_early: bool
    elsewhere: str
    complaints: str  # which released complaints of this prompt hold with it; "" without any, or before it was tried
    unfixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationPage:
    """The row and what its document says; `waits` is what is done now, in words."""

    row: Optimization
    found: OptimizationDocument
    headline: Headline
    live: bool
    outcome: Badge | None
    criteria: Sequence[str]
    lines: Sequence[FixLine]
    conflicts: Sequence[Mapping[str, Any]]
    hold_out: HoldOutDocument
    spared: str
    queue: str  # what is before it while no worker has taken it up


def improve_page(evaluation_id: uuid.UUID) -> ImprovePage:
    """Return the content of the page that starts an optimization. Some ten queries. Raises NotFound."""
    evaluation = find_evaluation(evaluation_id)
    prompt = prompt_of_run(evaluation.run)
    agent = evaluation.run.agent.name if evaluation.run.agent is not None else ""
    return ImprovePage(
        evaluation=evaluation,
        prompt=prompt,
        prompts=list(PromptLine.objects.order_by("name").values_list("name", flat=True)),
        modes=list(MODES.values()),
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)),
        configs=judging_choices(agent),
        personas=list(Persona.objects.filter(may_play=True).order_by("name").only("id", "name", "language")),
        open=Optimization.objects.filter(line__name=prompt, status__in=OPTIMIZATION_OPEN).first(),
    )


def optimization_page(optimization_id: uuid.UUID, *, titles: Titles = NAMES) -> OptimizationPage:
    """Return the content of an optimization's page. Some forty-five queries, one more a draft. Raises NotFound."""
    row = find_optimization(optimization_id)
    document, matrix = optimization_document(row), optimization_matrix(row)
    names = matrix.criteria
    complaints = complaints_of({draft.prompt_version or "" for draft in document.drafts if draft.trial is not None})
    labels = {draft.draft_id: draft.name for draft in document.drafts}
    return OptimizationPage(
        row=row,
        found=document,
        headline=_beside_complaints(_headline(row, document, titles), document, complaints),
        live=row.status in OPTIMIZATION_OPEN,
        outcome=look("optimized", row.outcome) if row.outcome else None,
        criteria=[titles.get(name, name) for name in names],
        lines=[_line(draft, of, complaints) for draft, of in zip(document.drafts, matrix.rows, strict=True)],
        conflicts=[
            {
                **members(conflict),
                "texts": [{**members(text), "label": labels.get(text.draft, text.draft)} for text in conflict.texts],
            }
            for conflict in document.conflicts
        ],
        hold_out=hold_out_document(),
        spared=_spared(document.spent),
        queue=waits_before(row.created_at, now=timezone.now()) if row.waiting_for == FOR_A_WORKER else "",
    )


def _headline(row: Optimization, document: OptimizationDocument, titles: Titles) -> Headline:
    if row.status == OptimizationStatus.FAILED:
        return Headline(text="", but=f"It could not go on. {row.error_message}")
    if row.status == OptimizationStatus.CANCELLED:
        return Headline(text=row.sentence, note="No draft is lost: each has its page.")
    if row.status == OptimizationStatus.COMPLETED:
        proof = trial_in_words(row.proof.decision, row.proof.part, titles) if row.proof_id else ""
        return Headline(text=proof or row.sentence, note=row.sentence if proof else "")
    progress = document.progress
    tried = f"{progress.drafts} of {many(progress.of, 'draft')} tried" if progress.of else "it begins"
    note = f"It waits for {row.waiting_for}." if row.waiting_for else ""
    return Headline(text=f"{row.line.name} is being improved: {tried}.", note=note)


def _beside_complaints(
    headline: Headline, document: OptimizationDocument, complaints: Mapping[str, Sequence[HeldComplaint]]
) -> Headline:
    """Add to the headline the complaints that the best draft leaves unfixed."""
    best = next((draft.prompt_version for draft in document.drafts if draft.best), "")
    of_best = complaints.get(best or "", ())
    if not any(one.unfixed for one in of_best):
        return headline
    return replace(headline, note=f"With the best: {complaints_sentence(of_best)} {headline.note}".strip())


def _line(
    draft: OptimizationDraftDocument, of: OptimizationMatrixRow, complaints: Mapping[str, Sequence[HeldComplaint]]
) -> FixLine:
    whole = of.overall
    cells = [_cell(one) for one in (whole, *of.criteria)] if whole else []
    mine = complaints.get(draft.prompt_version or "", ())
    return FixLine(
        draft=draft,
        cells=cells,
        stopped_early=of.stopped_early,
        elsewhere=_elsewhere(of.measures),
        complaints=complaints_sentence(mine),
        unfixed=any(one.unfixed for one in mine),
    )


def _cell(of: OptimizationMatrixRowOverall | OptimizationMatrixRowCriteria | None) -> FixCell:
    if of is None:
        return FixCell(difference=None, interval=None, families=0, shown=None)
    return FixCell(
        difference=of.difference,
        interval=of.interval,
        families=of.families,
        shown=look("group_moved", of.moved) if of.difference is not None else None,
    )


def _elsewhere(measures: Mapping[str, Any]) -> str:
    """The changes of a draft beside its scores (cost, time, length, failures) in a few words; "" where nothing was
    measured."""
    live, draft = measures.get("live"), measures.get("draft")
    if not live or not draft:
        return ""
    parts = []
    if live["cost_usd"] is not None and draft["cost_usd"] is not None:
        parts.append(f"{dollars(live['cost_usd'])} → {dollars(draft['cost_usd'])} a conversation")
    if live["latency_ms"] is not None and draft["latency_ms"] is not None:
        parts.append(f"{live['latency_ms'] / 1000:.1f} → {draft['latency_ms'] / 1000:.1f} s a reply")
    if live["reply_chars"] is not None and draft["reply_chars"] is not None:
        parts.append(f"{live['reply_chars']:.0f} → {draft['reply_chars']:.0f} characters a reply")
    if draft["failed"] or live["failed"]:
        parts.append(f"{live['failed']} → {draft['failed']} failed")
    return ", ".join(parts)


def _spared(spent: OptimizationSpent) -> str:
    if not spent.stopped_early:
        return "No trial was stopped early."
    saved = spent.spared
    cost = "" if saved.cost_usd is None else f", about {dollars(saved.cost_usd)}"
    return (
        f"{many(spent.stopped_early, 'trial')} stopped early: {many(saved.conversations, 'conversation')} not "
        f"played, about {saved.calls:,} model calls{cost}."
    )

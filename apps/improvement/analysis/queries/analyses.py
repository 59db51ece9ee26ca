"""Reading analyses."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from apps.catalog.models import PromptLine
from apps.core.documents import Count, Document, Id, Moment, StoredAs, as_json, one_of
from apps.core.shapes import described
from apps.evaluations.domain.evidence import EvidenceKind
from apps.evaluations.domain.states import EVALUATION_TERMINAL, AnalysisStatus, EvaluationStatus
from apps.evaluations.domain.warnings import WarningCodes
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import Evaluation
from apps.improvement.analysis.models import Analysis
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.runs.models import TestRun

MAX_LINES = 500


class FindingEvidence(Document):
    conversation: str
    quote: str
    turn: int | None
    kind: Annotated[str, one_of(EvidenceKind)]
    repair: str | None
    source: str | None


class FindingDocument(Document, component="Finding"):
    number: Annotated[Count, described("From 1: what a draft names the finding by that it answers.")]
    title: str
    criteria: Sequence[str]
    section: Annotated[str, described("Of the agent's prompt; empty where none was shown.")]
    suggestion: str
    conversations: Annotated[Sequence[str], described("That were shown and fail one of the criteria.")]
    n: Annotated[Count, described("Their number, counted by us.")]
    claimed: Annotated[Count, described("How many the analyzer named.")]
    support: Annotated[
        str,
        one_of(EvidenceKind),
        described("Its best evidence: words of a conversation that fails, a summary, or neither."),
    ]
    evidence: Sequence[FindingEvidence]
    doubts: Annotated[Sequence[str], described("Why it should not be believed; empty for what held.")]


class AnalysisAsked(Document, component="AnalysisAsked"):
    id: Id | None
    status: Annotated[str, one_of(AnalysisStatus)]
    findings: Count


class AnalysisDocument(Document, component="Analysis"):
    id: Id
    evaluation_id: Id
    status: Annotated[str, one_of(AnalysisStatus)]
    automatic: bool
    findings: Sequence[Annotated[Mapping[str, Any], StoredAs(FindingDocument)]]
    notes: Sequence[str]
    note_codes: WarningCodes
    conversations_read: Count
    conversations_failing: Count
    parts: Count
    provider: str
    model: str
    waiting_for: str
    error_message: str
    created_at: Moment
    ended_at: Moment | None


def analysis_document(row: Analysis) -> AnalysisDocument:
    """One analysis as the API shows it: findings with their evidence, believable ones first, numbered from 1."""
    return AnalysisDocument(
        id=str(row.pk),
        evaluation_id=str(row.evaluation_id),
        status=row.status,
        automatic=row.automatic,
        findings=[
            {"support": _support(finding), **finding, "number": number}
            for number, finding in enumerate(row.findings, start=1)
        ],
        notes=row.notes,
        note_codes=row.note_codes,
        conversations_read=row.read,
        conversations_failing=row.failing,
        parts=row.parts,
        provider=row.provider,
        model=row.model,
        waiting_for=row.waiting_for,
        error_message=row.error_message,
        created_at=row.created_at.isoformat(),
        ended_at=row.ended_at.isoformat() if row.ended_at else None,
    )


def latest_analysis(evaluation_id: uuid.UUID) -> Analysis | None:
    """The newest one, whatever its state. One query."""
    return Analysis.objects.filter(evaluation_id=evaluation_id).order_by("-created_at").first()


def prompt_of_analysis(row: Analysis) -> str:
    """Return the name of the live prompt that a finding may change.

    It is that of the version the run played, else that of its agent's name, else the only one there is; "" where nobody
    can tell. Three queries at most.
    """
    return prompt_of_run(row.evaluation.run)


def prompt_of_run(run: TestRun) -> str:
    """Return the prompt that a run played, found as in `prompt_of_analysis`."""
    played = run.frozen_plan.prompt_version or str(run.subject.get("prompt_version") or "")
    agent = run.agent.name if run.agent is not None else str(run.subject.get("agent") or "")
    lines = dict(PromptLine.objects.order_by("name").values_list("name", "agent__name")[:MAX_LINES])
    own = [name for name, plays in lines.items() if plays and plays == agent]
    for name in (played.partition("@")[0], agent, *own):
        if name in lines:
            return str(name)
    return str(next(iter(lines))) if len(lines) == 1 else ""


def _support(finding: Mapping[str, Any]) -> str:
    """Return the support of a finding stored before patterns were told apart: only what had a quote was believed."""
    return EvidenceKind.UNVERIFIED if finding["doubts"] else EvidenceKind.EXACT


def analysis_of(evaluation: Evaluation) -> AnalysisAsked | None:
    """Return the analysis that was requested with the evaluation. At most one query.

    It has its id, state and number of findings. None where none was requested, or where none will come because the
    evaluation did not complete.
    """
    never = set(EVALUATION_TERMINAL) - {EvaluationStatus.COMPLETED}
    if not evaluation.run_analyzer or evaluation.status in never:
        return None
    row = Analysis.objects.filter(evaluation=evaluation, automatic=True).only("id", "status", "findings").first()
    if row is None:
        return AnalysisAsked(id=None, status=AnalysisStatus.PENDING.value, findings=0)
    return AnalysisAsked(id=str(row.pk), status=row.status, findings=len(row.findings))


def evaluation_with_analysis(evaluation_id: uuid.UUID | str, *, now: datetime | None = None) -> dict[str, Any]:
    """The body of GET /evaluations/{id}/: what the evaluation found, and the analysis that was asked for with it.

    One query more than `evaluation_summary` where one was asked for. Raises NotFound.
    """
    evaluation = find_evaluation(evaluation_id)
    return {**evaluation_summary(evaluation, now=now), "analysis": as_json(analysis_of(evaluation))}

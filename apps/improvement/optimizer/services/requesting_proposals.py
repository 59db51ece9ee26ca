"""Ask a model for one fix of one finding: the row that owes it. A worker asks (optimizer.services.proposing)."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from apps.catalog.configs.queries.judges import model_in_force
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import AnalysisStatus
from apps.improvement.analysis.models import Analysis
from apps.improvement.analysis.queries.analyses import prompt_of_analysis
from apps.improvement.drafts.domain.rounds import refuse_round
from apps.improvement.drafts.domain.states import DraftMode
from apps.improvement.drafts.models import FixProposal
from apps.improvement.drafts.queries.documents import find_line
from apps.improvement.drafts.queries.lineage import round_of_new_draft
from apps.improvement.drafts.services.placing_families import place_new_families
from apps.improvement.optimizer.domain.proposer_rules import proposer_warnings
from apps.improvement.prompt_templates.domain.texts import reason_language
from apps.improvement.prompt_templates.queries.versions import texts_in_force
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.tenants.context import current_slug
from apps.tenants.queries import tenant_models, workflow_config

# Beside a judge of the same provider, where the tenant named no optimizer: a key for one provider is enough.
ANOTHER_MODEL = {
    "google": "gemini-2.5-pro",
    "vertex": "gemini-2.5-pro",
    "anthropic": "claude-sonnet-4-5",
    "openai": "gpt-4o",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FixQuestion:
    """A request for a fix. `name` "": the prompt that the analysed run played; `override_reason`: why the judge's own
    model may propose. Modes full and reflective name no finding; `basis` is what a reflective one goes on from.
    `budget_name`: whose budget pays; `round`: that of the optimization that asks, 0 for the one that begins or goes on
    now; `templates`: its texts, None for those in force."""

    analysis_id: uuid.UUID
    finding_number: int | None
    name: str = ""
    override_reason: str = ""
    mode: DraftMode = DraftMode.SURGICAL
    budget_name: str = ""
    round: int = 0
    templates: Mapping[str, Any] | None = None
    basis: Mapping[str, Any] = field(default_factory=dict)


def request_proposal(question: FixQuestion, *, by: str, now: datetime) -> uuid.UUID:
    """Request one fix of this finding; return the id of its row. Some fifteen queries, no model call.

    Raises NotFound; BadInput: `unknown_finding`, `unknown_prompt`, `no_model`; Conflict: `not_analysed`,
    `judge_proposes`, `rounds_spent`, and `already_asked` while a model is asked for the same finding.
    """
    analysis = Analysis.objects.select_related("evaluation__run__agent").filter(pk=question.analysis_id).first()
    if analysis is None:
        raise NotFound(f"There is no analysis {question.analysis_id}.", pointer="/analysis_id")
    if analysis.status != AnalysisStatus.COMPLETED:
        raise Conflict(f"This analysis is {analysis.status}: it has no findings.", code="not_analysed")
    if not analysis.findings or (not question.mode.names_no_finding and not _is_number(question, analysis)):
        message = f"This analysis has {len(analysis.findings)} findings; there is no finding {question.finding_number}."
        raise BadInput(message, code="unknown_finding", pointer="/finding_number")
    name = question.name or prompt_of_analysis(analysis)
    if not name:
        message = "Name the prompt that shall say something else: the analysed run played none that is live."
        raise BadInput(message, code="unknown_prompt", pointer="/name")
    line = find_line(name)
    judge = analysis.evaluation.snapshot["llm_config"]["judge"]
    proposer = proposer_of(judge)
    warnings = proposer_warnings(proposer, judge, reason=question.override_reason, by=by)
    place_new_families(now=now)
    number = question.round or round_of_new_draft(line.live_id)
    refuse_round(number, most=workflow_config(current_slug()).max_optimization_rounds, version=line.live.version)
    try:
        with transaction.atomic():
            row = FixProposal.objects.create(
                analysis=analysis, finding_number=question.finding_number, line=line, proposer=proposer,
                mode=question.mode, optimization_round=number, budget_name=question.budget_name, warnings=warnings,
                templates=_templates(question, analysis), basis=dict(question.basis), requested_by=by[:150],
                waiting_for=FOR_A_WORKER,
            )  # fmt: skip
    except IntegrityError as error:
        raise Conflict("A model is asked for a fix of this finding already.", code="already_asked") from error
    log_event(EventType.FIX_REQUESTED, proposal=str(row.pk), analysis=str(analysis.pk), by=by)
    return uuid.UUID(str(row.pk))


def _templates(question: FixQuestion, analysis: Analysis) -> dict[str, Any]:
    """The text that asks, as it is now, or as the optimization keeps it. At most one query."""
    texts = question.templates or {}
    if question.mode in texts:
        return {question.mode.value: texts[question.mode]}
    return dict(texts_in_force([question.mode.value], reason_language(analysis.evaluation.snapshot)))


def _is_number(question: FixQuestion, analysis: Analysis) -> bool:
    return question.finding_number is not None and 1 <= question.finding_number <= len(analysis.findings)


def proposer_of(judge: dict[str, Any]) -> dict[str, Any]:
    """The tenant's optimizer; where nobody named one and it would be the judge's model, another of the same provider.
    Two queries."""
    proposer = model_in_force("optimizer").as_json()
    same = (proposer["provider"], proposer["model"]) == (judge["provider"], judge["model"])
    other = ANOTHER_MODEL.get(proposer["provider"])
    if same and other and other != proposer["model"] and "optimizer" not in tenant_models(current_slug()):
        return {"provider": proposer["provider"], "model": other}
    return proposer

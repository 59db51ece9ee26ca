"""The drafts of an optimization: asked for, written, left out; each once, in the order they are tried."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.core.errors import BadInput, Conflict, NotFound
from apps.improvement.domain.optimization_states import DraftPlace, LeftOut
from apps.improvement.drafts.domain.states import DraftMode, DraftStatus, ProposalStatus
from apps.improvement.drafts.models import PromptDraft
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.services.requesting_proposals import FixQuestion, request_proposal


def ask_for_draft(
    row: Optimization,
    *,
    findings: Sequence[int],
    mode: DraftMode,
    now: datetime,
    basis: Mapping[str, Any] | None = None,
) -> OptimizationDraft:
    """Request a proposal that the optimization pays for; return its place among the drafts.
    If it cannot be requested, the place holds the reason. Some fifteen queries, in the caller's transaction."""
    question = FixQuestion(
        analysis_id=row.analysis.pk,
        finding_number=findings[0] if mode is DraftMode.SURGICAL else None,
        name=row.line.name,
        override_reason=row.override_reason,
        mode=mode,
        budget_name=row.budget_name,
        round=row.round,
        templates=row.templates,
        basis=basis or {},
    )
    proposal: uuid.UUID | None = None
    why = ""
    try:
        proposal = request_proposal(question, by=row.requested_by, now=now)
    except (BadInput, Conflict, NotFound) as error:
        why = error.message
    return OptimizationDraft.objects.create(
        optimization=row,
        position=next_position(row),
        place=DraftPlace.FIX,
        findings=list(findings),
        proposal_id=proposal,
        left_out="" if proposal else LeftOut.NOT_PROPOSED,
        left_out_why=why,
    )


def add_draft(row: Optimization, draft_id: uuid.UUID, *, place: DraftPlace) -> OptimizationDraft:
    """A draft that has its words already. One that is there is not added again. Three queries."""
    draft = row.drafts.filter(draft_id=draft_id).first()
    if draft is not None:
        return draft
    made = OptimizationDraft.objects.create(
        optimization=row, position=next_position(row), place=place, draft_id=draft_id
    )
    _settle(made)
    return made


def next_position(row: Optimization) -> int:
    """Return the position of the next draft, from 1."""
    return int(row.drafts.count()) + 1


def settle_proposals(row: Optimization) -> None:
    """Take over what came of the proposals that have ended. Safe to repeat. One query, two more a draft."""
    open_rows = row.drafts.filter(draft=None, left_out="").exclude(proposal=None).select_related("proposal")
    for open_row in open_rows.order_by("position"):
        if open_row.proposal.status == ProposalStatus.FAILED:
            leave_out(open_row, LeftOut.NOT_PROPOSED, open_row.proposal.error_message)
        elif open_row.proposal.status == ProposalStatus.COMPLETED:
            open_row.draft_id = open_row.proposal.draft_id
            OptimizationDraft.objects.filter(pk=open_row.pk, draft=None).update(draft=open_row.draft_id)
            _settle(open_row)


def leave_out(draft: OptimizationDraft, code: LeftOut, why: str) -> None:
    """Store why a draft is not tried, unless a reason is stored already. One query."""
    OptimizationDraft.objects.filter(pk=draft.pk, left_out="").update(left_out=code, left_out_why=why[:1000])


def _settle(optimization_draft: OptimizationDraft) -> None:
    draft = PromptDraft.objects.get(pk=str(optimization_draft.draft_id))
    if (
        OptimizationDraft.objects.filter(optimization=optimization_draft.optimization_id, draft=draft)
        .exclude(pk=optimization_draft.pk)
        .exists()
    ):
        leave_out(optimization_draft, LeftOut.SAME_WORDS, "Another draft of this optimization has the same words.")
    elif draft.status == DraftStatus.REFUSED:
        leave_out(
            optimization_draft, LeftOut.REFUSED, " ".join(str(reason["sentence"]) for reason in draft.stop_reasons)
        )

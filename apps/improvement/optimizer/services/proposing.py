"""Fixes that a model proposes: one question a finding, one section anew, and a draft that the guards look at."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import PaidRows
from apps.budgets.services.paid_work import do_paid_work
from apps.core.errors import Conflict
from apps.core.events import EventType, log_event
from apps.core.plurals import many
from apps.core.question_secrets import fresh_nonce
from apps.improvement.analysis.domain.findings import AnalysedConversation
from apps.improvement.analysis.queries.failing_conversations import failing_conversations
from apps.improvement.drafts.domain.states import MAX_NOTE_CHARS, DraftMode, DraftOrigin
from apps.improvement.drafts.models import FixProposal, PromptDraft
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.holdout.queries.train_conversations import train_conversations
from apps.improvement.optimizer.domain.fix_question import ProposedFix, fix_request, read_fix
from apps.improvement.optimizer.domain.full_question import MAX_FINDINGS, full_request, read_full, with_fixes
from apps.improvement.prompt_templates.domain.texts import reason_language
from apps.improvement.prompt_templates.queries.versions import kept_texts
from apps.jobs.services.leases import LeasedTable
from apps.runs.services.model_roles import models_of

_SEALED = (
    "What was found was seen only in conversations that are kept for choosing and for the proof: a model that read "
    "them would prove nothing. Write the draft yourself, or play more scenario families."
)


def propose_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Ask for due fixes until `until`; return whether some are due then.
    Safe to repeat and to race: a row that has ended is not asked for again."""
    return do_paid_work(ProposalRows(), now=now, until=until).more


class ProposalRows(PaidRows[FixProposal]):
    """Findings that wait for a model's fix."""

    table = LeasedTable(table="improvement_fixproposal", lease=timedelta(minutes=5), counter="attempts")
    doing = "proposing a fix"
    waits_for = "the model that proposes"

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[FixProposal]:
        rows = FixProposal.objects.filter(pk__in=ids).select_related("analysis__evaluation__run", "line__live")
        return list(rows.order_by("created_at", "id"))

    def question(self, row: FixProposal) -> PaidQuestion[tuple[ProposedFix, ...]]:
        evaluation, nonce, prompt = row.analysis.evaluation, fresh_nonce(), prompt_text_of(row)
        material: dict[str, Any] = {
            "prompt": prompt,
            "subjects": _subjects(row),
            "nonce": nonce,
            "timeout_s": settings.MODEL_TIMEOUT_S,
            "texts": kept_texts(row.templates, row.mode, reason_language(evaluation.snapshot)),
        }
        read: Callable[[str], tuple[ProposedFix, ...]]
        if DraftMode(row.mode).names_no_finding:
            reflects = row.mode == DraftMode.REFLECTIVE
            request = full_request(findings=[] if reflects else row.analysis.findings, **material)
            read = partial(read_full, prompt=prompt, nonce=nonce)
        else:
            request = fix_request(finding=_finding(row), **material)
            read = partial(_read_one, prompt=prompt, nonce=nonce)
        return PaidQuestion(
            requests=twice(request),
            read=read,
            models=models_of(row.proposer),
            call_for=CallFor(
                purpose=Purpose.PROPOSAL,
                run_id=evaluation.run_id,
                evaluation_id=evaluation.pk,
                pull_request=row.budget_name,
            ),
        )

    def keep(self, row: FixProposal, answer: Sequence[ProposedFix], reply: PaidReply[Any]) -> Mapping[str, Any]:
        source = DraftSource(
            by=row.requested_by,
            origin=DraftOrigin.MODEL,
            mode=DraftMode(row.mode),
            analysis_id=row.analysis_id,
            finding_number=row.finding_number,
            round=row.optimization_round,
            note=_note(row),
            hopes={"lifts": answer[0].hopes, "risks": answer[0].might_hurt},
        )
        live = row.line.live
        made = create_draft(
            name=row.line.name, text=with_fixes(prompt_text_of(row), answer), source=source, base=live.version
        )
        answered = reply.response
        model_fields = {"provider": answered.provider, "model": answered.model} if answered else {}
        return {"draft_id": made, **model_fields}

    def ended(self, row: FixProposal, error: str) -> None:
        log_event(EventType.FIX_PROPOSED, proposal=str(row.pk), failed=bool(error))


def _read_one(text: str, *, prompt: str, nonce: str) -> tuple[ProposedFix, ...]:
    return (read_fix(text, prompt=prompt, nonce=nonce),)


def _note(row: FixProposal) -> str:
    """The reason for the draft, in a few words."""
    if row.mode == DraftMode.REFLECTIVE:
        after = f"draft {row.basis['after']}" if row.basis.get("after") else "the live prompt"
        return f"Goes on from {after}, after {many(len(row.basis.get('conversations', ())), 'failing conversation')}"
    if row.mode != DraftMode.FULL:
        return str(_finding(row).get("title") or "")
    titles = "; ".join(str(finding.get("title") or "") for finding in row.analysis.findings[:MAX_FINDINGS])
    return f"Answers all findings: {titles}"[:MAX_NOTE_CHARS]


def _subjects(row: FixProposal) -> list[AnalysedConversation]:
    """The finding's conversations that may be read, worst first. Raises Conflict (`sealed`) where there is none."""
    if row.mode == DraftMode.REFLECTIVE:
        return _reflected_on(row)
    evaluation = row.analysis.evaluation
    findings = row.analysis.findings if row.mode == DraftMode.FULL else [_finding(row)]
    names = {name for finding in findings for name in finding.get("conversations") or ()}
    open_names = train_conversations(evaluation, names)
    if names and not open_names:
        raise Conflict(_SEALED, code="sealed")
    subjects = failing_conversations(evaluation.pk).subjects
    return [subject for subject in subjects if subject.conversation_id in open_names]


def _reflected_on(row: FixProposal) -> list[AnalysedConversation]:
    """The conversations shown to a reflective proposal: failed by the draft that it goes on from, of train families
    alone."""
    names = set(row.basis["conversations"])
    subjects = failing_conversations(uuid.UUID(row.basis["evaluation"]), train_only=True).subjects
    shown = [subject for subject in subjects if subject.conversation_id in names]
    if not shown:
        raise Conflict(_SEALED, code="sealed")
    return shown


def prompt_text_of(row: FixProposal) -> str:
    """Return the prompt to rewrite: the parent draft's for a reflective proposal, else the live one.
    At most one query."""
    parent = row.basis.get("parent")
    return str(PromptDraft.objects.select_related("version").get(pk=parent).text if parent else row.line.live.text)


def _finding(row: FixProposal) -> Mapping[str, Any]:
    """The one that it asks about; of a full one the first."""
    return dict(row.analysis.findings[(row.finding_number or 1) - 1])

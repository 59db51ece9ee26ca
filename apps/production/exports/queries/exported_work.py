"""Rows of our own work as what is exported of them: played conversations and judgements, read masked."""

import json
import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from apps.audit.masked_rows import masked_columns, masked_rows
from apps.budgets.models import ModelCall
from apps.connectors.tracing.exported_span import span_id_of
from apps.core.subject import words_of
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import CriterionScore, Judgement
from apps.production.conversations.models import ProductionConversation
from apps.production.exports.domain.exported_spans import (
    ExportedCall,
    ExportedExperiment,
    ExportedSubject,
    ExportedTurn,
    ExportedWork,
    seed_of,
    trace_of,
    trace_of_judgement,
)
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, Turn
from apps.runs.prompt_of_conversation import prompts_of
from apps.tenants.context import current_slug

EXPORTED = (Kind.BATTLE, Kind.REPLAY)  # a trial may belong to a hold-out, which is worn by reading
# Judgements of these too: nothing of a hold-out, and no copies.
JUDGED = (*EXPORTED, Kind.IMPORTED, Kind.PRODUCTION)
OVER = ("ended", "failed", "timeout", "cancelled")
_CALLS = (
    "id",
    "purpose",
    "model",
    "requested_model",
    "provider",
    "outcome",
    "created_at",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "cached",
    "error",
    "conversation_id",
    "evaluation_id",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRows:
    """The rows that `exported_spans` takes."""

    subject: ExportedSubject
    work: ExportedWork
    calls: tuple[ExportedCall, ...]
    turns: tuple[ExportedTurn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedJudgement(ExportedRows):
    """Judgement to export, with all that its scores need.

    `of_trace` is the conversation's own trace, "" where there is none of ours.
    """

    row: Judgement
    scores: tuple[CriterionScore, ...]
    of_trace: str


def played_conversations(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, ExportedRows]:
    """Return rows to export by conversation; those that are open, or are played again, are left out. Three queries."""
    rows = Conversation.objects.select_related("run").filter(
        pk__in=ids, kind__in=EXPORTED, status__in=OVER, ended_at__isnull=False
    )
    rows = rows.exclude(simulator_verdict="pending").defer("run__plan", "session")
    masked = {row.pk: row for row in masked_rows(rows)}
    turns, calls, prompts = _turns(masked), _calls(masked.values()), prompts_of(masked)
    return {
        pk: ExportedRows(
            subject=_subject(
                row,
                trace_of(pk, row.attempt),
                _name(row),
                _said(row),
                prompt=prompts.get(pk, ""),
                experiment=_experiment(row),
            ),
            work=_conversation_work(row, turns[pk]),
            calls=tuple(calls[pk]),
            turns=tuple(turns[pk]),
        )
        for pk, row in masked.items()
    }


def judgements(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, ExportedJudgement]:
    """Return rows to export by judgement; without those whose conversation's words were deleted. Five queries."""
    wanted = Judgement.objects.select_related("evaluation", "conversation__run").exclude(status="pending")
    rows = wanted.filter(pk__in=ids, judged_at__isnull=False, conversation__kind__in=JUDGED)
    deferred = ("conversation__run__plan", "conversation__session", "evaluation__snapshot", "raw_reply")
    masked = {row.pk: row for row in masked_rows(rows.defer(*deferred))}
    real = set(
        ProductionConversation.objects.filter(
            conversation__in=[row.conversation_id for row in masked.values()], deleted_at__isnull=True
        ).values_list("conversation_id", flat=True)
    )
    prompts = prompts_of([row.conversation_id for row in masked.values()])
    scores: dict[uuid.UUID, list[CriterionScore]] = defaultdict(list)
    rows_of = CriterionScore.objects.filter(judgement__in=masked).defer("evidence", "opinions").order_by("position")
    for score in masked_rows(rows_of):
        scores[score.judgement_id].append(score)
    chosen = {
        pk: row for pk, row in masked.items() if row.conversation.kind != Kind.PRODUCTION or row.conversation_id in real
    }
    calls = _judge_calls(chosen.values())
    return {pk: _judgement(row, tuple(scores[pk]), tuple(calls[pk]), prompts) for pk, row in chosen.items()}


def _judgement(
    row: Judgement,
    scores: tuple[CriterionScore, ...],
    calls: tuple[ExportedCall, ...],
    prompts: Mapping[uuid.UUID, str],
) -> ExportedJudgement:
    conversation = row.conversation
    fields = {
        "evaluator_config": row.evaluation.config_ref,
        "evaluation_id": str(row.evaluation_id),
        "judgement": row.status,
        "judge": row.fingerprint,
        **_said(conversation),
    }
    name = f"judge {row.evaluation.config_ref}"
    return ExportedJudgement(
        subject=_subject(
            conversation, trace_of_judgement(row.pk), name, fields, prompt=prompts.get(row.conversation_id, "")
        ),
        work=_judgement_work(row, name, scores, calls),
        calls=calls,
        row=row,
        scores=scores,
        of_trace=trace_of(conversation.pk, conversation.attempt) if conversation.kind in EXPORTED else "",
    )


def _subject(
    row: Conversation,
    trace_id: str,
    name: str,
    said: Mapping[str, str],
    *,
    prompt: str,
    experiment: ExportedExperiment | None = None,
) -> ExportedSubject:
    subject = row.run.subject
    return ExportedSubject(
        tenant_id=current_slug(),
        conversation_id=row.pk,
        prompt_version=prompt,
        trace_id=trace_id,
        name=name,
        tags=tuple(one for one in (row.kind, str(subject.get("label") or "")) if one),
        said={key: value for key, value in said.items() if value},
        experiment=experiment,
    )


def _item(row: Conversation) -> str:
    return str(row.spec.get("scenario") or row.spec.get("golden_session") or row.external_id)


def _name(row: Conversation) -> str:
    return f"{row.kind} {_item(row)}"


def _experiment(row: Conversation) -> ExportedExperiment:
    named = row.run.name or " ".join(part for part in (row.kind, words_of(row.run.subject)) if part)
    return ExportedExperiment(
        id=row.run_id, name=named, item_id=_item(row), root=span_id_of(seed_of(row.pk, row.attempt))
    )


def _said(row: Conversation) -> dict[str, str]:
    subject = row.run.subject
    return {
        "run_id": str(row.run_id),
        "kind": row.kind,
        "agent": str(subject.get("agent") or ""),
        "language": row.language,
        "attempt": str(row.attempt),
        "status": row.status,
        "end_reason": row.end_reason,
        "scenario": str(row.spec.get("scenario") or ""),
        "persona": str(row.spec.get("persona_name") or ""),
        "golden_session": str(row.spec.get("golden_session") or ""),
        "blame": row.blame or "",
    }


def _conversation_work(row: Conversation, turns: list[ExportedTurn]) -> ExportedWork:
    ended = row.ended_at or row.created_at
    first = next((turn.text for turn in turns if turn.role == "user"), "")
    last = next((turn.text for turn in reversed(turns) if turn.role == "assistant" and turn.text), "")
    models = {str(turn.usage["model"]) for turn in turns if turn.usage.get("model")}
    return ExportedWork(
        seed=seed_of(row.pk, row.attempt),
        name=_name(row),
        kind="span",
        started_at=min(row.started_at or ended, ended),
        ended_at=ended,
        input=first,
        output=last,
        model=next(iter(models)) if len(models) == 1 else "",
        error=row.error_message or row.error_code if row.status in ("failed", "timeout") else "",
    )


def _judgement_work(
    row: Judgement, name: str, scores: tuple[CriterionScore, ...], calls: tuple[ExportedCall, ...]
) -> ExportedWork:
    ended = row.judged_at or row.created_at
    attributes = {
        "weighted_score": row.weighted_score,
        "criteria": {score.criterion: {"score": score.score, "reason": score.reason} for score in scores},
    }
    failed = row.status != JudgementStatus.SCORED
    return ExportedWork(
        seed=f"judgement {row.pk}",
        name=name,
        kind="evaluator",
        started_at=min([ended, *(call.at for call in calls)]),
        ended_at=ended,
        output="" if failed else json.dumps(attributes, ensure_ascii=False),
        model=row.model,
        error=row.error_message or row.error_code if failed else "",
    )


def _turns(found: Mapping[uuid.UUID, Conversation]) -> dict[uuid.UUID, list[ExportedTurn]]:
    turns: dict[uuid.UUID, list[ExportedTurn]] = defaultdict(list)
    turn_rows = Turn.objects.last_attempt().filter(conversation__in=found).order_by("conversation", "position")
    for turn in masked_rows(turn_rows):
        usage = turn.extra.get("usage")
        turns[turn.conversation_id].append(
            ExportedTurn(
                position=turn.position,
                role=turn.role,
                text=turn.content,
                at=turn.ts,
                latency_ms=turn.latency_ms,
                tool_calls=list(turn.tool_calls),
                tool_call_id=turn.tool_call_id,
                usage=usage if isinstance(usage, Mapping) else {},
            )
        )
    return turns


def _calls(rows: Collection[Conversation]) -> dict[uuid.UUID, list[ExportedCall]]:
    """The calls made while these conversations were played; judges' calls belong to their judgements."""
    calls = ModelCall.objects.filter(
        run_id__in={row.run_id for row in rows}, conversation_id__in=[row.pk for row in rows], evaluation_id=None
    )
    return _by_conversation(calls)


def _judge_calls(rows: Collection[Judgement]) -> dict[uuid.UUID, list[ExportedCall]]:
    by_pair = {(row.evaluation_id, row.conversation_id): row.pk for row in rows}
    model_calls = ModelCall.objects.filter(
        evaluation_id__in={row.evaluation_id for row in rows}, conversation_id__in=[row.conversation_id for row in rows]
    )
    calls: dict[uuid.UUID, list[ExportedCall]] = defaultdict(list)
    for call in _ended(model_calls):
        if pk := by_pair.get((call["evaluation_id"], call["conversation_id"])):
            calls[pk].append(_call(call))
    return calls


def _by_conversation(found: Any) -> dict[uuid.UUID, list[ExportedCall]]:
    calls: dict[uuid.UUID, list[ExportedCall]] = defaultdict(list)
    for call in _ended(found):
        calls[call["conversation_id"]].append(_call(call))
    return calls


def _ended(found: Any) -> Any:
    return masked_columns(ModelCall, found.filter(~Q(outcome="open")).order_by("created_at", "pk").values(*_CALLS))


def _call(row: Mapping[str, Any]) -> ExportedCall:
    at: datetime = row["created_at"]
    cost = row["cost_usd"]
    return ExportedCall(
        id=row["id"],
        purpose=row["purpose"],
        model=row["model"] or row["requested_model"],
        provider=row["provider"],
        outcome=row["outcome"],
        at=at,
        latency_ms=row["latency_ms"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        cost_usd=None if cost is None else float(cost),
        cached=row["cached"],
        error=row["error"],
    )

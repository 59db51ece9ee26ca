"""Asking for an evaluation: freeze what it depends on, and owe its judgements."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import models, transaction

from apps.budgets.domain.scopes import SHARE_PREFIX
from apps.catalog.configs.domain.judging_rules import JudgingRules
from apps.catalog.configs.domain.snapshots import ConfigSnapshot
from apps.catalog.configs.queries.judges import with_models_in_force
from apps.catalog.configs.queries.versions import resolve_config
from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.inserting import insert_together
from apps.core.subject import UNNAMED, Subject
from apps.evaluations.domain.fallback_rule import OPTION
from apps.evaluations.domain.missing_rule import frozen_missing_rule
from apps.evaluations.domain.null_rule import frozen_null_rule
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.panel_selection import (
    SelectedJudges,
    generators_of_documents,
    generators_of_plan,
    generators_of_run,
    refuse_self_judging,
    with_second_judges,
)
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import RunStatus
from apps.runs.imports.services.importing import ImportBatch, check_documents, imported_rows
from apps.runs.models import TestRun

MAX_REPEATS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedEvaluation:
    """The answer that a caller gets at once."""

    evaluation_id: uuid.UUID
    run_id: uuid.UUID


def request_evaluation(
    *,
    config: str,
    now: datetime,
    run_id: uuid.UUID | None = None,
    documents: Sequence[ConversationDocument] | None = None,
    triggered_by: str = "",
    run_analyzer: bool = False,
    callback_url: str = "",
    how: Mapping[str, Any] | None = None,
    subject: Subject = UNNAMED,
    run_name: str = "",
) -> CreatedEvaluation:
    """Evaluate a run that exists, or documents given inline (they become an imported run).

    One service for the webhook, the admin and the command line. All or nothing: nothing is stored for an unknown
    criterion (`unknown_criteria`), config, version or run, or for a judge that would judge its own words
    (`judge_is_generator`). Raises BadInput, NotFound, Conflict. Costs no model call: workers make them. Not safe to
    repeat (callers keep idempotency keys). `how` has options of judging (else BadInput, `bad_option`): `use_cache`
    False ignores cached answers; `repeat` 2, 3 … asks once more and keeps those answers beside the first;
    `pull_request` names whose budget pays, `share` which share of the month.
    """
    if (run_id is None) == (documents is None):
        raise BadInput("Give either test_run_id or conversations.", code="run_or_conversations", pointer="")
    chosen = choose(config)
    request = EvaluationRequest(config=config, triggered_by=triggered_by, analyzer=run_analyzer, callback=callback_url)
    if documents is not None:
        named = replace(request, subject=subject.as_json(), run_name=run_name)
        return _store_inline(inline_rows(chosen=chosen, documents=documents, request=named, how=how or {}, now=now))
    plan, tested = _plan_of(run_id) if run_id is not None else (RunPlan(), {})
    simulator = str(plan.simulator.get("model") or "")
    generators = {*generators_of_plan(plan), *generators_of_run(run_id)} if run_id is not None else set()
    chosen = refuse_self_judging(chosen, generators=generators, simulator=simulator)
    evaluation = evaluation_row(chosen, replace(request, subject=subject.over(tested)), how or {}, now)
    evaluation.run_id = uuid.UUID(str(run_id))
    with transaction.atomic(savepoint=False):
        insert_together([evaluation])
        enqueue_judgements(evaluation_id=evaluation.id, now=now)
    return log_created(CreatedEvaluation(evaluation_id=evaluation.id, run_id=evaluation.run_id))


def _store_inline(rows: "InlineRows") -> CreatedEvaluation:
    with transaction.atomic(savepoint=False):  # whatever could be refused has been
        for batch in rows.batches:
            insert_together(*batch)
    return log_created(rows.requested)


def log_created(created: CreatedEvaluation) -> CreatedEvaluation:
    log_event(EventType.EVALUATION_CREATED, evaluation=str(created.evaluation_id), run=str(created.run_id))
    return created


def choose(config: str) -> SelectedJudges:
    """The config version and the models that judge with it, as both are now. One to six queries. Raises NotFound,
    UnknownCriteria, Conflict."""
    return with_second_judges(with_models_in_force(resolve_config(config)))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """The part of its request that an evaluation keeps."""

    config: str
    triggered_by: str = ""
    analyzer: bool = False
    callback: str = ""
    subject: Mapping[str, Any] = field(default_factory=dict)
    run_name: str = ""  # of the imported run


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineRows:
    """Unsaved rows of an evaluation of inline documents, in batches of tables to be written in this order."""

    requested: CreatedEvaluation
    batches: Iterable[Sequence[Sequence[models.Model]]]


def inline_rows(
    *,
    chosen: SelectedJudges,
    documents: Sequence[ConversationDocument],
    request: EvaluationRequest,
    how: Mapping[str, Any],
    now: datetime,
) -> InlineRows:
    """Run, conversations, turns, evaluation and owed judgements: one batch for some 2,000 turns. No query.

    Raises BadInput as request_evaluation does.
    """
    check_documents(documents)
    chosen = refuse_self_judging(chosen, generators=generators_of_documents(documents))
    evaluation = evaluation_row(chosen, request, how, now)
    rows = imported_rows(
        documents=documents,
        name=request.run_name or f"for {request.config}",
        triggered_by=request.triggered_by,
        now=now,
        subject=Subject(**request.subject),
    )
    first = next(rows)
    evaluation.run_id = first.run_id
    return InlineRows(
        requested=CreatedEvaluation(evaluation_id=evaluation.id, run_id=first.run_id),
        batches=(_batch(batch, evaluation, now) for batch in chain([first], rows)),
    )


def evaluation_row(
    chosen: SelectedJudges, request: EvaluationRequest, how: Mapping[str, Any], now: datetime
) -> Evaluation:
    snapshot = chosen.snapshot
    stored = snapshot.as_json()
    rules = {**_rule_of_fallback(snapshot), **frozen_null_rule(stored), **frozen_missing_rule()}
    return Evaluation(
        created_at=now,
        config_version_id=snapshot.version_id,
        config_ref=snapshot.ref,
        snapshot=stored,
        options={**chosen.options, **rules, **options_of(how)},
        subject=dict(request.subject),
        triggered_by=request.triggered_by[:100],
        run_analyzer=request.analyzer,
        callback_url=request.callback,
        progress_at=now,
    )


def _rule_of_fallback(snapshot: ConfigSnapshot) -> dict[str, bool]:
    """Tell whether a fallback's scores count in the mean, frozen; nothing where the version names no fallback."""
    judge = snapshot.llm_config.get("judge")
    if judge is None or judge.fallback is None:
        return {}
    return {OPTION: not JudgingRules.of(snapshot.parameters).leave_out_fallback}


def _batch(batch: ImportBatch, evaluation: Evaluation, now: datetime) -> Sequence[Sequence[models.Model]]:
    judgements = [
        Judgement(created_at=now, evaluation_id=evaluation.id, conversation_id=row.id) for row in batch.conversations
    ]
    return batch.runs, batch.conversations, batch.turns, [evaluation] if batch.runs else [], judgements


def _is_pull_request(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= 200 and not value.startswith(SHARE_PREFIX)


def options_of(how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from the defaults. Raises BadInput (`bad_option`) with the field."""
    read: dict[str, tuple[Any, Callable[[Any], bool]]] = {
        "use_cache": (True, lambda value: isinstance(value, bool)),
        "repeat": (1, lambda value: type(value) is int and 1 <= value <= MAX_REPEATS),
        "pull_request": ("", _is_pull_request),
        "share": ("", lambda value: isinstance(value, str) and value.startswith(SHARE_PREFIX)),
    }
    for name, value in how.items():
        if name not in read or not read[name][1](value):
            raise BadInput(f"{name} cannot be {value!r}", code="bad_option", pointer=f"/{name}")
    chosen = {name: value for name, value in how.items() if value != read[name][0]}
    share = chosen.pop("share", "")
    return {**chosen, "pull_request": share} if share else chosen


def _plan_of(run_id: uuid.UUID) -> tuple[RunPlan, dict[str, Any]]:
    """The run's plan, and who was tested in it. Raises NotFound, and Conflict for a cancelled one. One query."""
    row = TestRun.objects.filter(pk=str(run_id)).values_list("status", "plan", "subject").first()
    if row is None:
        raise NotFound(f"There is no test run {run_id}.", pointer="/test_run_id")
    status, plan, subject = row
    if status == RunStatus.CANCELLED:
        raise Conflict(f"Test run {run_id} was cancelled; there is nothing to judge.", code="run_cancelled")
    return RunPlan.read(plan), dict(subject)

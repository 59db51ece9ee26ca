"""Trying a config version on one conversation: what the judge would be shown, and what it would answer.

Drafts too. The judge is asked through the same code as in an evaluation; nothing but the ledger is written.
"""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings

from apps.budgets.domain.estimate import Estimate, History, max_cost, request_tokens, until_readable
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import CallFor, record_calls
from apps.budgets.services.metered_model import Opener
from apps.budgets.services.metered_run import MeteredJob, run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import ReservationRequest
from apps.catalog.configs.domain.snapshots import ConfigSnapshot
from apps.catalog.configs.queries.judges import with_models_in_force
from apps.catalog.configs.queries.versions import snapshot_of
from apps.catalog.models import EvaluatorConfigVersion
from apps.connectors.errors import Unreachable
from apps.connectors.llms.base import LLM, LLMRequest, LLMResponse
from apps.core.errors import BadInput, Conflict, NotFound, RatibaError
from apps.core.question_secrets import fresh_nonce, fresh_salt
from apps.evaluations.domain.prompt import judge_request
from apps.evaluations.judging.domain.latency import latency_statistics
from apps.evaluations.judging.services.judge_conversation import Judge, LedgerAccess, judge_conversation
from apps.evaluations.judging.services.leases import ClaimedJudgement
from apps.evaluations.judging.services.outcomes import JudgementOutcome
from apps.evaluations.models import Evaluation
from apps.runs.domain.kind_traits import traits_of
from apps.runs.models import Conversation, Turn
from apps.runs.prompt_of_conversation import prompt_of
from apps.runs.services.model_roles import models_of, retry_policy

QUESTIONS = 2  # the question and its one tighter repeat
LANGUAGE_PARAMETERS = ("prompt_language", "rubric_language", "reason_language")


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunQuestion:
    """A version and a conversation put together, before anybody is asked."""

    ref: str
    conversation_id: uuid.UUID
    conversation: str
    snapshot: ConfigSnapshot
    claimed: ClaimedJudgement

    @property
    def judge_model(self) -> str:
        return " / ".join((self.snapshot.llm_config["judge"].provider, self.snapshot.llm_config["judge"].model))


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """The result of asking once. `cost_usd` is None where no price is known; a failure is in the verdict, in words."""

    verdict: JudgementOutcome
    seconds: float
    cost_usd: Decimal | None
    tokens_in: int
    tokens_out: int
    calls: int


class _ByDeadline:
    """A model that is only asked as long as time is left, so that repeats and a fallback cannot add up."""

    def __init__(self, inner: LLM, *, seconds: float, clock: Callable[[], float]) -> None:
        self.inner, self.spec, self.seconds, self.clock = inner, inner.spec, seconds, clock
        self.ends_at = clock() + seconds

    async def complete(self, request: LLMRequest, *, client: Any) -> LLMResponse:
        left = self.ends_at - self.clock()
        if left <= 0:
            raise Unreachable(f"the {self.seconds:g} s that a dry run may take were over", timed_out=True)
        return await self.inner.complete(replace(request, timeout_s=min(request.timeout_s, left)), client=client)


def prepare_trial(*, version_id: uuid.UUID, conversation_id: uuid.UUID, language: str = "") -> DryRunQuestion:
    """The snapshot of a version (a draft as it stands now) and a conversation's turns.

    `language` (en, sw, it) puts instructions, rubric and reasons into that language instead of the version's own.
    Raises NotFound, UnknownCriteria, and BadInput where the version has no criteria. Four queries, one more for each
    model asked after.
    """
    row = EvaluatorConfigVersion.objects.select_related("config").filter(pk=version_id).first()
    if row is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    if language:
        row.parameters = {**row.parameters, **dict.fromkeys(LANGUAGE_PARAMETERS, language)}  # never saved
    snapshot = with_models_in_force(snapshot_of(row))
    if not snapshot.criteria:
        raise BadInput(f"{row} has no criteria yet: choose some and save, then try it.", code="no_criteria")
    return _trial(str(row), snapshot, conversation_id)


def frozen_trial(*, evaluation: Evaluation, conversation_id: uuid.UUID) -> DryRunQuestion:
    """Return the question that an evaluation asked about a conversation, built from its snapshot.
    Raises NotFound. Two queries."""
    return _trial(evaluation.config_ref, ConfigSnapshot.from_json(evaluation.snapshot), conversation_id)


def _trial(ref: str, snapshot: ConfigSnapshot, conversation_id: uuid.UUID) -> DryRunQuestion:
    conversation = Conversation.objects.filter(pk=conversation_id).select_related("run").first()
    if conversation is None:
        raise NotFound(f"There is no conversation {conversation_id}.")
    return DryRunQuestion(
        ref=ref,
        conversation_id=conversation.id,
        conversation=conversation.external_id,
        snapshot=snapshot,
        claimed=_as_claimed(conversation),
    )


def _as_claimed(conversation: Conversation) -> ClaimedJudgement:
    return ClaimedJudgement(
        judgement_id=uuid.uuid4(),  # of no row: a dry run stores no judgement
        evaluation_id=uuid.uuid4(),
        conversation_id=conversation.id,
        run_id=conversation.run_id,
        external_id=conversation.external_id,
        language=conversation.language,
        attempts=1,
        turns=_turns(conversation),
        played=traits_of(conversation.kind).plays,
        background={
            "persona": conversation.spec.get("persona"),
            "goal": conversation.spec.get("goal"),
            "agent_profile": conversation.run.frozen_plan.agent_profile or None,
        },
        call_for=CallFor(  # of no run: its sum stays as it was
            purpose=Purpose.DRY_RUN, conversation_id=conversation.id, prompt_version=prompt_of(conversation.id)
        ),
    )


def _turns(conversation: Conversation) -> list[dict[str, Any]]:
    fields = ("role", "content", "tool_calls", "tool_call_id", "name", "ts", "latency_ms")
    return [
        {**turn, "ts": turn["ts"].isoformat() if turn["ts"] else None}
        for turn in Turn.objects.transcript().filter(conversation=conversation).order_by("position").values(*fields)
    ]


def preview(trial: DryRunQuestion, *, nonce: str = "", salt: str = "") -> LLMRequest:
    """Exactly what the judge would be sent for this trial; nonce and salt differ from call to call. No query.

    Raises TemplateProblem where the version's own template cannot be rendered.
    """
    snapshot = trial.snapshot
    return judge_request(
        criteria=[criterion.as_json() for criterion in snapshot.criteria],
        template=snapshot.system_prompt_template,
        parameters=snapshot.parameters,
        turns=trial.claimed.turns,
        language=trial.claimed.language,
        latency=latency_statistics(trial.claimed.turns, played=trial.claimed.played),
        background=trial.claimed.background,
        nonce=nonce or fresh_nonce(),
        salt=salt or fresh_salt(),
        config=snapshot.config,
        version=snapshot.version,
        timeout_s=settings.MODEL_TIMEOUT_S,
    )


def at_most(trial: DryRunQuestion) -> Decimal:
    """Dollars a dry run may cost at most; 0 where that is not known or nothing. At most two queries."""
    try:
        judge = _judge(trial.snapshot, clock=time.monotonic)
        return _at_most(trial, judge, {}).usd
    except RatibaError:
        return Decimal(0)


def dry_run(
    trial: DryRunQuestion,
    *,
    now: Callable[[], datetime],
    clock: Callable[[], float] = time.monotonic,
    nonce: str = "",
    salt: str = "",
) -> DryRun:
    """Ask the judge once about one conversation, and store nothing but the ledger's rows (purpose `dry_run`).

    Never raises for what a model or a network does: the verdict says it in words. Takes at most the model timeout,
    repeats and fallback included. Costs what judging one conversation costs; each call pays again. Raises BadInput
    where the provider cannot be used (no key, unknown name) and Conflict where the month's or tenant's budget is spent.
    Must not be called inside a transaction.
    """
    started = clock()
    judge = _judge(trial.snapshot, clock=clock)
    reservations = BudgetReservations(now=now)
    reservations.history.load(judge.specs())
    cost = _at_most(trial, judge, reservations.history.paid)
    request = ReservationRequest(id=trial.claimed.judgement_id, usd=cost.usd, price=cost.price, unpriced=cost.unpriced)
    secret = (nonce or fresh_nonce(), salt or fresh_salt())
    job = _job(trial.claimed, judge, secret, reservations.history.paid, now)
    try:
        for refusal in reservations.reserve([request]).values():
            raise Conflict(refusal.sentence, code=SPENT_CODE)
        verdict = run_metered(
            {request.id: job},
            reservations=reservations,
            concurrency=1,
            store=lambda ended: record_calls(calls=[call for one in ended for call in one.calls]),
        )[request.id]
    finally:
        reservations.release()
    return _result(verdict, seconds=clock() - started)


def _result(verdict: JudgementOutcome, *, seconds: float) -> DryRun:
    attempts = [call.attempt for call in verdict.calls]
    costs = [attempt.cost_usd for attempt in attempts if attempt.outcome == "ok" or attempt.cost_usd is not None]
    known = [cost for cost in costs if cost is not None]
    return DryRun(
        verdict=verdict,
        seconds=seconds,
        cost_usd=sum(known, Decimal(0)) if known and len(known) == len(costs) else None,
        tokens_in=sum(attempt.usage.input_tokens for attempt in attempts),
        tokens_out=sum(attempt.usage.output_tokens for attempt in attempts),
        calls=len(attempts),
    )


def _at_most(trial: DryRunQuestion, judge: Judge, history: History) -> Estimate:
    """The question and its one tighter repeat, by the dearer of model and fallback."""
    if judge.primary.spec.provider == "offline":
        return Estimate()
    request = preview(trial)
    specs = [llm.spec for llm in (judge.primary, judge.fallback) if llm is not None]
    each = max_cost(
        specs, input_tokens=request_tokens(request), output_tokens=request.max_output_tokens, history=history
    )
    return until_readable([each] * QUESTIONS)


def _judge(snapshot: ConfigSnapshot, *, clock: Callable[[], float]) -> Judge:
    role: Mapping[str, Any] = snapshot.as_json()["llm_config"]["judge"]
    primary, fallback = models_of(role)
    seconds = settings.MODEL_TIMEOUT_S
    bounded = _ByDeadline(primary, seconds=seconds, clock=clock)
    return Judge(
        snapshot=snapshot,
        primary=bounded,
        fallback=_ByDeadline(fallback, seconds=seconds, clock=clock) if fallback else None,
        policy=replace(retry_policy(), backoff_s=min(1.0, settings.MODEL_BACKOFF_S)),
        timeout_s=seconds,
    )


def _job(
    claimed: ClaimedJudgement, judge: Judge, secret: tuple[str, str], history: History, now: Callable[[], datetime]
) -> MeteredJob[JudgementOutcome]:
    async def job(client: Any, opener: Opener) -> JudgementOutcome:
        ledger = LedgerAccess(opener=opener, history=history)
        nonce, salt = secret
        return await judge_conversation(
            claimed=claimed, judge=judge, nonce=nonce, salt=salt, client=client, now=now, ledger=ledger
        )

    return job
